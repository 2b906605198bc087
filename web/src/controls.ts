/** Everything on the page besides the map: texts, the replay's bar, the options, and the keys. */

import { type Clock, WALKS, type Walk } from "./clock.ts";
import { Code } from "./code.ts";
import { choice, element, icon, iconButton } from "./dom.ts";
import { Frame, fillFigures } from "./frame.ts";
import type { Lanes } from "./lanes.ts";
import type { Live } from "./live.ts";
import { Profile } from "./profile.ts";
import { differenceText } from "./race.ts";
import type { Contents, Heading } from "./read.ts";
import { countOf, distanceOf, nodeNamed, nodeOf, sourceOf } from "./routes.ts";
import type { View } from "./view.ts";
import { nodesText, type Words } from "./words.ts";

const SPEEDS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16];
const STOPS = 10_000;

export class Controls {
  readonly root: HTMLElement;
  readonly frame: Frame;
  tree = false;
  /** Whether the maps of a race show where distances differ from those of the first search. */
  difference = false;
  /** What makes trees of other sources, null where none are made. */
  live: Live | null = null;
  /** Called in place of showing a route where a node is chosen. */
  picks: ((node: number) => void) | null = null;
  private readonly heading: Heading;
  /** Milliseconds of the whole traced run. */
  private readonly total: number;
  private readonly play: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly profile: Profile;
  private readonly treeButton: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly walk: HTMLSelectElement;
  private readonly theme: HTMLSelectElement;
  private readonly loop: HTMLInputElement;
  private readonly options: HTMLElement;
  private readonly side: HTMLElement;
  private readonly more: HTMLButtonElement;
  private readonly held = element("dl", { class: "held" });
  private readonly code: Code;
  private readonly withDifference = element("input", { type: "checkbox" });
  private readonly withCode = element("input", { type: "checkbox" });
  private readonly route = element("div", { class: "route", role: "status", "aria-live": "polite" });
  private readonly said = element("p", { class: "quiet", role: "status", "aria-live": "polite" });
  private readonly leaves = new AbortController();
  private views: readonly View[] = [];
  private searches: readonly Contents[] = [];
  private findSource: HTMLElement | null = null;

  constructor(
    private readonly page: Contents,
    private readonly replay: Clock,
    private readonly words: Words,
    private readonly lanes: Lanes | null,
  ) {
    const heading = page.heading;
    this.heading = heading;
    this.total = page.time.reduce((sum, each) => sum + each, 0) / 1e6;
    const say = (text: string) => words.say(text);
    this.play = iconButton("play", say("Play"), "Space", () => this.toggle());
    this.play.classList.add("play");
    this.scrub = element("input", { type: "range", min: 0, max: STOPS, value: 0, "aria-label": say("Step") });
    this.scrub.addEventListener("input", () => {
      this.showSearch();
      replay.seekFraction(Number(this.scrub.value) / STOPS);
    });
    this.profile = new Profile();
    this.code = new Code(page, words);
    this.treeButton = element("button", { type: "button", class: "toggle", "aria-pressed": "false", title: "T" });
    this.treeButton.append(icon("tree"), element("span", {}, say("Tree")));
    this.treeButton.addEventListener("click", () => this.setTree(!this.tree));

    const speeds = SPEEDS.map((speed) => [String(speed), speed < 1 ? `1/${1 / speed}×` : `${speed}×`] as const);
    const speed = choice(say("Speed"), speeds, (value) => replay.setSpeed(Number(value)));
    const walks = WALKS.map(
      (walk) => [walk, say({ step: "By step", time: "By time", distance: "By distance" }[walk])] as const,
    );
    const walk = choice<Walk>(say("Play"), walks, (value) => {
      replay.walk = value;
    });
    const themes = Object.keys(heading.themes).map((name) => [name, say(`theme ${name}`)] as const);
    const theme = choice(say("Theme"), themes, (value) => this.setTheme(value));
    this.speed = speed.select;
    this.walk = walk.select;
    this.theme = theme.select;
    this.loop = element("input", { type: "checkbox" });
    this.loop.addEventListener("change", () => {
      replay.loop = this.loop.checked;
    });
    this.withCode.checked = page.graph !== null && !lanes;
    this.withCode.addEventListener("change", () => this.showSide());
    this.withDifference.addEventListener("change", () => this.setDifference(!this.difference));
    const differs = lanes?.comparable ?? false;
    const hasCode = !this.code.empty && !lanes;
    this.options = element(
      "section",
      { class: "options", id: "options", hidden: true, "aria-label": say("Options") },
      walk.row,
      speed.row,
      theme.row,
      element("label", {}, element("span", {}, say("Repeat")), this.loop),
      ...(differs ? [element("label", {}, element("span", {}, say("Difference")), this.withDifference)] : []),
      ...(hasCode ? [element("label", {}, element("span", {}, say("Pseudo-code")), this.withCode)] : []),
      this.finding("Route to node", (node) => {
        this.setTarget(node);
        this.view?.reveal(node);
      }),
      this.said,
      this.keys(hasCode, differs),
      element("p", { class: "quiet" }, heading.program),
    );
    this.more = iconButton("more", say("Options"), "?", () => this.setOptions(this.options.hidden));
    this.more.setAttribute("aria-expanded", "false");
    this.more.setAttribute("aria-controls", "options");
    this.frame = new Frame(page, words, lanes ? [lanes.root] : null, this.route);
    this.side = element("aside", { class: "side", hidden: true }, this.held, this.code.root);
    this.frame.themed = (name) => {
      this.theme.value = name;
      const { interface: colours } = heading.themes[name] ?? {};
      if (colours) this.profile.setColours(colours);
      this.replay.changed();
    };
    const bar = element(
      "footer",
      { class: "bar", role: "group", "aria-label": say("Replay") },
      element(
        "div",
        { class: "buttons" },
        iconButton("first", say("First step"), "Home", () => this.stepTo(0)),
        iconButton("back", say("One step back"), "←", () => this.stepBy(-1)),
        this.play,
        iconButton("forward", say("One step forward"), "→", () => this.stepBy(1)),
        iconButton("last", say("Last step"), "End", () => this.stepTo(replay.last)),
      ),
      element("div", { class: "scrub" }, this.profile.canvas, this.scrub),
      element("div", { class: "buttons" }, this.treeButton, this.more),
    );
    this.root = element("main", {}, this.frame.root, this.side, this.options, bar);
    document.addEventListener("keydown", (event) => this.key(event), { signal: this.leaves.signal });
  }

  /** Take the maps, of one search or of each in a race. */
  attach(views: readonly View[], searches: readonly Contents[]): void {
    this.views = views;
    this.searches = searches;
    this.frame.attach(views);
    views.forEach((view, index) => {
      const page = searches[index] as Contents;
      view.pointed = (node, x, y) => this.frame.showTip(node < 0 ? [] : this.about(page, node), view.place, x, y);
      view.chosen = (node) => {
        if (this.picks && node >= 0) this.picks(node);
        else this.setTarget(node < 0 ? node : nodeOf(page, page.ids[node] as number), page);
      };
    });
    this.showRoute();
    this.showSide();
    new ResizeObserver(() => this.keepClear()).observe(this.side);
  }

  /** Leave the screen: no key acts here any more. */
  dispose(): void {
    this.leaves.abort();
    this.lanes?.dispose();
    this.frame.dispose();
  }

  private get view(): View | undefined {
    return this.views[0];
  }

  // --------------------------------------------------------------------------------------------- what is shown

  /** Show where the replay is. */
  follow(): void {
    const { page, replay, words, heading, total } = this;
    const { step } = replay;
    const of = (now: string, all: string) => words.say("{step} of {count}", { step: now, count: all });
    const place = of(words.count(step + 1), words.count(heading.steps));
    const figures: [string, string][] = this.tree
      ? heading.ending
      : [
          [words.say("step"), place],
          ...(total > 0
            ? [
                [words.say("traced time"), of(words.milliseconds(replay.milliseconds), words.milliseconds(total))] as [
                  string,
                  string,
                ],
              ]
            : []),
          [words.say("frontier"), nodesText(words, page.size[step] ?? 0)],
        ];
    if (this.lanes) this.lanes.follow(this.words, this.tree);
    else fillFigures(this.frame.figures, figures);
    const name = words.say(replay.playing ? "Pause" : "Play");
    if (this.play.getAttribute("aria-label") !== name) {
      this.play.replaceChildren(icon(replay.playing ? "pause" : "play"));
      this.play.setAttribute("aria-label", name);
      this.play.title = `${name} (Space)`;
    }
    this.showHeld();
    this.code.show(step, this.tree);
    const fraction = this.tree ? 1 : replay.fraction;
    this.scrub.value = String(Math.round(fraction * STOPS));
    this.scrub.setAttribute("aria-valuetext", `${words.say("step")} ${place}`);
    this.profile.show(replay, fraction);
    this.treeButton.setAttribute("aria-pressed", String(this.tree));
    this.speed.value = String(replay.speed);
    this.walk.value = replay.walk;
    this.loop.checked = replay.loop;
  }

  /** Show what the search on a small graph holds: its queue, or its buckets. */
  private showHeld(): void {
    const rows = this.lanes ? [] : (this.view?.held ?? []);
    if (this.held.hidden !== !rows.length) {
      this.held.hidden = !rows.length;
      this.showSide();
    }
    this.held.replaceChildren(
      ...rows.flatMap(([title, nodes]) => [
        element("dt", {}, title),
        element("dd", {}, ...nodes.map(([name, key]) => element("span", {}, key ? `${name} ${key}` : name))),
      ]),
    );
  }

  /** Show what the search holds, and the pseudo-code where it is wanted. */
  private showSide(): void {
    this.code.root.hidden = this.code.empty || !this.withCode.checked;
    this.side.hidden = this.held.hidden && this.code.root.hidden;
    this.keepClear();
  }

  /** Keep a small graph clear of what stands beside it, unless that is below it. */
  private keepClear(): void {
    if (this.lanes || !this.page.graph) return;
    const beside = !this.side.hidden && getComputedStyle(this.side).position === "absolute";
    this.view?.keepClear({ above: 0, right: beside ? this.side.offsetWidth : 0 });
  }

  /** Show the pseudo-code, or not. */
  setCode(shown: boolean): void {
    this.withCode.checked = shown && !this.lanes;
    this.showSide();
  }

  /** What is known of a node, in lines. */
  private about(page: Contents, pointed: number): string[] {
    const { words } = this;
    const { heading } = page;
    const node = nodeOf(page, page.ids[pointed] as number);
    const distance = page.distance[node] as number;
    const first = page.first[node] as number;
    const lines = [words.say("Node {id}", { id: this.nameOf(node, page) })];
    if (heading.on_earth && !page.graph) lines.push(words.place(page.x[node] as number, page.y[node] as number));
    lines.push(distance < 0 ? words.say("not reached") : words.distance(distance));
    if (first >= 0 && !this.live?.moved) lines.push(words.say("first reached in step {step}", { step: first + 1 }));
    return lines;
  }

  /** Return what a node is called: by its id in the file, on a small graph by its name. */
  nameOf(node: number, { graph, ids }: Contents = this.page): string {
    return graph?.names[node] ?? String(ids[node]);
  }

  private showRoute(): void {
    const { view, page, words } = this;
    const target = view?.target ?? -1;
    this.route.replaceChildren();
    if (!view || target < 0) return;
    const distance = distanceOf(page, target);
    const id = this.nameOf(target);
    const text =
      distance < 0
        ? words.say("No way leads to node {id}", { id })
        : words.say("Route to node {id}: {distance}, {nodes}", {
            id,
            distance: words.distance(distance),
            nodes: nodesText(words, countOf(page, view.routeNodes)),
          });
    const drop = iconButton("close", words.say("Drop the target"), "Esc", () => this.setTarget(-1));
    this.route.append(element("span", {}, text), drop);
  }

  // ------------------------------------------------------------------------------------------- what people do

  toggle(): void {
    if (this.replay.playing) this.replay.pause();
    else {
      this.showSearch();
      this.replay.play();
    }
  }

  stepBy(steps: number): void {
    this.showSearch();
    this.replay.stepBy(steps);
  }

  stepTo(step: number): void {
    this.showSearch();
    this.replay.pause();
    this.replay.seek(step);
  }

  setTree(tree: boolean): void {
    if (tree) this.replay.pause();
    else this.live?.back();
    this.tree = tree;
    this.replay.changed();
  }

  private showSearch(): void {
    this.live?.back();
    this.tree = false;
  }

  /** Show that the page has another tree. */
  found(): void {
    this.frame.showLegend();
    this.showRoute();
    this.replay.changed();
  }

  /** Take what makes trees of other sources, and ask for these by their ids too. */
  takeLive(live: Live): void {
    this.live = live;
    this.findSource = this.finding("Source at node", (node) => live.move(sourceOf(this.page, node)));
    this.said.before(this.findSource);
  }

  /** No trees of other sources can be made. */
  dropLive(): void {
    this.live = null;
    this.findSource?.remove();
  }

  /** Show where distances differ from those of the first search, or the searches themselves. */
  setDifference(shown: boolean): void {
    const { words, heading, lanes } = this;
    if (!lanes?.comparable || shown === this.difference) return;
    this.difference = this.withDifference.checked = shown;
    const differences = shown ? lanes.differences : [];
    this.views.forEach((view, index) => {
      view.showApart(differences[index] ?? null);
    });
    lanes.said = differences.map((each) => (each ? differenceText(each, words) : null));
    const last = differences.find((each) => each?.most)?.last ?? 0;
    const title = words.say("difference of the {distance}", { distance: heading.legend.title });
    const marks = [0, 0.5, 1].map((share): [number, string] => [share, words.distance(share * last)]);
    const apart = last ? { title, marks } : { title: words.say("no difference"), marks: [] };
    this.frame.showLegend(shown ? apart : heading.legend);
    this.replay.changed();
  }

  /** Show the routes to a node of one search's network; others on networks of their own know it by its id. */
  setTarget(node: number, of: Contents = this.page): void {
    this.views.forEach((view, index) => {
      const page = this.searches[index] as Contents;
      view.setTarget(node < 0 || page.ids === of.ids ? node : nodeOf(page, of.ids[node] as number));
    });
    this.showRoute();
    this.replay.changed();
  }

  /** Return what a node is asked for by, its id in the file or its name; it says where there is none. */
  private finding(caption: string, found: (node: number) => void): HTMLElement {
    const { page, words } = this;
    const input = element("input", { type: "text", inputmode: "numeric", autocomplete: "off", size: 9 });
    const form = element(
      "form",
      {},
      element("label", {}, element("span", {}, words.say(caption)), input),
      element("button", { type: "submit" }, words.say("Show")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const node = nodeNamed(page, input.value);
      this.said.textContent = node < 0 ? words.say("There is no node {id}.", { id: input.value.trim() || "—" }) : "";
      if (node >= 0) found(nodeOf(page, page.ids[node] as number));
    });
    return form;
  }

  setTheme(name: string): void {
    this.frame.setTheme(name);
  }

  private setOptions(open: boolean): void {
    this.options.hidden = !open;
    this.more.setAttribute("aria-expanded", String(open));
    if (open) this.walk.focus();
    else this.more.focus();
  }

  private keys(hasCode: boolean, differs: boolean): HTMLElement {
    const { words } = this;
    const rows = [
      ["Space", "Play or pause"],
      ["← →", "One step; with Ctrl ten"],
      ["Home End", "First and last step"],
      [", .", "Slower and faster"],
      ["W", "By step, by time, by distance"],
      ["T", "Search or finished tree"],
      ["O", "Repeat"],
      ...(hasCode ? ([["C", "Pseudo-code"]] as const) : []),
      ...(differs ? ([["D", "Colour where distances differ from those of the first search"]] as const) : []),
      ["Shift+← ↑ → ↓", "Move the map"],
      ["+ − F", "Zoom in and out, show all"],
      ["Esc", "Drop the target"],
    ] as const;
    return element(
      "dl",
      { class: "keys" },
      ...rows.flatMap(([key, what]) => [element("dt", {}, key), element("dd", {}, words.say(what))]),
    );
  }

  private key(event: KeyboardEvent): void {
    const at = event.target;
    const typing = at instanceof HTMLInputElement && at.type === "text";
    if (event.key === "Escape") {
      if (!this.options.hidden) this.setOptions(false);
      else this.setTarget(-1);
      return;
    }
    if (event.altKey || event.metaKey || typing || at instanceof HTMLSelectElement) return;
    if (this.act(event, at)) event.preventDefault();
  }

  /** Do what a key stands for; return whether it stands for anything. */
  private act(event: KeyboardEvent, at: EventTarget | null): boolean {
    const { replay, frame } = this;
    const pressed = at instanceof HTMLButtonElement || (at instanceof HTMLInputElement && at.type === "checkbox");
    const pans: Record<string, [number, number]> = {
      ArrowLeft: [-0.15, 0],
      ArrowRight: [0.15, 0],
      ArrowUp: [0, -0.15],
      ArrowDown: [0, 0.15],
    };
    const pan = pans[event.key];
    if (event.shiftKey && pan) {
      frame.panBy(...pan);
      return true;
    }
    const by = event.ctrlKey ? 10 : 1;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => this.stepBy(-by),
      ArrowRight: () => this.stepBy(by),
      Home: () => this.stepTo(0),
      End: () => this.stepTo(replay.last),
    };
    if (!event.ctrlKey) {
      Object.assign(acts, {
        ",": () => replay.setSpeed(replay.speed / 2),
        ".": () => replay.setSpeed(replay.speed * 2),
        "+": () => frame.zoomBy(1.5),
        "=": () => frame.zoomBy(1.5),
        "-": () => frame.zoomBy(1 / 1.5),
        f: () => frame.fit(),
        c: () => this.setCode(!this.withCode.checked),
        d: () => this.setDifference(!this.difference),
        t: () => this.setTree(!this.tree),
        o: () => {
          replay.loop = !replay.loop;
          replay.changed();
        },
        w: () => {
          replay.walk = WALKS[(WALKS.indexOf(replay.walk) + 1) % WALKS.length] as Walk;
        },
        "?": () => this.setOptions(this.options.hidden),
      });
      if (!pressed) acts[" "] = () => this.toggle();
    }
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    act?.();
    return act !== undefined;
  }
}

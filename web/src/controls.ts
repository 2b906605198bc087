/** Everything on the page besides the map: texts, the replay's bar, the options, and the keys. */

import { choice, element, icon, iconButton } from "./dom.ts";
import type { Live } from "./live.ts";
import { Profile } from "./profile.ts";
import type { Contents, Heading } from "./read.ts";
import { type Replay, WALKS, type Walk } from "./replay.ts";
import { countOf, nodeOf, sourceOf } from "./routes.ts";
import type { View } from "./view.ts";
import { lengthLabel, nodesText, scaleBar, type Words } from "./words.ts";

const SPEEDS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16];
const STOPS = 10_000;
const BETWEEN_TICKS = 6;

export class Controls {
  readonly root: HTMLElement;
  readonly map: HTMLElement;
  readonly roads = element("canvas", { class: "roads", "aria-hidden": "true" });
  readonly marks = element("canvas", { class: "marks", tabindex: 0, role: "application" });
  tree = false;
  /** What makes trees of other sources, null where none are made. */
  live: Live | null = null;
  private readonly heading: Heading;
  private readonly figures = element("dl", { class: "figures" });
  private readonly play: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly profile: Profile;
  private readonly treeButton: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly walk: HTMLSelectElement;
  private readonly theme: HTMLSelectElement;
  private readonly loop: HTMLInputElement;
  private readonly options: HTMLElement;
  private readonly more: HTMLButtonElement;
  private readonly legend = element("div", { class: "legend" });
  private readonly scale = element("div", { class: "scale" });
  private readonly held = element("dl", { class: "held" });
  private readonly tip = element("div", { class: "tip", hidden: true });
  private readonly route = element("div", { class: "route", role: "status", "aria-live": "polite" });
  private readonly target = element("input", { type: "text", inputmode: "numeric", autocomplete: "off", size: 9 });
  private readonly said = element("p", { class: "quiet", role: "status", "aria-live": "polite" });
  private view: View | null = null;

  constructor(
    private readonly page: Contents,
    private readonly replay: Replay,
    private readonly words: Words,
  ) {
    const heading = page.heading;
    this.heading = heading;
    const say = (text: string) => words.say(text);
    this.play = iconButton("play", say("Play"), "Space", () => this.toggle());
    this.play.classList.add("play");
    this.scrub = element("input", { type: "range", min: 0, max: STOPS, value: 0, "aria-label": say("Step") });
    this.scrub.addEventListener("input", () => {
      this.showSearch();
      replay.seekFraction(Number(this.scrub.value) / STOPS);
    });
    this.profile = new Profile(page);
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
    const find = element(
      "form",
      {},
      element("label", {}, element("span", {}, say("Route to node")), this.target),
      element("button", { type: "submit" }, say("Show")),
    );
    find.addEventListener("submit", (event) => {
      event.preventDefault();
      this.goTo(this.target.value);
    });
    this.options = element(
      "section",
      { class: "options", id: "options", hidden: true, "aria-label": say("Options") },
      walk.row,
      speed.row,
      theme.row,
      element("label", {}, element("span", {}, say("Repeat")), this.loop),
      find,
      this.said,
      this.keys(),
      element("p", { class: "quiet" }, heading.program),
    );
    this.more = iconButton("more", say("Options"), "?", () => this.setOptions(this.options.hidden));
    this.more.setAttribute("aria-expanded", "false");
    this.more.setAttribute("aria-controls", "options");

    this.marks.setAttribute(
      "aria-label",
      words.say("Map of {title}: {subtitle}", { title: heading.title, subtitle: heading.subtitle }),
    );
    this.map = element(
      "div",
      { class: "map" },
      this.roads,
      this.marks,
      element(
        "header",
        { class: "caption" },
        element("h1", {}, heading.title),
        element("p", {}, heading.subtitle),
        this.figures,
        this.route,
      ),
      this.held,
      element(
        "div",
        { class: "tools" },
        iconButton("plus", say("Zoom in"), "+", () => this.view?.zoomBy(1.5)),
        iconButton("minus", say("Zoom out"), "−", () => this.view?.zoomBy(1 / 1.5)),
        iconButton("fit", say("Show all"), "F", () => this.view?.fit()),
      ),
      element(
        "div",
        { class: "edge" },
        element("div", { class: "key" }, this.legend, this.scale),
        element("p", { class: "credit" }, heading.credit),
      ),
      this.tip,
    );
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
    this.root = element("main", {}, this.map, this.options, bar);
    this.showLegend();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** Take the map, which needs a place on the screen before it is made. */
  attach(view: View): void {
    this.view = view;
    view.pointed = (node, x, y) => this.showTip(node, x, y);
    view.chosen = (node) => this.setTarget(node < 0 ? node : nodeOf(this.page, this.page.ids[node] as number));
    view.moved = () => this.showScale();
    new ResizeObserver(() => this.thinTicks()).observe(this.legend);
    this.showRoute();
  }

  // --------------------------------------------------------------------------------------------- what is shown

  /** Show where the replay is. */
  follow(): void {
    const { page, replay, words, heading } = this;
    const { step } = replay;
    const of = (now: string, all: string) => words.say("{step} of {count}", { step: now, count: all });
    const place = of(words.count(step + 1), words.count(heading.steps));
    const figures: [string, string][] = this.tree
      ? heading.ending
      : [
          [words.say("step"), place],
          ...(replayTotal(page) > 0
            ? [
                [
                  words.say("traced time"),
                  of(words.milliseconds(replay.milliseconds), words.milliseconds(replayTotal(page))),
                ] as [string, string],
              ]
            : []),
          [words.say("frontier"), nodesText(words, page.size[step] as number)],
        ];
    fillFigures(this.figures, figures);
    const name = words.say(replay.playing ? "Pause" : "Play");
    if (this.play.getAttribute("aria-label") !== name) {
      this.play.replaceChildren(icon(replay.playing ? "pause" : "play"));
      this.play.setAttribute("aria-label", name);
      this.play.title = `${name} (Space)`;
    }
    this.showHeld();
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
    const rows = this.view?.held ?? [];
    this.held.hidden = !rows.length;
    this.held.replaceChildren(
      ...rows.flatMap(([title, nodes]) => [
        element("dt", {}, title),
        element("dd", {}, ...nodes.map(([name, key]) => element("span", {}, key ? `${name} ${key}` : name))),
      ]),
    );
  }

  private showLegend(): void {
    const { legend } = this.heading;
    const marks = legend.marks.map(([share, text]) => {
      const mark = element("span", { class: "tick" }, text);
      mark.style.left = `${100 * share}%`;
      if (share === 0) mark.classList.add("begin");
      if (share === 1) mark.classList.add("end");
      return mark;
    });
    this.legend.replaceChildren(
      element("p", {}, legend.title),
      element("div", { class: "colours" }),
      element("div", { class: "ticks", "aria-hidden": "true" }, ...marks),
    );
    this.legend.setAttribute("role", "img");
    this.legend.setAttribute("aria-label", `${legend.title}: ${legend.marks.map(([, text]) => text).join(", ")}`);
  }

  /** Leave out the texts of the legend that would touch the next one, from the last one on. */
  private thinTicks(): void {
    let free = Infinity;
    for (const mark of [...this.legend.querySelectorAll<HTMLElement>(".tick")].reverse()) {
      const { left, right, width } = mark.getBoundingClientRect();
      const fits = width > 0 && right + BETWEEN_TICKS <= free;
      mark.style.visibility = fits ? "" : "hidden";
      if (fits) free = left;
    }
  }

  private showScale(): void {
    const { view } = this;
    if (!view || !this.heading.on_earth || this.page.graph) return;
    const perPixel = view.camera.ratio / view.camera.scale;
    const metres = scaleBar(perPixel);
    const label = lengthLabel(metres);
    if (this.scale.dataset.label !== label + perPixel) {
      this.scale.dataset.label = label + perPixel;
      const bar = element("span", { class: "length" });
      bar.style.width = `${metres / perPixel}px`;
      this.scale.replaceChildren(bar, element("span", {}, label));
    }
  }

  private showTip(node: number, x: number, y: number): void {
    this.tip.hidden = node < 0;
    if (node < 0) return;
    this.tip.replaceChildren(...this.about(node).map((line) => element("p", {}, line)));
    const { clientWidth, clientHeight } = this.map;
    const right = x + 16 + this.tip.offsetWidth > clientWidth;
    const below = y + 16 + this.tip.offsetHeight > clientHeight;
    this.tip.style.left = `${right ? x - 12 - this.tip.offsetWidth : x + 16}px`;
    this.tip.style.top = `${below ? y - 12 - this.tip.offsetHeight : y + 16}px`;
  }

  /** What is known of a node, in lines. */
  private about(pointed: number): string[] {
    const { page, words, heading } = this;
    const node = nodeOf(page, page.ids[pointed] as number);
    const distance = page.distance[node] as number;
    const first = page.first[node] as number;
    const lines = [words.say("Node {id}", { id: this.nameOf(node) })];
    if (heading.on_earth && !page.graph) lines.push(words.place(page.x[node] as number, page.y[node] as number));
    lines.push(distance < 0 ? words.say("not reached") : words.distance(distance));
    if (first >= 0 && !this.live?.moved) lines.push(words.say("first reached in step {step}", { step: first + 1 }));
    return lines;
  }

  /** Return what a node is called: by its id in the file, on a small graph by its name. */
  nameOf(node: number): string {
    return this.page.graph?.names[node] ?? String(this.page.ids[node]);
  }

  private showRoute(): void {
    const { view, page, words } = this;
    const target = view?.target ?? -1;
    this.route.replaceChildren();
    if (!view || target < 0) return;
    const distance = page.distance[target] as number;
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
    this.showLegend();
    this.thinTicks();
    this.showRoute();
    this.replay.changed();
  }

  /** Take what makes trees of other sources, and ask for these by their ids too. */
  takeLive(live: Live): void {
    this.live = live;
    const say = (text: string) => this.words.say(text);
    const id = element("input", { type: "text", inputmode: "numeric", autocomplete: "off", size: 9 });
    const form = element(
      "form",
      {},
      element("label", {}, element("span", {}, say("Source at node")), id),
      element("button", { type: "submit" }, say("Show")),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const node = this.nodeNamed(id.value);
      if (node >= 0) live.move(sourceOf(this.page, node));
    });
    this.said.before(form);
  }

  setTarget(node: number): void {
    this.view?.setTarget(node);
    this.showRoute();
    this.replay.changed();
  }

  /** Show the route to a node by its id in the file, or its name. */
  goTo(text: string): void {
    const node = this.nodeNamed(text);
    if (node < 0) return;
    this.setTarget(node);
    this.view?.reveal(node);
  }

  /** Return the node of an id of the file, or of a name, or say that there is none and return -1. */
  private nodeNamed(text: string): number {
    const named = this.page.graph?.names.indexOf(text.trim()) ?? -1;
    const id = named >= 0 ? (this.page.ids[named] as number) : /^\s*-?\d+\s*$/.test(text) ? Number(text) : Number.NaN;
    const node = nodeOf(this.page, id);
    this.said.textContent = node < 0 ? this.words.say("There is no node {id}.", { id: text.trim() || "—" }) : "";
    return node;
  }

  setTheme(name: string): void {
    const theme = this.heading.themes[name];
    if (!theme) return;
    const root = document.documentElement;
    for (const [key, value] of Object.entries(theme.interface)) root.style.setProperty(`--${key}`, value);
    for (const key of ["background", "ink", "casing"] as const) root.style.setProperty(`--map-${key}`, theme.map[key]);
    const stops = theme.gradient.map(([red, green, blue]) => `rgb(${red} ${green} ${blue})`);
    root.style.setProperty("--gradient", `linear-gradient(90deg, ${stops.join(", ")})`);
    root.style.setProperty("--text-scale", String(theme.text));
    root.style.setProperty("--quiet", theme.map.plain ? "1" : "0.66");
    root.style.colorScheme = name === "dark" ? "dark" : "light";
    this.theme.value = name;
    this.view?.setTheme(name);
    this.profile.setColours(theme.interface);
    this.replay.changed();
  }

  private setOptions(open: boolean): void {
    this.options.hidden = !open;
    this.more.setAttribute("aria-expanded", String(open));
    if (open) this.walk.focus();
    else this.more.focus();
  }

  private keys(): HTMLElement {
    const { words } = this;
    const rows = [
      ["Space", "Play or pause"],
      ["← →", "One step; with Ctrl ten"],
      ["Home End", "First and last step"],
      [", .", "Slower and faster"],
      ["W", "By step, by time, by distance"],
      ["T", "Search or finished tree"],
      ["O", "Repeat"],
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
    const { replay, view } = this;
    const pressed = at instanceof HTMLButtonElement || (at instanceof HTMLInputElement && at.type === "checkbox");
    const pans: Record<string, [number, number]> = {
      ArrowLeft: [-0.15, 0],
      ArrowRight: [0.15, 0],
      ArrowUp: [0, -0.15],
      ArrowDown: [0, 0.15],
    };
    const pan = pans[event.key];
    if (event.shiftKey && pan) {
      view?.panBy(...pan);
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
        "+": () => view?.zoomBy(1.5),
        "=": () => view?.zoomBy(1.5),
        "-": () => view?.zoomBy(1 / 1.5),
        f: () => view?.fit(),
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

let totals: WeakMap<Contents, number> | null = null;

/** Milliseconds of the whole traced run. */
function replayTotal(page: Contents): number {
  totals ??= new WeakMap();
  let found = totals.get(page);
  if (found === undefined) {
    found = page.time.reduce((sum, each) => sum + each, 0) / 1e6;
    totals.set(page, found);
  }
  return found;
}

/** Write figures into a list of terms; what is there stays, so that a screen reader is not told everything anew. */
function fillFigures(list: HTMLElement, figures: [string, string][]): void {
  if (list.children.length !== figures.length) {
    list.replaceChildren(...figures.map(() => element("div", {}, element("dt"), element("dd"))));
  }
  figures.forEach(([caption, text], index) => {
    const [term, value] = list.children[index]?.children ?? [];
    if (term && term.textContent !== caption) term.textContent = caption;
    if (value && value.textContent !== text) value.textContent = text;
  });
}

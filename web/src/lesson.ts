/** The page of a lesson: its moments one after another, each a search at a step, with text and what it asks. */

import { element } from "./dom.ts";
import { FlowsPage } from "./flows.ts";
import { applyTheme } from "./frame.ts";
import { listen, themeOf } from "./outside.ts";
import { type Contents, DamagedPage, type Extent } from "./read.ts";
import { nodeNamed } from "./routes.ts";
import type { Signs } from "./signs.ts";
import { type Stage, stageOf } from "./stage.ts";
import type { Words } from "./words.ts";

/** A text, or an element with what is in it. */
export type Rich = string | [string, ...Rich[]];

interface Question {
  text: Rich[];
  answer: Rich[];
  choices: Rich[][];
  right: number;
}

interface Moment {
  title: Rich[];
  text: Rich[];
  /** Which of the page's searches are shown; none where a picture is. */
  searches: number[];
  /** The step that is shown, -1 before the first; `finished` is the tree. */
  step: number;
  finished: boolean;
  view: Extent | null;
  nodes: number[];
  arcs: [number, number][];
  target: number;
  code: boolean;
  picture: string;
  question: Question | null;
  predict: { text: string; expected: number[] } | null;
}

export interface Lesson {
  title: string;
  about: string;
  moments: Moment[];
}

/** What a text may have in it: anything else would be shown as text. */
const TAGS = ["p", "ul", "li", "b", "i", "code", "sub", "sup"] as const;

function made(parts: readonly Rich[]): (Node | string)[] {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    const [name, ...inside] = part;
    const tag = TAGS.find((each) => each === name) ?? "span";
    return element(tag, {}, ...made(inside));
  });
}

/** What a moment shows on the left. */
type Board = { stage: Stage | null; frame(now: number): boolean; dispose(): void };

export class LessonPage {
  private index = -1;
  private board: Board | null = null;
  private shown = "";
  private revealed = false;
  private chosen = -1;
  private picked: number[] = [];
  private pickForm: HTMLElement | null = null;
  private readonly place = element("p", { class: "quiet place-of" });
  private readonly about = element("p", { class: "quiet" });
  private readonly heading = element("h2", { tabindex: -1 });
  private readonly text = element("div", { class: "prose" });
  private readonly asks = element("div", { class: "asks" });
  private readonly said = element("div", { class: "said", role: "status", "aria-live": "polite" });
  private readonly back: HTMLButtonElement;
  private readonly answer: HTMLButtonElement;
  private readonly next: HTMLButtonElement;
  private readonly left = element("div", { class: "board" });
  private readonly prose: HTMLElement;

  constructor(
    private readonly lesson: Lesson,
    private readonly searches: readonly Contents[],
    private readonly words: Words,
    private readonly asked: URLSearchParams,
    put: (root: HTMLElement) => void,
  ) {
    check(lesson, searches);
    const { heading } = searches[0] as Contents;
    applyTheme(heading, themeOf(heading, asked));
    const button = (text: string, key: string, act: () => void) => {
      const made = element("button", { type: "button", class: "word", title: `${words.say(text)} (${key})` });
      made.append(words.say(text));
      made.addEventListener("click", act);
      return made;
    };
    this.back = button("Back", "PgUp", () => this.goTo(this.index - 1));
    this.answer = button("Show the answer", "Q", () => this.reveal());
    this.next = button("Next", "PgDn", () => this.goOn());
    this.next.classList.add("strong");
    this.prose = element(
      "div",
      { class: "words" },
      element("h1", {}, lesson.title),
      this.about,
      this.place,
      this.heading,
      this.text,
      this.asks,
      this.said,
    );
    const way = element("nav", { class: "way", "aria-label": lesson.title }, this.back, this.answer, this.next);
    put(element("div", { class: "lesson" }, this.left, element("section", { class: "column" }, this.prose, way)));
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("message", (event: MessageEvent<{ wayfront?: string; value?: unknown } | null>) => {
      const { wayfront: what, value } = event.data ?? {};
      if (what === "moment" && Number.isInteger(value)) this.goTo((value as number) - 1);
    });
    this.goTo(Math.min(Math.max(Math.round(Number(asked.get("moment"))) || 1, 1), lesson.moments.length) - 1);
  }

  frame(now: number, seconds: number): boolean {
    this.board?.stage?.replay.advance(seconds);
    return this.board ? this.board.frame(now) : false;
  }

  // ------------------------------------------------------------------------------------------------- moments

  private get moment(): Moment {
    return this.lesson.moments[this.index] as Moment;
  }

  private get waits(): boolean {
    return (this.moment.question !== null || this.moment.predict !== null) && !this.revealed;
  }

  private goOn(): void {
    if (this.waits) this.reveal();
    else this.goTo(this.index + 1);
  }

  private goTo(index: number): void {
    if (index < 0 || index >= this.lesson.moments.length || index === this.index) return;
    const onward = index === this.index + 1;
    this.index = index;
    [this.revealed, this.chosen, this.picked] = [false, -1, []];
    this.setUp(onward);
    this.showWords();
    if (onward && index) this.heading.focus({ preventScroll: true });
    this.prose.scrollTop = 0;
  }

  /** Show the moment's searches at its step; from the moment before they go on to there. */
  private setUp(onward: boolean): void {
    const { moment } = this;
    const key = moment.picture ? moment.picture : moment.searches.join();
    const same = key === this.shown && this.board !== null;
    if (!same) {
      this.board?.dispose();
      this.board = moment.picture ? this.pictured(moment.picture) : this.played(moment.searches);
      this.shown = key;
    }
    const stage = this.board?.stage;
    if (!stage) return;
    const { replay, controls } = stage;
    const home = moment.view ?? stage.searches[0].heading.home;
    for (const view of stage.views) if (view.home.join() !== home.join()) view.showPart(home);
    controls.setCode(moment.code);
    controls.picks = moment.predict ? (node) => this.pick(node) : null;
    const route = stage.searches[0].heading.route.at(-1) ?? -1;
    controls.setTarget(moment.target >= 0 ? moment.target : route);
    this.showSigns();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const finish = () => {
      if (moment.finished) controls.setTree(true);
    };
    const from = same && onward ? replay.position : -1;
    controls.tree = false;
    if (onward && !still && from < moment.step) {
      replay.seek(Math.max(from, replay.least));
      replay.playTo(moment.step, finish);
    } else {
      replay.pause();
      replay.seek(moment.step);
      finish();
    }
  }

  private pictured(picture: string): Board {
    const alt = made(this.moment.title)
      .map((part) => (typeof part === "string" ? part : (part.textContent ?? "")))
      .join("");
    this.left.replaceChildren(element("img", { src: picture, alt }));
    return { stage: null, frame: () => !document.documentElement.dataset.ready, dispose: () => {} };
  }

  private played(numbers: readonly number[]): Board {
    const searches = numbers.map((number) => this.searches[number]) as [Contents, ...Contents[]];
    const put = (root: HTMLElement) => this.left.replaceChildren(root);
    if (searches[0].rivers) {
      const page = new FlowsPage(searches[0], this.words, this.asked, put);
      return { stage: null, frame: (now) => page.frame(now), dispose: () => page.dispose() };
    }
    const stage = stageOf(searches, this.words, this.asked, put);
    stage.replay.walk = "step";
    stage.replay.least = stage.searches[0].graph ? -1 : 0;
    const leaves = new AbortController();
    listen(stage, leaves.signal, () => ({ moment: this.index + 1, revealed: this.revealed }));
    return {
      stage,
      frame: (now) => stage.frame(now),
      dispose: () => {
        leaves.abort();
        stage.dispose();
      },
    };
  }

  // ----------------------------------------------------------------------------------------------- questions

  private pick(node: number): void {
    if (this.revealed) return;
    this.picked = this.picked.includes(node) ? this.picked.filter((each) => each !== node) : [...this.picked, node];
    this.showSigns();
    this.showAsks();
  }

  private choose(choice: number): void {
    if (this.revealed) return;
    this.chosen = choice;
    this.reveal();
  }

  private reveal(): void {
    if (!this.waits) return;
    this.revealed = true;
    const stage = this.board?.stage;
    if (this.moment.predict && stage) {
      stage.controls.tree = false;
      stage.replay.pause();
      stage.replay.seek(this.moment.step + 1);
    }
    this.showSigns();
    this.showWords();
    this.said.scrollIntoView({ block: "nearest" });
  }

  private showSigns(): void {
    const { moment, picked } = this;
    const expected = moment.predict?.expected ?? [];
    const told = this.revealed && moment.predict !== null;
    const signs: Signs = {
      nodes: moment.nodes,
      arcs: moment.arcs,
      picked: told ? [] : picked,
      right: told ? picked.filter((node) => expected.includes(node)) : [],
      wrong: told ? picked.filter((node) => !expected.includes(node)) : [],
      missed: told ? expected.filter((node) => !picked.includes(node)) : [],
    };
    for (const view of this.board?.stage?.views ?? []) {
      view.signs = signs;
      view.changed();
    }
  }

  private showWords(): void {
    const { moment, words } = this;
    this.place.textContent = words.say("Moment {at} of {all}", { at: this.index + 1, all: this.lesson.moments.length });
    this.about.textContent = this.index ? "" : this.lesson.about;
    this.heading.replaceChildren(...made(moment.title));
    this.heading.hidden = !moment.title.length;
    this.text.replaceChildren(...made(moment.text));
    this.showAsks();
    this.said.replaceChildren(...this.answers());
    this.back.disabled = this.index === 0;
    this.answer.hidden = !this.waits;
    this.next.disabled = !this.waits && this.index + 1 === this.lesson.moments.length;
  }

  /** Show what is asked: the choices of a question, and the nodes that were picked. */
  private showAsks(): void {
    const { moment, words } = this;
    const { question, predict } = moment;
    const parts: HTMLElement[] = [];
    if (question) {
      parts.push(element("div", { class: "question" }, ...made(question.text)));
      const choices = question.choices.map((choice, index) => {
        const button = element("button", { type: "button", class: "choice" }, element("span", {}, ...made(choice)));
        if (this.revealed) {
          button.disabled = true;
          if (index === question.right) button.classList.add("right");
          else if (index === this.chosen) button.classList.add("wrong");
        }
        button.addEventListener("click", () => this.choose(index));
        return button;
      });
      if (choices.length) parts.push(element("div", { class: "choices", role: "group" }, ...choices));
    }
    if (predict) {
      const how = words.say("Click them on the map, or write their names; then show the answer.");
      parts.push(element("p", { class: "question" }, predict.text), element("p", { class: "quiet" }, how));
      if (!this.revealed) parts.push(this.picking());
      const taken = this.picked.map((node) => {
        const name = this.nameOf(node);
        const label = words.say("Take back node {id}", { id: name });
        const chip = element("button", { type: "button", class: "chip", "aria-label": label }, name);
        chip.disabled = this.revealed;
        chip.addEventListener("click", () => this.pick(node));
        return chip;
      });
      if (taken.length) parts.push(element("div", { class: "chips" }, ...taken));
    } else {
      this.pickForm = null;
    }
    this.asks.replaceChildren(...parts);
  }

  /** Return what nodes are written into, which keeps what is in it. */
  private picking(): HTMLElement {
    if (this.pickForm) return this.pickForm;
    const { words } = this;
    const input = element("input", { type: "text", autocomplete: "off", size: 8, "aria-label": words.say("Node") });
    const form = element("form", {}, input, element("button", { type: "submit" }, words.say("Choose")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const page = this.board?.stage?.searches[0];
      if (!page) return;
      const node = nodeNamed(page, input.value);
      this.said.textContent = node < 0 ? words.say("There is no node {id}.", { id: input.value.trim() || "—" }) : "";
      if (node < 0) return;
      input.value = "";
      this.pick(node);
      input.focus();
    });
    this.pickForm = form;
    return form;
  }

  private nameOf(node: number): string {
    const page = this.board?.stage?.searches[0];
    return page?.graph?.names[node] ?? String(page?.ids[node] ?? node);
  }

  private answers(): HTMLElement[] {
    if (!this.revealed) return [];
    const { moment, words } = this;
    const { question, predict } = moment;
    const parts: HTMLElement[] = [];
    const verdict = (kind: string, ...inside: (Node | string)[]) =>
      parts.push(element("p", { class: `verdict ${kind}` }, ...inside));
    if (question?.choices.length) {
      const right = made(question.choices[question.right] as Rich[]);
      if (this.chosen === question.right) verdict("right", words.say("Right: {right}", { right: "" }), ...right);
      else if (this.chosen < 0) verdict("", words.say("The answer: {right}", { right: "" }), ...right);
      else verdict("wrong", words.say("Not quite. The answer: {right}", { right: "" }), ...right);
    }
    if (predict) {
      const right = this.picked.filter((node) => predict.expected.includes(node)).length;
      const wrong = this.picked.length - right;
      const missed = predict.expected.length - right;
      if (!wrong && !missed) {
        const count = predict.expected.length;
        const text = count === 1 ? "Right: exactly this node." : "Right: exactly these {count} nodes.";
        verdict("right", words.say(text, { count }));
      } else {
        verdict("wrong", words.say("{right} right, {wrong} wrong, {missed} missed", { right, wrong, missed }));
        const nodes = predict.expected.map((node) => this.nameOf(node)).join(", ");
        parts.push(element("p", {}, words.say("The next step expands: {nodes}", { nodes })));
      }
    }
    if (question) parts.push(...(made(question.answer) as HTMLElement[]));
    return parts;
  }

  private key(event: KeyboardEvent): void {
    const at = event.target;
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    if (at instanceof HTMLSelectElement || (at instanceof HTMLInputElement && at.type === "text")) return;
    const acts: Record<string, (() => void) | undefined> = {
      PageDown: () => this.goOn(),
      PageUp: () => this.goTo(this.index - 1),
      q: () => this.reveal(),
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    act?.();
    if (act) event.preventDefault();
  }
}

/** Throw `DamagedPage` where a moment shows what is not there. */
function check(lesson: Lesson, searches: readonly Contents[]): void {
  const holds = lesson.moments.every((moment) => {
    const [first, ...others] = moment.searches.map((number) => searches[number]);
    if (!first) return /^data:image\/png;base64,[A-Za-z0-9+/=]+$/.test(moment.picture);
    const within = (node: number) => Number.isInteger(node) && node >= 0 && node < first.heading.nodes;
    return (
      others.every((other) => other !== undefined && other.heading.steps > 0) &&
      (first.rivers !== null || first.heading.steps > 0) &&
      [...moment.nodes, ...moment.arcs.flat(), ...(moment.predict?.expected ?? [])].every(within) &&
      (moment.target === -1 || within(moment.target)) &&
      (moment.question === null || moment.question.right < moment.question.choices.length)
    );
  });
  if (!lesson.moments.length || !holds) throw new DamagedPage("its lesson shows what it does not hold");
}

/** The page of what streets carry: a map to move about on, and what each road has. */

import { choice, element, iconButton } from "./dom.ts";
import { Frame } from "./frame.ts";
import { textOf, themeOf } from "./outside.ts";
import type { Contents } from "./read.ts";
import { factsOf, type Rivers } from "./rivers.ts";
import { nodeOf } from "./routes.ts";
import { View } from "./view.ts";
import type { Words } from "./words.ts";

export class FlowsPage {
  private readonly frameRound: Frame;
  private readonly view: View;
  private readonly options: HTMLElement;
  private readonly more: HTMLButtonElement;
  private readonly leaves = new AbortController();

  constructor(page: Contents, words: Words, asked: URLSearchParams, put: (root: HTMLElement) => void) {
    const { heading } = page;
    const rivers = page.rivers as Rivers;
    const themes = Object.keys(heading.themes).map((name) => [name, words.say(`theme ${name}`)] as const);
    const theme = choice(words.say("Theme"), themes, (name) => this.frameRound.setTheme(name));
    const keys = [
      ["← ↑ → ↓", "Move the map"],
      ["+ − F", "Zoom in and out, show all"],
    ] as const;
    this.options = element(
      "section",
      { class: "options", id: "options", hidden: true, "aria-label": words.say("Options") },
      theme.row,
      element(
        "dl",
        { class: "keys" },
        ...keys.flatMap(([key, what]) => [element("dt", {}, key), element("dd", {}, words.say(what))]),
      ),
      element("p", { class: "quiet" }, heading.program),
    );
    this.more = iconButton("more", words.say("Options"), "?", () => this.setOptions(this.options.hidden));
    this.more.setAttribute("aria-expanded", "false");
    this.more.setAttribute("aria-controls", "options");
    this.frameRound = new Frame(page, words, null);
    this.frameRound.root.querySelector(".tools")?.append(this.more);
    this.frameRound.themed = (name) => {
      theme.select.value = name;
    };
    put(element("main", { class: "flowing" }, this.frameRound.root, this.options));
    const name = themeOf(heading, asked);
    this.view = new View(page, this.frameRound.roads, this.frameRound.marks, name, asked.get("draw"));
    this.frameRound.attach([this.view]);
    this.view.show({ step: 0, tree: true });
    this.view.pointed = (edge, x, y) => {
      const facts = edge < 0 ? [] : factsOf(rivers, edge, words);
      this.frameRound.showTip(
        facts.map(([caption, text]) => `${caption}: ${text}`),
        this.view.place,
        x,
        y,
      );
    };
    this.frameRound.setTheme(name);
    const { signal } = this.leaves;
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    const answer = (event: MessageEvent<{ wayfront?: string; value?: unknown } | null>) => {
      const { wayfront: what, value } = event.data ?? {};
      if (what === "theme") this.frameRound.setTheme(textOf(value));
      else if (what === "fit") this.frameRound.fit();
      else if (what !== "state" && what !== "place") return;
      const node = what === "place" && typeof value === "number" ? nodeOf(page, value) : -1;
      const { scale, left, top } = this.view.camera;
      const now = { wayfront: "now", view: { scale, left, top }, frame_ms: this.view.frameMs };
      const place = { wayfront: "place", node: value, place: node < 0 ? null : this.view.placeOf(node) };
      (event.source as Window | null)?.postMessage(what === "place" ? place : now, "*");
    };
    window.addEventListener("message", answer, { signal });
  }

  /** Leave the screen. */
  dispose(): void {
    this.leaves.abort();
    this.frameRound.dispose();
  }

  frame(now: number): boolean {
    return this.view.frame(now);
  }

  private setOptions(open: boolean): void {
    this.options.hidden = !open;
    this.more.setAttribute("aria-expanded", String(open));
    if (open) this.options.querySelector("select")?.focus();
    else this.more.focus();
  }

  private key(event: KeyboardEvent): void {
    const { frameRound: frame } = this;
    if (event.key === "Escape" && !this.options.hidden) this.setOptions(false);
    if (event.altKey || event.metaKey || event.ctrlKey || event.target instanceof HTMLSelectElement) return;
    const acts: Record<string, (() => void) | undefined> = {
      ArrowLeft: () => frame.panBy(-0.15, 0),
      ArrowRight: () => frame.panBy(0.15, 0),
      ArrowUp: () => frame.panBy(0, -0.15),
      ArrowDown: () => frame.panBy(0, 0.15),
      "+": () => frame.zoomBy(1.5),
      "=": () => frame.zoomBy(1.5),
      "-": () => frame.zoomBy(1 / 1.5),
      f: () => frame.fit(),
      "?": () => this.setOptions(this.options.hidden),
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    act?.();
    if (act) event.preventDefault();
  }
}

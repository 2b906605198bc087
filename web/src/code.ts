/** The lines of an algorithm's pseudo-code, with those that the shown step runs, and the one where it does most. */

import { element } from "./dom.ts";
import type { Contents } from "./read.ts";
import type { Words } from "./words.ts";

export class Code {
  readonly root: HTMLElement;
  private readonly lines: HTMLElement[];
  private shown = -2;

  constructor(
    private readonly page: Contents,
    words: Words,
  ) {
    const code = page.heading.code?.lines ?? [];
    this.lines = code.map((line) => element("li", {}, line || "\u00a0"));
    this.root = element("ol", { class: "code", "aria-label": words.say("Pseudo-code") }, ...this.lines);
  }

  get empty(): boolean {
    return !this.lines.length;
  }

  /** Show the lines of a step, of the finished tree none. */
  show(step: number, tree: boolean): void {
    const run = tree ? -1 : (this.page.code?.[step] ?? -1);
    if (run === this.shown) return;
    this.shown = run;
    const [atWork, lines] = this.page.heading.code?.runs[run] ?? [-1, []];
    this.lines.forEach((line, index) => {
      line.classList.toggle("idle", run >= 0 && !lines.includes(index));
      if (index === atWork) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
    const line = this.lines[atWork];
    if (!line) return;
    const { scrollTop, clientHeight } = this.root;
    const below = line.offsetTop + line.offsetHeight - clientHeight;
    this.root.scrollTop = Math.max(Math.min(scrollTop, line.offsetTop), below);
  }
}

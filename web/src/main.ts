/** Begins: reads the page's data, shows what it holds, and draws a frame whenever something has changed. */

import { element } from "./dom.ts";
import { FlowsPage } from "./flows.ts";
import { LessonPage } from "./lesson.ts";
import { Live } from "./live.ts";
import { goTo, listen, parameters, treesOf } from "./outside.ts";
import { type Contents, DamagedPage, type Heading, readContents, readHeading } from "./read.ts";
import { nodeOf, sourceOf } from "./routes.ts";
import { type Stage, stageOf } from "./stage.ts";
import { Words } from "./words.ts";

/** What is shown, told the time before each frame; it returns whether it drew anything. */
interface Shown {
  frame(now: number, seconds: number): boolean;
  /** Called once the first picture is there. */
  begun?(): void;
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

async function begin(): Promise<void> {
  const heading = readHeading(textOf("heading"));
  const words = new Words(heading);
  const searches = await readContents(heading, textOf("data").trim());
  document.getElementById("data")?.remove();
  const asked = parameters();
  document.body.classList.toggle("embedded", asked.has("embed") || heading.embedded);
  run(shown(heading, searches, words, asked));
}

function shown(heading: Heading, searches: Contents[], words: Words, asked: URLSearchParams): Shown {
  const put = (root: HTMLElement) => document.body.replaceChildren(root);
  const [first, ...others] = searches as [Contents, ...Contents[]];
  if (heading.lesson) return new LessonPage(heading.lesson, searches, words, asked, put);
  if (first.rivers) return new FlowsPage(first, words, asked, put);
  const stage = stageOf(heading.shows === "race" ? [first, ...others] : [first], words, asked, put);
  const { controls, replay } = stage;
  const target = asked.get("target");
  if (target !== null && nodeOf(first, Number(target)) >= 0) controls.setTarget(nodeOf(first, Number(target)));
  controls.setDifference(asked.has("difference"));
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const there = goTo(asked.get("t") ?? heading.moment, controls, replay);
  const embedded = document.body.classList.contains("embedded");
  if (asked.has("play") || !(there || still || embedded)) replay.play();
  else if (!there) controls.setTree(true);
  replay.changed();
  if (!stage.race) hearProgram(stage, words);
  listen(stage, new AbortController().signal);
  return {
    frame: (now, seconds) => {
      replay.advance(seconds);
      return stage.frame(now);
    },
    begun: () => {
      if (first.live && !stage.race) makeLive(stage, words, asked.get("source"));
    },
  };
}

function run(what: Shown): void {
  // Of many frames in an article those play that somebody sees.
  let seen = true;
  new IntersectionObserver(([entry]) => {
    seen = entry?.isIntersecting ?? true;
  }).observe(document.body);
  let before = performance.now();
  const frame = (now: number) => {
    const drawn = what.frame(now, seen ? Math.min(Math.max(now - before, 0), 250) / 1000 : 0);
    before = now;
    if (drawn && !document.documentElement.dataset.ready) {
      document.documentElement.dataset.ready = String(Math.round(performance.now()));
      what.begun?.();
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** Let the source be dragged, and begin at another one if that is asked for. */
function makeLive({ searches, views, controls }: Stage, words: Words, source: string | null): void {
  const [page] = searches;
  const live = new Live(page, views[0], controls, words);
  const node = source === null ? -1 : nodeOf(page, Number(source));
  if (node >= 0) live.move(sourceOf(page, node));
}

/** Let the program that a page is shown by make trees, where the page itself makes none. */
function hearProgram({ searches, views, controls }: Stage, words: Words): void {
  const [page] = searches;
  const program = window.parent;
  window.addEventListener("message", ({ source, data }: MessageEvent<{ wayfront?: unknown } | null>) => {
    if (data?.wayfront !== "serve" || source !== program || program === window) return;
    if (!page.live && !page.graph && !controls.live) new Live(page, views[0], controls, words, treesOf(page, program));
  });
}

begin().catch((problem: unknown) => {
  if (!(problem instanceof DamagedPage) && !(problem instanceof SyntaxError)) throw problem;
  const why = problem instanceof DamagedPage ? problem.message : "its heading cannot be read";
  const text = `This page cannot be shown: ${why}.`;
  document.body.replaceChildren(element("p", { class: "problem", role: "alert" }, text));
  document.documentElement.dataset.ready = "failed";
});

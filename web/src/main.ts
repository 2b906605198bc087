/** Begins: reads the page's data, puts map and controls on it, and draws a frame whenever something has changed. */

import { Controls } from "./controls.ts";
import { element } from "./dom.ts";
import { Live } from "./live.ts";
import { goTo, listen, parameters } from "./outside.ts";
import { type Contents, DamagedPage, readContents, readHeading } from "./read.ts";
import { Replay, WALKS, type Walk } from "./replay.ts";
import { nodeOf, sourceOf } from "./routes.ts";
import { View } from "./view.ts";
import { Words } from "./words.ts";

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

async function begin(): Promise<void> {
  const heading = readHeading(textOf("heading"));
  const words = new Words(heading);
  const page = await readContents(heading, textOf("data").trim());
  document.getElementById("data")?.remove();
  show(page, words);
}

function show(page: Contents, words: Words): void {
  const { heading } = page;
  const asked = parameters();
  const replay = new Replay(page);
  const controls = new Controls(page, replay, words);
  const embedded = asked.has("embed") || heading.embedded;
  document.body.classList.toggle("embedded", embedded);
  document.body.replaceChildren(controls.root);
  const wanted = asked.get("theme") ?? heading.theme;
  const theme = heading.themes[wanted] ? wanted : heading.theme;
  const view = new View(page, controls.roads, controls.marks, theme, asked.get("draw"));
  controls.attach(view);
  controls.setTheme(theme);

  replay.changed = () => {
    view.show({ step: replay.position, tree: controls.tree });
    controls.follow();
  };
  replay.ended = () => controls.setTree(true);
  const walk = asked.get("walk") ?? heading.walk;
  if (WALKS.includes(walk as Walk)) replay.walk = walk as Walk;
  const speed = Number(asked.get("speed"));
  if (speed > 0) replay.setSpeed(speed);
  replay.loop = asked.has("loop");
  const target = asked.get("target");
  if (target !== null && nodeOf(page, Number(target)) >= 0) controls.setTarget(nodeOf(page, Number(target)));
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const there = goTo(asked.get("t") ?? heading.moment, controls, replay);
  if (asked.has("play") || !(there || still || embedded)) replay.play();
  else if (!there) controls.setTree(true);
  replay.changed();
  listen(page, controls, replay, view);

  let before = performance.now();
  const frame = (now: number) => {
    replay.advance(Math.min(Math.max(now - before, 0), 250) / 1000);
    before = now;
    if (view.frame(now) && !document.documentElement.dataset.ready) {
      document.documentElement.dataset.ready = String(Math.round(performance.now()));
      if (page.live) makeLive(page, view, controls, words, asked.get("source"));
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** Let the source be dragged, and begin at another one if that is asked for. */
function makeLive(page: Contents, view: View, controls: Controls, words: Words, source: string | null): void {
  const live = new Live(page, view, controls, words);
  const node = source === null ? -1 : nodeOf(page, Number(source));
  if (node >= 0) live.move(sourceOf(page, node));
}

begin().catch((problem: unknown) => {
  if (!(problem instanceof DamagedPage) && !(problem instanceof SyntaxError)) throw problem;
  const why = problem instanceof DamagedPage ? problem.message : "its heading cannot be read";
  const text = `This page cannot be shown: ${why}.`;
  document.body.replaceChildren(element("p", { class: "problem", role: "alert" }, text));
  document.documentElement.dataset.ready = "failed";
});

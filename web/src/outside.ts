/** How slides and articles speak to the page: parts of its address, and messages. */

import { type Clock, WALKS, type Walk } from "./clock.ts";
import type { Controls } from "./controls.ts";
import type { Trees } from "./live.ts";
import type { Contents, Heading } from "./read.ts";
import { distanceOf, nodeOf, sourceOf } from "./routes.ts";
import type { Stage } from "./stage.ts";

/** Return the parts of the address: those after `?`, and where a frame leaves no room for these, after `#`. */
export function parameters(): URLSearchParams {
  const all = new URLSearchParams(location.search);
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) all.set(name, value);
  return all;
}

/** Return the theme that the address asks for, where there is one of that name, or else the page's. */
export function themeOf({ themes, theme }: Heading, asked: URLSearchParams): string {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const name = asked.get("theme") ?? theme;
  const wanted = name === "auto" ? (dark ? "dark" : "light") : name;
  return themes[wanted] ? wanted : theme;
}

/**
 * Go to a moment: `tree`, a share such as `40%`, or the number of a step, from 1. Return whether it is one.
 */
export function goTo(moment: string, controls: Controls, replay: Clock): boolean {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(moment);
  if (moment === "tree") controls.setTree(true);
  else if (share) {
    controls.stepTo(0);
    replay.seekFraction(Math.min(Number(share[1]) / 100, 1));
  } else if (/^\d+(\.\d+)?$/.test(moment)) controls.stepTo(Number(moment) - 1);
  else return false;
  return true;
}

interface Message {
  wayfront: string;
  value?: unknown;
}

/** A tree that the program sends: distances, -1 without a way, and parents by their numbers, -1 for none. */
interface Given extends Message {
  source: number;
  ms: number;
  distances: Int32Array | Float64Array;
  parents: Int32Array;
}

/** Return what asks the program that a page is shown by for trees. */
export function treesOf(page: Contents, program: Window): Trees {
  return (source) =>
    new Promise((resolve, reject) => {
      const take = ({ data, source: from }: MessageEvent<Given | null>) => {
        if (from !== program || data?.wayfront !== "given") return;
        window.removeEventListener("message", take);
        const { distances, parents, ms } = data;
        const { nodes } = page.heading;
        if (data.source === source && distances?.length === nodes && areTrees(parents, nodes))
          resolve({ distance: Float64Array.from(distances), parent: parents, ms });
        else reject(new Error("no tree"));
      };
      window.addEventListener("message", take);
      program.postMessage({ wayfront: "want", source }, "*");
    });
}

/** Return whether something is the parents of so many nodes, of which none is above itself. */
function areTrees(parents: unknown, nodes: number): parents is Int32Array {
  if (!(parents instanceof Int32Array) || parents.length !== nodes) return false;
  // Of each node: 1 + the node from which a walk up came here first.
  const walked = new Int32Array(nodes);
  for (let node = 0; node < nodes; node++) {
    let at = node;
    while (at >= 0 && !walked[at]) {
      walked[at] = node + 1;
      at = parents[at] as number;
      if (at >= nodes) return false;
    }
    if (at >= 0 && walked[at] === node + 1) return false;
  }
  return true;
}

/** Return a text or a number of a message as a text; anything else is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Answer the messages of what the page is embedded in: `{wayfront: "play"}`, `{wayfront: "at", value: "40%"}` … */
export function listen(stage: Stage, signal: AbortSignal, more: () => object = () => ({})): void {
  const { replay, controls } = stage;
  const page = stage.searches[0];
  const view = stage.views[0];
  const state = () => ({
    wayfront: "now",
    step: replay.position + 1,
    steps: page.heading.steps,
    fraction: replay.fraction,
    playing: replay.playing,
    speed: replay.speed,
    walk: replay.walk,
    loop: replay.loop,
    tree: controls.tree,
    difference: controls.difference,
    target: view.target < 0 ? null : page.ids[view.target],
    distance: view.target < 0 ? null : distanceOf(page, view.target),
    route: view.routeNodes.map((node) => page.ids[node]),
    source: page.ids[page.heading.source],
    view: { scale: view.camera.scale, left: view.camera.left, top: view.camera.top },
    moved: controls.live?.moved ?? false,
    trees: controls.live?.trees ?? 0,
    tree_ms: controls.live?.treeMs ?? null,
    lanes: stage.race?.lanes.map((lane) => lane.position + 1) ?? [],
    places: stage.race?.places() ?? [],
    raster_ms: view.rasterMs,
    frame_ms: view.frameMs,
    ...more(),
  });
  const acts: Record<string, (value: unknown) => void> = {
    play: () => {
      if (!replay.playing) controls.toggle();
    },
    pause: () => replay.pause(),
    at: (value) => {
      goTo(textOf(value), controls, replay);
    },
    step: (value) => controls.stepBy(Number.isInteger(value) ? (value as number) : 1),
    speed: (value) => {
      if (typeof value === "number" && value > 0) replay.setSpeed(value);
    },
    walk: (value) => {
      if (WALKS.includes(value as Walk)) replay.walk = value as Walk;
    },
    difference: (value) => controls.setDifference(value === true),
    theme: (value) => controls.setTheme(textOf(value)),
    target: (value) => controls.setTarget(typeof value === "number" ? nodeOf(page, value) : -1),
    source: (value) => {
      const node = typeof value === "number" ? nodeOf(page, value) : -1;
      if (node >= 0) controls.live?.move(sourceOf(page, node));
      else controls.live?.back();
    },
    fit: () => controls.frame.fit(),
    state: () => {},
    place: () => {},
    tree: () => {},
    serve: () => {},
  };
  /** Where a node is in the page's window, so that a slide can point at it. */
  const placeOf = (id: unknown) => {
    const node = typeof id === "number" ? nodeOf(page, id) : -1;
    return { wayfront: "place", node: id, place: node < 0 ? null : view.placeOf(node) };
  };
  /** The tree that is shown: ids, distances in raw weights, and ids of parents, null for none. */
  const treeOf = () => ({
    wayfront: "tree",
    source: page.ids[page.heading.source],
    nodes: Array.from(page.ids),
    distances: Array.from(page.distance),
    parents: Array.from(page.parent, (parent) => (parent < 0 ? null : (page.ids[parent] as number))),
  });
  const answer = (event: MessageEvent<Message | null>) => {
    const message = event.data;
    if (typeof message !== "object" || message === null || typeof message.wayfront !== "string") return;
    if (["place", "distances"].some((name) => Object.hasOwn(message, name))) return; // an answer that a page gets itself
    const act = Object.hasOwn(acts, message.wayfront) ? acts[message.wayfront] : undefined;
    if (!act) return;
    act(message.value);
    const { wayfront, value } = message;
    const said = wayfront === "place" ? placeOf(value) : wayfront === "tree" ? treeOf() : state();
    // A page on a disk has no origin that could be named.
    (event.source as Window | null)?.postMessage(said, "*");
  };
  window.addEventListener("message", answer, { signal });
}

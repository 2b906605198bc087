/** The tree of a source that is dragged: made by a worker in the page, or by the program that the page is shown by. */

import type { Controls } from "./controls.ts";
import { type Answer, type Arrays, type Ask, type Begin, Maker } from "./maker.ts";
import type { Contents, Heading } from "./read.ts";
import type { View } from "./view.ts";
import { nodesText, type Words } from "./words.ts";

/** The text of `worker.ts`, which the build puts here. */
declare const WORKER: string;

/** What somebody else makes trees by. */
export type Trees = (source: number) => Promise<NonNullable<Ask["given"]>>;

/** What the page has of the search that was recorded, and in its place of a tree that was made since. */
type Found = Pick<Contents, "distance" | "parent" | "way" | "first">;
type Told = Pick<Heading, "source" | "route" | "last" | "legend" | "ending">;

export class Live {
  /** Milliseconds of the last tree, and what folding took; and how many trees were shown. */
  treeMs = 0;
  foldMs = 0;
  trees = 0;
  /** Whether the source is another one than that of the search. */
  moved = false;
  private readonly ask: (ask: Ask) => void;
  private readonly recorded: { found: Found; told: Told; levels: Uint8Array };
  private last: Answer | null = null;
  private spare: Partial<Arrays> = {};
  private wanted = -1;
  /** Whether the worker is folding; and whether a tree is being made. */
  private folding = true;
  private asked = false;
  /** Whether the next tree is of a source that nobody wants any more. */
  private late = false;

  /** `elsewhere` makes trees where the page holds no cut. */
  constructor(
    private readonly page: Contents,
    private readonly view: View,
    private readonly controls: Controls,
    private readonly words: Words,
    private readonly elsewhere: Trees | null = null,
  ) {
    const { distance, parent, way, first, heading } = page;
    const { source, route, last, legend, ending } = heading;
    const levels = view.treeLines;
    this.recorded = { found: { distance, parent, way, first }, told: { source, route, last, legend, ending }, levels };
    this.ask = elsewhere ? this.here() : this.beside();
    view.canMoveSource = true;
    view.sourceMoved = (node) => this.move(node);
    controls.takeLive(this);
  }

  /** Return what asks a worker, once it has folded the cut. */
  private beside(): (ask: Ask) => void {
    const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.addEventListener("message", ({ data }: MessageEvent<Answer | { ready: number } | { problem: string }>) => {
      if ("source" in data) this.answered(data);
      else if ("ready" in data) this.folded(data.ready);
      else this.fail();
    });
    worker.addEventListener("error", () => this.fail());
    worker.postMessage(this.given());
    return (ask) => {
      const transfer = Object.values(ask.spare).map((array) => array.buffer);
      worker.postMessage(ask, transfer);
    };
  }

  /** Return what takes trees that somebody else has made. */
  private here(): (ask: Ask) => void {
    const maker = new Maker(this.given());
    queueMicrotask(() => this.folded(0));
    return (ask) => this.answered(maker.answer(ask));
  }

  private folded(ms: number): void {
    this.foldMs = ms;
    this.folding = false;
    document.documentElement.dataset.live = String(Math.round(ms));
    this.next();
  }

  /** Leave the source where it is: no trees can be made here. */
  private fail(): void {
    this.back();
    this.folding = true;
    this.view.canMoveSource = false;
    this.controls.dropLive();
    document.documentElement.dataset.live = "failed";
  }

  /** Take a tree, or none where none could be made. */
  private answered(answer: Answer | null): void {
    this.asked = false;
    if (answer && !this.late) this.take(answer);
    this.late = false;
    this.next();
  }

  private given(): Begin {
    const { page } = this;
    const { low, high, meets, incident, firstLine, live, ids } = page;
    const cut = live && { children: live.children, cellOf: live.cellOf, arcs: { low, high, ...live.weights } };
    return { cut, ids, lines: page.lineA.length, roads: { low, high, meets, incident, firstLine } };
  }

  /** Show the tree of a node as soon as it is made; of several that are asked for meanwhile the last one. */
  move(node: number): void {
    this.wanted = node;
    this.next();
  }

  private next(): void {
    if (this.folding || this.asked || this.wanted < 0) return;
    const source = this.wanted;
    this.wanted = -1;
    this.asked = true;
    const ask = (given: Ask["given"]) => {
      const { spare } = this;
      this.spare = {};
      this.ask({ source, given, spare });
    };
    if (!this.elsewhere) ask(null);
    else this.elsewhere(source).then(ask, () => this.answered(null));
  }

  private take(answer: Answer): void {
    const { page, words, last } = this;
    const { source, distance, parent, way } = answer;
    const first = this.last ? page.first : new Int32Array(distance.length);
    for (let node = 0; node < first.length; node++) first[node] = distance[node]! < 0 ? -1 : 0;
    this.treeMs = answer.treeMs;
    this.trees++;
    this.moved = true;
    this.last = answer;
    this.show(
      { distance, parent, way, first },
      {
        source,
        route: [],
        last: answer.last,
        legend: { title: this.recorded.told.legend.title, marks: marksOf(answer.last, words) },
        ending: [
          [words.say("source"), words.say("Node {id}", { id: this.controls.nameOf(source) })],
          [words.say("reached"), nodesText(words, answer.reached)],
          [words.say("farthest"), words.distance(answer.farthest)],
          [words.say("time of the tree"), words.milliseconds(answer.treeMs)],
        ],
      },
      answer.levels,
    );
    if (last) {
      const { distance, parent, way, levels } = last;
      this.spare = { distance, parent, way, levels };
    }
    if (!this.controls.tree) this.controls.setTree(true);
    this.controls.found();
  }

  /** Go back to the source of the search that was recorded. */
  back(): void {
    this.wanted = -1;
    this.late = this.asked;
    if (!this.moved) return;
    this.moved = false;
    const { found, told, levels } = this.recorded;
    this.show(found, told, levels);
    this.last = null;
    this.controls.found();
  }

  private show(found: Found, told: Told, levels: Uint8Array): void {
    Object.assign(this.page, found);
    Object.assign(this.page.heading, told);
    this.view.takeTree(levels);
  }
}

function marksOf(last: number, words: Words): [number, string][] {
  return [0, 0.5, 1].map((share) => [share, words.distance(share * last)]);
}

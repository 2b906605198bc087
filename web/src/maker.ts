/** Makes the tree of any source, from the cut that a page holds, or out of distances and parents that it is given. */

import { type Arcs, Dissection } from "./cut.ts";
import { treeLevels } from "./lines.ts";
import { Parents } from "./parents.ts";

/** What trees are made from; without a cut, they are given. */
export interface Begin {
  cut: { children: Uint8Array; cellOf: Int32Array; arcs: Arcs } | null;
  ids: Float64Array;
  lines: number;
  roads: { low: Int32Array; high: Int32Array; meets: Int32Array; incident: Int32Array; firstLine: Int32Array };
}

/** Arrays that are written again and again. */
export interface Arrays {
  distance: Float64Array;
  parent: Int32Array;
  /** The edge to each node's parent, -1 for none. */
  way: Int32Array;
  /** The level of each line in the tree. */
  levels: Uint8Array;
}

export interface Ask {
  source: number;
  /** A tree that somebody else made. */
  given: { distance: Float64Array; parent: Int32Array; ms: number } | null;
  /** Arrays that nobody needs any more. */
  spare: Partial<Arrays>;
}

export interface Answer extends Arrays {
  source: number;
  /** The distance from which on nodes have the last colour, the largest one, and how many nodes are reached. */
  last: number;
  farthest: number;
  reached: number;
  /** Milliseconds that distances and parents took. */
  treeMs: number;
}

/** Distances above this share the last colour; in large networks it is looked for among so many. */
const CLIPPED = 0.97;
const SAMPLED = 20_000;

export class Maker {
  private readonly dissection: Dissection | null;
  private readonly parents: Parents | null;

  constructor(private readonly given: Begin) {
    const { cut, ids } = given;
    this.dissection = cut && new Dissection(cut.children, cut.cellOf, cut.arcs);
    this.parents = cut && new Parents(ids, cut.arcs);
  }

  answer({ source, given, spare }: Ask): Answer {
    const { roads, lines, ids } = this.given;
    const nodes = ids.length;
    const start = performance.now();
    const distance = given?.distance ?? fitting(spare.distance, nodes) ?? new Float64Array(nodes);
    const parent = given?.parent ?? fitting(spare.parent, nodes) ?? new Int32Array(nodes);
    const way = fitting(spare.way, nodes) ?? new Int32Array(nodes);
    if (given) this.findWays(parent, way);
    else {
      this.dissection?.tree(source, distance);
      this.parents?.find(distance, source, parent, way);
    }
    const treeMs = given?.ms ?? performance.now() - start;
    const levels = fitting(spare.levels, lines)?.fill(0) ?? new Uint8Array(lines);
    treeLevels({ parent, way, firstLine: roads.firstLine }, levels);
    return { source, distance, parent, way, levels, treeMs, ...figuresOf(distance) };
  }

  /** Find an edge between each node and its parent. */
  private findWays(parent: Int32Array, way: Int32Array): void {
    const { low, high, meets, incident } = this.given.roads;
    for (let node = 0; node < parent.length; node++) {
      const above = parent[node] as number;
      way[node] = -1;
      if (above < 0) continue;
      for (let at = meets[node] as number; at < meets[node + 1]!; at++) {
        const edge = incident[at] as number;
        if (low[edge]! + high[edge]! - node === above) {
          way[node] = edge;
          break;
        }
      }
    }
  }
}

/** Return an array again if it is as long as one is needed. */
function fitting<T extends { length: number }>(array: T | undefined, length: number): T | null {
  return array?.length === length ? array : null;
}

function figuresOf(distance: Float64Array): { last: number; farthest: number; reached: number } {
  const every = Math.max(Math.floor(distance.length / SAMPLED), 1);
  const some: number[] = [];
  let farthest = 0;
  let reached = 0;
  for (let node = 0; node < distance.length; node++) {
    const value = distance[node] as number;
    if (value < 0) continue;
    reached++;
    if (value > farthest) farthest = value;
    if (node % every === 0) some.push(value);
  }
  const sorted = Float64Array.from(some).sort();
  const at = CLIPPED * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 1;
  const above = sorted[Math.ceil(at)] ?? 1;
  return { last: below + (at - Math.floor(at)) * (above - below), farthest, reached };
}

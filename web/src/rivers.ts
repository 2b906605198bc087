/** What streets carry: read as `gui/wayfront_gui/features/flows/page.py` writes it, and drawn as rivers of light. */

import type { Weights } from "./lines.ts";
import { type Contents, check, type Heading, restoreSigns, type Sections } from "./read.ts";
import type { Words } from "./words.ts";

export interface Flows {
  trips: number;
  /** Trips in a unit of what the sections have. */
  unit: number;
  /** Whether the colours show how closed roads change it. */
  changes: boolean;
}

export interface Rivers extends Flows {
  /** Of each edge: how wide it is drawn, 0 for nothing, and the row of its colour. */
  level: Uint8Array;
  row: Uint8Array;
  /** Trips over each edge, and by how many these became more. */
  carried: Float64Array;
  change: Float64Array | null;
  /** Trips of the edges that carry some, the most first. */
  ranked: Float64Array;
  /** The level of each line, and the edge that it is of. */
  lineLevels: Uint8Array;
}

export function readRivers(heading: Heading, { section, exact }: Sections, firstLine: Int32Array): Rivers {
  const { edges } = heading;
  const flows = heading.flows as Flows;
  check(flows.unit > 0 && Number.isFinite(flows.unit) && flows.trips >= 0, "its trips have no unit");
  check(edges < 2 ** 24, `it has ${edges} roads`);
  const level = section("flow level");
  const row = flows.changes ? section("flow row") : level;
  check(level.length === edges && row.length === edges, "its roads carry what other roads do");
  const scaled = (values: Float64Array) => values.map((value) => value * flows.unit);
  const carried = scaled(exact("flow", edges));
  const change = flows.changes ? scaled(restoreSigns(exact("flow change", edges))) : null;
  const lineLevels = new Uint8Array(firstLine[edges] as number);
  for (let edge = 0; edge < edges; edge++) {
    lineLevels.fill(level[edge] as number, firstLine[edge], firstLine[edge + 1]);
  }
  const ranked = carried.filter((value) => value > 0).sort((a, b) => b - a);
  return { ...flows, level, row, carried, change, ranked, lineLevels };
}

/** Return what draws rivers: contents whose pixels are owned by edges, each reached at once in the colour of its row. */
export function drawnAs(page: Contents, rivers: Rivers): Contents {
  const { edges } = page.heading;
  const owners = new Int32Array(page.lineA.length);
  for (let edge = 0; edge < edges; edge++) owners.fill(edge, page.firstLine[edge], page.firstLine[edge + 1]);
  return {
    ...page,
    heading: { ...page.heading, nodes: edges, last: 255 },
    ownerA: owners,
    ownerB: owners,
    first: Int32Array.from(rivers.level, (level) => (level ? 0 : -1)),
    distance: Float64Array.from(rivers.row),
  };
}

const FAINT = 16;
const POWER = 1.7;
const WIDE = 2.2;
const WIDE_FROM = 0.45;
const MOST = 127;

/** Weights by how much a street carries; strong ones are wide at any zoom. */
export function riverWeights(octaves: number, growth: number, unit: number): Weights {
  const coverage = new Float32Array(256);
  const width = new Float32Array(256);
  for (let level = 0; level < 256; level++) {
    const share = level / 255;
    coverage[level] = Math.min(Math.round((FAINT + (MOST - FAINT) * share ** POWER) * (1 + 0.35 * octaves)), MOST);
    const beyond = WIDE * Math.min(Math.max((share - WIDE_FROM) / (1 - WIDE_FROM), 0), 1) ** 1.5;
    width[level] = Math.round((1 + beyond) / 0.1) * 0.1 * growth * unit;
  }
  coverage[0] = Math.min(4 + 4 * octaves, 20);
  return { coverage, width, casing: null };
}

/** Return what is known of an edge, in pairs of caption and text. */
export function factsOf(rivers: Rivers, edge: number, words: Words): [string, string][] {
  const carried = rivers.carried[edge] as number;
  const facts: [string, string][] = [[words.say("Trips"), words.amount(carried)]];
  if (rivers.change) {
    const change = rivers.change[edge] as number;
    const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
    facts.push([words.say("Change"), sign + words.amount(Math.abs(change))]);
  }
  if (carried > 0) {
    facts.push([words.say("Share of all"), words.percent(carried / Math.max(rivers.trips, 1))]);
    const rank = words.say("{rank} of {roads} roads", { rank: rankOf(rivers, carried), roads: rivers.ranked.length });
    facts.push([words.say("Rank"), rank]);
  }
  return facts;
}

/** Return 1 + how many roads carry more. */
function rankOf({ ranked }: Rivers, carried: number): number {
  let low = 0;
  let high = ranked.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranked[middle]! > carried) low = middle + 1;
    else high = middle;
  }
  return 1 + low;
}

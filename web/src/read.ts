/**
 * Reads what `gui/wayfront_gui/features/page/content.py` writes, which describes each section, and checks it before
 * anything believes it.
 */

import type { Graph } from "./diagram.ts";
import type { Lesson } from "./lesson.ts";
import { type Flows, type Rivers, readRivers } from "./rivers.ts";

export const VERSION = 1;

export interface MapColours {
  background: string;
  core: string;
  bloom: string;
  core_strength: number;
  bloom_strength: number;
  glow_adds: boolean;
  ink: string;
  casing: string;
  route: string;
  target: string;
  closed: string;
  water: string;
  green: string;
  water_ink: string;
  green_ink: string;
  land_strength: number;
  thickness: number;
  plain: boolean;
}

export interface Theme {
  map: MapColours;
  interface: Record<string, string>;
  gradient: [number, number, number][];
  text: number;
}

/** The page's heading; `words` are its texts in the language that it was made in. */
export interface Heading {
  version: number;
  program: string;
  language: string;
  sections: [string, number][];
  nodes: number;
  edges: number;
  bends: number;
  closed: number;
  steps: number;
  frontiers: number;
  unit: number;
  corner: [number, number];
  middle: [number, number];
  metres: [number, number];
  on_earth: boolean;
  home: Extent;
  bounds: Extent;
  typical: number;
  classes: string[];
  source: number;
  route: number[];
  /** In raw weights; searches from both ends know the distance of a route, not that of its nodes. */
  route_length?: number;
  reverse: boolean;
  kinds: string[];
  /** Kind, name, x, y and size of what has a name. */
  places: [number, string, number, number, number][];
  road_names: string[];
  named_roads: number;
  areas: number;
  rings: number;
  metric: { name: string; unit: string; scale: number };
  last: number;
  legend: { title: string; marks: [number, string][] };
  title: string;
  subtitle: string;
  ending: [string, string][];
  credit: string;
  themes: Record<string, Theme>;
  theme: string;
  walk: string;
  moment: string;
  embedded: boolean;
  words: Record<string, string>;
  /** Where the source can be dragged: how many cells the cut has, and what a part of a unit of each class weighs. */
  cells?: number;
  pace?: number[];
  /** What the page is besides a search, and then its further searches; a page of the first version has neither. */
  shows?: "race" | "lesson" | "flows";
  searches?: (Partial<Heading> & { roads: number })[];
  /** Beside others: what the search is called, and in what it differs from them. */
  lane?: [string, string];
  lesson?: Lesson;
  flows?: Flows;
  code?: { lines: string[]; runs: [number, number[]][] } | null;
  /** The median of clean runs in nanoseconds, and how far apart these are as a share of it. */
  clean_ns?: number | null;
  spread?: number;
}

/** Left, bottom, right and top in metres of the plane. */
export type Extent = [number, number, number, number];

export interface Tables {
  table: Uint8Array;
  hot: Uint8Array;
}

/** All numbers of a page. Points are the nodes, then the bends of edges; `lines` join them. */
export interface Contents {
  heading: Heading;
  x: Float64Array;
  y: Float64Array;
  low: Int32Array;
  high: Int32Array;
  kind: Uint8Array;
  /** Where the lines of each edge begin. */
  firstLine: Int32Array;
  lineA: Int32Array;
  lineB: Int32Array;
  ownerA: Int32Array;
  ownerB: Int32Array;
  /** The edges that meet at node v are `incident[meets[v]]` to `incident[meets[v + 1] - 1]`. */
  meets: Int32Array;
  incident: Int32Array;
  closed: Int32Array;
  /** The edge to each node's parent, -1 for none; and the parent. */
  way: Int32Array;
  parent: Int32Array;
  /** The first step that reached each node, -1 for none. */
  first: Int32Array;
  /** In raw weights, -1 for none. */
  distance: Float64Array;
  frontierBegins: Int32Array;
  frontierNodes: Int32Array;
  size: Float64Array;
  tried: Float64Array;
  improved: Float64Array;
  time: Float64Array;
  /** The distance that is settled at each step. */
  settled: Float64Array;
  ids: Float64Array;
  /** Named roads: the name of each, its class, where its points begin, and their x and y. */
  roads: { name: Int32Array; rank: Uint8Array; begins: Int32Array; x: Float64Array; y: Float64Array };
  /** Areas and lines: kind, size, where the outlines of each begin, where the points of each outline do, and these. */
  areas: {
    kind: Uint8Array;
    size: Float64Array;
    rings: Int32Array;
    begins: Int32Array;
    x: Float64Array;
    y: Float64Array;
  };
  tables: Record<string, Tables>;
  /** What is drawn in place of roads, null where these are. */
  graph: Graph | null;
  /** What trees are made of, null where the source cannot be dragged. */
  live: LiveParts | null;
  /** Which of the heading's runs of pseudo-code each step is. */
  code: Int32Array | null;
  /** What streets carry, which is shown in place of a search. */
  rivers: Rivers | null;
}

/** The cut's cells, and the weights along and against each edge, -1 where there is none. */
export interface LiveParts {
  children: Uint8Array;
  cellOf: Int32Array;
  weights: { along: Float64Array; against: Float64Array };
}

/** What is wrong with a page, in a sentence for whoever opens it. */
export class DamagedPage extends Error {}

export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new DamagedPage(what);
}

type Numbers = Int32Array | Float64Array;

/** Fill `out` with whole numbers of seven bits a byte. */
function readNumbers<T extends Numbers>(name: string, bytes: Uint8Array, out: T): T {
  let at = 0;
  const end = bytes.length;
  for (let i = 0; i < out.length; i++) {
    let byte = at < end ? (bytes[at++] as number) : 128;
    let value = byte & 127;
    let unit = 128;
    while (byte > 127) {
      check(at < end && unit < 2 ** 53, `${name} ends too early`);
      byte = bytes[at++] as number;
      value += (byte & 127) * unit;
      unit *= 128;
    }
    out[i] = value;
    if (out[i] !== value) throw new DamagedPage(`${name} has a number that is too large`);
  }
  check(at === end, `${name} is longer than it should be`);
  return out;
}

/** Turn 0, 1, 2, 3, 4 … into 0, −1, 1, −2, 2 … */
function signedOf(value: number): number {
  const half = Math.floor(value / 2);
  return value === 2 * half ? half : -half - 1;
}

export function restoreSigns<T extends Numbers>(values: T): T {
  for (let i = 0; i < values.length; i++) values[i] = signedOf(values[i] as number);
  return values;
}

function addUp<T extends Numbers>(values: T): T {
  for (let i = 1; i < values.length; i++) values[i] = (values[i] as number) + (values[i - 1] as number);
  return values;
}

function total(values: Numbers): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Return where each of some groups begins, and the end of the last. */
function begins(counts: Int32Array): Int32Array {
  const out = new Int32Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) out[i + 1] = (out[i] as number) + (counts[i] as number);
  return out;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>, size: number): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const out = new Uint8Array(size);
  let filled = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    check(filled + value.length <= size, "its data are longer than its heading says");
    out.set(value, filled);
    filled += value.length;
  }
  check(filled === size, "its data are shorter than its heading says");
  return out;
}

export function readHeading(text: string): Heading {
  const heading = JSON.parse(text) as Heading;
  check(heading.version === VERSION, `it is of version ${heading.version}, and what draws it of ${VERSION}`);
  checkHeading(heading);
  return heading;
}

function checkHeading(heading: Heading): void {
  Object.setPrototypeOf(heading.themes, null); // addresses and messages name themes, and "constructor" is none
  for (const name of ["nodes", "edges", "bends", "closed", "steps", "frontiers"] as const) {
    const count = heading[name];
    check(Number.isInteger(count) && count >= 0 && count < 2 ** 31, `its number of ${name} is ${count}`);
  }
  check(heading.nodes > 0 && heading.nodes <= 2 ** 24, `it has ${heading.nodes} nodes`);
  const least = heading.shows ? 0 : 1;
  check(heading.steps >= least && heading.steps < 2 ** 24 - 1, `it has ${heading.steps} steps`);
  check(heading.source >= least - 1 && heading.source < heading.nodes, "its source is no node");
  check(
    heading.route.every((node) => Number.isInteger(node) && node >= 0 && node < heading.nodes),
    "its route has what is no node",
  );
}

type Section = (name: string) => Uint8Array;
type Whole = (name: string, count: number) => Int32Array;
type Exact = (name: string, count: number) => Float64Array;

/** How the sections of one search are read: `found` is undefined where one is not there. */
export interface Sections {
  found: (name: string) => Uint8Array | undefined;
  section: Section;
  whole: Whole;
  exact: Exact;
}

/** Return all searches that a page holds; those on one network share its roads. Throws `DamagedPage`. */
export async function readContents(heading: Heading, base64: string): Promise<Contents[]> {
  const size = heading.sections.reduce((sum, [, bytes]) => sum + bytes, 0);
  let data: Uint8Array;
  try {
    data = await inflate(fromBase64(base64), size);
  } catch (problem) {
    throw problem instanceof DamagedPage ? problem : new DamagedPage("its data cannot be unpacked");
  }
  const sections = new Map<string, Uint8Array>();
  let at = 0;
  for (const [name, bytes] of heading.sections) {
    sections.set(name, data.subarray(at, at + bytes));
    at += bytes;
  }
  const { searches: others = [], shows: _shows, lesson: _lesson, ...plain } = heading;
  const all = [
    readSearch(
      heading,
      sectionsOf((name) => sections.get(name)),
      null,
    ),
  ];
  for (const [index, { roads, ...differs }] of others.entries()) {
    const number = index + 1;
    check(Number.isInteger(roads) && roads >= 0 && roads <= number, "a search is on roads that are not there");
    const alone = roads === number;
    const base = alone ? undefined : (all[roads] as Contents);
    const own: Heading = { ...(base?.heading ?? plain), ...differs, sections: heading.sections };
    checkHeading(own);
    const found = (name: string) =>
      sections.get(`${number} ${name}`) ??
      (alone ? undefined : sections.get(roads ? `${roads} ${name}` : name)) ??
      (OWN.includes(name) ? undefined : sections.get(name));
    all.push(readSearch(own, sectionsOf(found), base ?? null));
  }
  return all;
}

/** Sections that another network's search has for itself or not at all. */
const OWN = ["graph", "code"];

function sectionsOf(found: Sections["found"]): Sections {
  const section = (name: string): Uint8Array => {
    const bytes = found(name);
    check(bytes !== undefined, `it lacks ${name}`);
    return bytes;
  };
  return {
    found,
    section,
    whole: (name, count) => readNumbers(name, section(name), new Int32Array(count)),
    exact: (name, count) => readNumbers(name, section(name), new Float64Array(count)),
  };
}

/** Read a search; `beside` is one on the same roads. */
function readSearch(heading: Heading, sections: Sections, beside: Contents | null): Contents {
  const { edges, steps } = heading;
  const { found, section, whole, exact } = sections;
  const place = beside ?? readPlace(heading, sections);
  const closed = addUp(whole("closed", heading.closed));
  check(
    closed.every((edge) => edge >= 0 && edge < edges),
    "a closed road is none",
  );
  if (!heading.steps) {
    const rivers = heading.flows ? readRivers(heading, sections, place.firstLine) : null;
    const tables = beside ? readTables(heading, section) : place.tables;
    return { ...place, ...nothingOf(heading), heading, closed, tables, rivers };
  }
  const tree = readTree(heading, place, whole, exact);
  const graph = found("graph");
  return {
    ...place,
    heading,
    graph: graph ? readGraph(graph, heading) : null,
    ...tree,
    ...readFrontiers(heading, tree.first, whole),
    closed,
    code: heading.code ? readCode(heading.code, whole("code", steps)) : null,
    rivers: null,
    size: exact("size", steps),
    tried: exact("tried", steps),
    improved: exact("improved", steps),
    time: exact("time", steps),
    settled: addUp(restoreSigns(exact("settled", steps))),
  };
}

/** Read what searches on the same roads share. */
function readPlace(heading: Heading, { section, whole, exact }: Sections) {
  const units = readUnits(heading, whole);
  const roads = readRoads(heading, units, section, whole);
  return {
    ...roads,
    ids: addUp(restoreSigns(exact("ids", heading.nodes))),
    roads: readNamedRoads(heading, section, whole),
    areas: readAreas(heading, section, whole, exact),
    tables: readTables(heading, section),
    live: heading.cells ? readLive(heading, roads, units, section, whole, exact) : null,
  };
}

function readTables(heading: Heading, section: Section): Record<string, Tables> {
  const read = (name: string) => ({
    table: readPixels(section(`table ${name}`), 257),
    hot: readPixels(section(`hot ${name}`), 1),
  });
  return Object.fromEntries(Object.keys(heading.themes).map((name) => [name, read(name)]));
}

/** Return what there is of a search where none is. */
function nothingOf({ nodes }: Heading) {
  const none = new Float64Array(0);
  return {
    graph: null,
    live: null,
    code: null,
    way: new Int32Array(nodes).fill(-1),
    parent: new Int32Array(nodes).fill(-1),
    first: new Int32Array(nodes).fill(-1),
    distance: new Float64Array(nodes).fill(-1),
    frontierBegins: new Int32Array(1),
    frontierNodes: new Int32Array(0),
    size: none,
    tried: none,
    improved: none,
    time: none,
    settled: none,
  };
}

function readCode({ lines, runs }: NonNullable<Heading["code"]>, ofStep: Int32Array): Int32Array {
  const within = (line: number) => Number.isInteger(line) && line >= -1 && line < lines.length;
  check(
    runs.every(([atWork, run]) => within(atWork) && run.every(within)) && ofStep.every((run) => run < runs.length),
    "its pseudo-code has other lines",
  );
  return ofStep;
}

/** Where nodes are in whole units; how many bends each edge has, and how far each is from the point before it. */
interface Units {
  nodeX: Int32Array;
  nodeY: Int32Array;
  bends: Int32Array;
  bendX: Int32Array;
  bendY: Int32Array;
}

function readUnits(heading: Heading, whole: Whole): Units {
  const { nodes, edges } = heading;
  const bends = heading.bends ? whole("bends", edges) : new Int32Array(edges);
  check(total(bends) === heading.bends, "its bends do not add up");
  return {
    nodeX: addUp(restoreSigns(whole("x", nodes))),
    nodeY: addUp(restoreSigns(whole("y", nodes))),
    bends,
    bendX: heading.bends ? restoreSigns(whole("bend x", heading.bends)) : new Int32Array(0),
    bendY: heading.bends ? restoreSigns(whole("bend y", heading.bends)) : new Int32Array(0),
  };
}

/** Read how edges run between nodes; each half of an edge belongs to its nearer end. */
function readRoads(heading: Heading, { nodeX, nodeY, bends, bendX, bendY }: Units, section: Section, whole: Whole) {
  const { nodes, edges, unit, corner } = heading;
  const degree = whole("degree", nodes);
  check(total(degree) === edges, "its numbers of roads at nodes do not add up");
  const high = whole("ahead", edges);
  const low = new Int32Array(edges);
  let edge = 0;
  for (let node = 0; node < nodes; node++) {
    for (let k = degree[node] as number; k > 0; k--) {
      low[edge] = node;
      high[edge] = (high[edge] as number) + node;
      check((high[edge] as number) < nodes, "a road leads to what is no node");
      edge++;
    }
  }
  const kind = heading.classes.length ? section("kind").slice() : new Uint8Array(edges);
  check(kind.length === edges && kind.every((value) => value < 4), "a road is of no known class");

  let bent = 0;
  for (const count of bends) if (count) bent++;
  const points = nodes + heading.bends + bent; // one more half-way on each bent edge
  const x = new Float64Array(points);
  const y = new Float64Array(points);
  for (let node = 0; node < nodes; node++) {
    x[node] = corner[0] + unit * (nodeX[node] as number);
    y[node] = corner[1] + unit * (nodeY[node] as number);
  }
  const lines = edges + heading.bends + bent;
  const lineA = new Int32Array(lines);
  const lineB = new Int32Array(lines);
  const ownerA = new Int32Array(lines);
  const ownerB = new Int32Array(lines);
  const firstLine = new Int32Array(edges + 1);
  let line = 0;
  let point = nodes;
  let bend = 0;
  for (edge = 0; edge < edges; edge++) {
    const a = low[edge] as number;
    const b = high[edge] as number;
    const count = bends[edge] as number;
    firstLine[edge] = line;
    if (!count) {
      lineA[line] = ownerA[line] = a;
      lineB[line] = ownerB[line] = b;
      line++;
      continue;
    }
    let across = nodeX[a] as number;
    let upward = nodeY[a] as number;
    const path: [number, number][] = [[x[a] as number, y[a] as number]];
    for (let k = 0; k < count; k++, bend++) {
      across += bendX[bend] as number;
      upward += bendY[bend] as number;
      path.push([corner[0] + unit * across, corner[1] + unit * upward]);
    }
    path.push([x[b] as number, y[b] as number]);
    const middle = insertMiddle(path);
    let before = a;
    for (let k = 1; k < path.length; k++) {
      const last = k === path.length - 1;
      const after = last ? b : point++;
      if (!last) [x[after], y[after]] = path[k] as [number, number];
      lineA[line] = before;
      lineB[line] = after;
      ownerA[line] = ownerB[line] = k <= middle ? a : b;
      before = after;
      line++;
    }
  }
  firstLine[edges] = line;
  return { x, y, low, high, kind, firstLine, lineA, lineB, ownerA, ownerB, ...meeting(nodes, low, high) };
}

/** Lengths of roads are whole numbers of such parts of a unit. */
const FINER = 16;

/** Read how the network is cut and what its roads weigh: most of that follows from how long they are. */
function readLive(
  heading: Heading,
  { low, high, kind }: Pick<Contents, "low" | "high" | "kind">,
  { nodeX, nodeY, bends, bendX, bendY }: Units,
  section: Section,
  whole: Whole,
  exact: Exact,
): LiveParts {
  const { nodes, edges, cells = 0, pace = [] } = heading;
  const children = section("cut children").slice();
  check(children.length === cells, "its cut has another number of cells");
  const cellOf = addUp(restoreSigns(whole("cut cell", nodes)));
  check(
    cellOf.every((cell) => cell >= 0 && cell < cells),
    "a node lies in no cell",
  );
  const along = exact("along", edges);
  const against = exact("against", edges);
  const part = (across: number, upward: number) => Math.floor(FINER * Math.sqrt(across * across + upward * upward));
  for (let edge = 0, bend = 0; edge < edges; edge++) {
    let across = nodeX[high[edge]!]! - nodeX[low[edge]!]!;
    let upward = nodeY[high[edge]!]! - nodeY[low[edge]!]!;
    let length = 0;
    for (let k = bends[edge] as number; k > 0; k--, bend++) {
      length += part(bendX[bend] as number, bendY[bend] as number);
      across -= bendX[bend] as number;
      upward -= bendY[bend] as number;
    }
    length += part(across, upward);
    const expected = Math.floor(length * (pace[kind[edge] as number] ?? 0) + 0.5);
    const ahead = along[edge] as number;
    const back = against[edge] as number;
    along[edge] = ahead ? expected + signedOf(ahead - 1) : -1;
    against[edge] = back ? (ahead ? (along[edge] as number) : expected) + signedOf(back - 1) : -1;
    check(along[edge]! >= -1 && against[edge]! >= -1, "a road weighs less than nothing");
  }
  return { children, cellOf, weights: { along, against } };
}

/** Put a point half-way along a path into it, and return its index. */
function insertMiddle(path: [number, number][]): number {
  const lengths = path
    .slice(1)
    .map(([x, y], k) => Math.hypot(x - (path[k] as number[])[0]!, y - (path[k] as number[])[1]!));
  let rest = lengths.reduce((sum, length) => sum + length, 0) / 2;
  let k = 0;
  while (k < lengths.length - 1 && rest > (lengths[k] as number)) rest -= lengths[k++] as number;
  const length = lengths[k] as number;
  const share = length > 0 ? Math.min(rest / length, 1) : 0;
  const [x, y] = path[k] as [number, number];
  const [nextX, nextY] = path[k + 1] as [number, number];
  path.splice(k + 1, 0, [x + share * (nextX - x), y + share * (nextY - y)]);
  return k + 1;
}

/** Return which edges meet at each node, in their order. */
function meeting(nodes: number, low: Int32Array, high: Int32Array) {
  const counts = new Int32Array(nodes);
  for (let edge = 0; edge < low.length; edge++) {
    counts[low[edge] as number]!++;
    if (low[edge] !== high[edge]) counts[high[edge] as number]!++;
  }
  const meets = begins(counts);
  const free = meets.slice();
  const incident = new Int32Array(meets[nodes] as number);
  for (let edge = 0; edge < low.length; edge++) {
    incident[free[low[edge] as number]!++] = edge;
    if (low[edge] !== high[edge]) incident[free[high[edge] as number]!++] = edge;
  }
  return { meets, incident };
}

interface Roads {
  low: Int32Array;
  high: Int32Array;
  meets: Int32Array;
  incident: Int32Array;
}

/** Read the tree, and what is told by differences from a node's parent. */
function readTree(heading: Heading, roads: Roads, whole: Whole, exact: Exact) {
  const { nodes, steps } = heading;
  const way = whole("way", nodes);
  const parent = new Int32Array(nodes).fill(-1);
  for (let node = 0; node < nodes; node++) {
    const number = way[node] as number;
    if (number) {
      const at = (roads.meets[node] as number) + number - 1;
      check(at < (roads.meets[node + 1] as number), "a way leads along a road that is not there");
      const edge = roads.incident[at] as number;
      parent[node] = roads.low[edge] === node ? (roads.high[edge] as number) : (roads.low[edge] as number);
      way[node] = edge;
    } else {
      way[node] = -1;
    }
  }
  const first = restoreSigns(whole("first", nodes));
  const distance = restoreSigns(exact("distance", nodes));
  // A node's parent is known before it: ways up to a known node are walked back down.
  const known = new Uint8Array(nodes);
  const stack = new Int32Array(nodes);
  for (let node = 0; node < nodes; node++) {
    let depth = 0;
    for (let at = node; at >= 0 && !known[at]; at = parent[at] as number) {
      check(depth < nodes, "its tree has a cycle");
      stack[depth++] = at;
    }
    while (depth) {
      const at = stack[--depth] as number;
      const above = parent[at] as number;
      if (above >= 0) {
        first[at] = (first[at] as number) + (first[above] as number);
        distance[at] = (distance[at] as number) + (distance[above] as number);
      }
      known[at] = 1;
    }
  }
  for (let node = 0; node < nodes; node++) {
    first[node] = (first[node] as number) - 1;
    distance[node] = (distance[node] as number) - 1;
    check(
      (first[node] as number) >= -1 && (first[node] as number) < steps,
      "a node was reached in a step that is none",
    );
    check((distance[node] as number) >= -1, "a distance is below 0");
  }
  return { way, parent, first, distance };
}

/** Read which nodes are in the frontier of each step. */
function readFrontiers(heading: Heading, first: Int32Array, whole: Whole) {
  const { nodes, steps, frontiers } = heading;
  const times = whole("times", nodes);
  check(total(times) === frontiers, "its frontiers do not add up");
  const when = restoreSigns(whole("when", frontiers));
  const counts = new Int32Array(steps);
  for (let node = 0, at = 0; node < nodes; node++) {
    let step = first[node] as number;
    for (let k = times[node] as number; k > 0; k--, at++) {
      step += when[at] as number;
      check(step >= 0 && step < steps, "a frontier is of a step that is none");
      when[at] = step;
      counts[step]!++;
    }
  }
  const frontierBegins = begins(counts);
  const free = frontierBegins.slice();
  const frontierNodes = new Int32Array(frontiers);
  for (let node = 0, at = 0; node < nodes; node++) {
    for (let k = times[node] as number; k > 0; k--, at++) frontierNodes[free[when[at] as number]!++] = node;
  }
  return { frontierBegins, frontierNodes };
}

function readGraph(bytes: Uint8Array, { nodes, steps }: Heading): Graph {
  let graph: Graph;
  try {
    graph = JSON.parse(new TextDecoder().decode(bytes)) as Graph;
  } catch {
    throw new DamagedPage("its graph cannot be read");
  }
  const { x, y, names, arcs, moments, held, tree } = graph;
  check(
    [x, y, names].every((list) => list.length === nodes),
    "its graph has other nodes",
  );
  check(moments.length === steps + 1 && held.length === steps + 1, "its graph has other steps");
  check(
    arcs.every(([tail, head]) => tail >= 0 && tail < nodes && head >= 0 && head < nodes),
    "an arc leads to what is no node",
  );
  check(
    [...moments, tree].every((done) => done.labels.length === nodes && done.states.length === nodes),
    "a step of its graph lacks nodes",
  );
  return graph;
}

/** Outlines are in units so much coarser than those of roads. */
const COARSER = 4;

/** Read so many x and y of polylines. */
function readPoints(heading: Heading, name: string, count: number, coarser: number, whole: Whole) {
  const { corner, unit } = heading;
  const axis = (letter: string, from: number) => {
    const units = addUp(restoreSigns(whole(`${name} ${letter}`, count)));
    const metres = new Float64Array(count);
    for (let at = 0; at < count; at++) metres[at] = from + unit * coarser * (units[at] as number);
    return metres;
  };
  return { x: axis("x", corner[0]), y: axis("y", corner[1]) };
}

function readNamedRoads(heading: Heading, section: Section, whole: Whole): Contents["roads"] {
  const count = heading.named_roads;
  if (!count) {
    const none = new Float64Array(0);
    return { name: new Int32Array(0), rank: new Uint8Array(0), begins: new Int32Array(1), x: none, y: none };
  }
  const name = whole("road name", count);
  const rank = section("road rank");
  check(
    name.every((index) => index < heading.road_names.length),
    "a road has a name that is none",
  );
  check(rank.length === count && rank.every((value) => value < 4), "a named road is of no known class");
  const starts = begins(whole("road points", count));
  return { name, rank, begins: starts, ...readPoints(heading, "road", starts[count] as number, 1, whole) };
}

function readAreas(heading: Heading, section: Section, whole: Whole, exact: Exact): Contents["areas"] {
  const count = heading.areas;
  if (!count) {
    const none = new Float64Array(0);
    const one = new Int32Array(1);
    return { kind: new Uint8Array(0), size: none, rings: one, begins: one, x: none, y: none };
  }
  const kind = section("area kind");
  check(kind.length === count && kind.every((value) => value < heading.kinds.length), "an area is of no known kind");
  const rings = begins(whole("area rings", count));
  check(rings[count] === heading.rings, "its outlines do not add up");
  const starts = begins(whole("ring points", heading.rings));
  const points = readPoints(heading, "ring", starts[heading.rings] as number, COARSER, whole);
  return { kind, size: exact("area size", count), rings, begins: starts, ...points };
}

/** Read a table of so many rows of 128 colours as red, green, blue and 255. */
function readPixels(bytes: Uint8Array, rows: number): Uint8Array {
  check(bytes.length === 3 * rows * 128, "a table of colours has another size");
  const out = new Uint8Array(4 * rows * 128);
  for (let channel = 0; channel < 3; channel++) {
    for (let row = 0; row < rows; row++) {
      let value = 0;
      for (let column = 0; column < 128; column++) {
        const pixel = row * 128 + column;
        value = (value + (bytes[channel * rows * 128 + pixel] as number)) & 255;
        out[4 * pixel + channel] = value;
      }
    }
  }
  for (let i = 3; i < out.length; i += 4) out[i] = 255;
  return out;
}

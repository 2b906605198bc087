/** How lines are drawn: their levels and weights, and the raster that puts them into a picture of owners. */

import type { Camera } from "./camera.ts";
import { Cover } from "./cover.ts";
import type { Contents } from "./read.ts";

export const NODE_BITS = 24;
export const NODE_MASK = (1 << NODE_BITS) - 1;
const MOST_COVERAGE = 127;

const CLASS_COVERAGE = [32, 47, 82, 108];
const CLASS_COVERAGE_MOST = [88, 94, 112, 127];
const CLASS_WIDTH = [1, 1, 2, 2];
const CASED_FROM = 2;
const CASING = 1.5;
/** Octaves of zoom from which on a map shows streets: a typical line is 32 pixels long. */
const STREETS = 5;

/** Coverage (0 … 127) and width in pixels of a line of each level; what has a casing is drawn over the rest. */
export interface Weights {
  coverage: Float32Array;
  width: Float32Array;
  casing: Float32Array | null;
}

/** Factor on widths: 1 until a typical line is 12 pixels long, then more. */
export function growth(octaves: number): number {
  return Math.min(1 + 0.7 * Math.max(octaves - 3.6, 0), 3.5);
}

export function octavesOf(typical: number): number {
  return Math.max(Math.log2(Math.max(typical, 1)), 0);
}

/** Weights by road class; `typical` is how many logical pixels long a typical line is. */
export function roadWeights(typical: number, unit: number): Weights {
  const octaves = octavesOf(typical);
  const coverage = new Float32Array(256);
  const width = new Float32Array(256).fill(1);
  for (let level = 0; level < CLASS_WIDTH.length; level++) {
    const base = CLASS_COVERAGE[level] as number;
    coverage[level] = base + ((CLASS_COVERAGE_MOST[level] as number) - base) * Math.min(octaves / STREETS, 1);
    width[level] = (CLASS_WIDTH[level] as number) * growth(octaves) * unit;
  }
  if (octaves < STREETS) return { coverage, width, casing: null };
  return { coverage, width, casing: new Float32Array(256).fill(CASING * unit, CASED_FROM, CLASS_WIDTH.length) };
}

/** Weights by tree level: 0 outside the tree, then 1 … 255 by the log of the size of the subtree below. */
export function treeWeights(typical: number, unit: number): Weights {
  const octaves = octavesOf(typical);
  const coverage = new Float32Array(256);
  const width = new Float32Array(256);
  for (let level = 0; level < 256; level++) {
    const share = level / 255;
    const wanted = Math.min((25 + 102 * share ** 1.7) * (1 + 0.2 * octaves), MOST_COVERAGE);
    coverage[level] = Math.min(Math.round(wanted / 4) * 4, MOST_COVERAGE);
    const beyond = Math.round((1.6 * Math.min(Math.max((share - 0.55) / 0.45, 0), 1)) / 0.1) * 0.1;
    width[level] = (1 + beyond) * growth(octaves) * unit;
  }
  coverage[0] = Math.min(6 * octaves, 14);
  return { coverage, width, casing: null };
}

/** Return how many nodes are in the subtree of each node of a tree, itself included. */
export function subtreeSizes(parent: Int32Array): Int32Array {
  const children = new Int32Array(parent.length);
  const sizes = new Int32Array(parent.length).fill(1);
  for (const above of parent) if (above >= 0) children[above]!++;
  for (let start = 0; start < parent.length; start++) {
    for (let node = start; children[node] === 0; ) {
      children[node] = -1;
      const above = parent[node] as number;
      if (above < 0) break;
      sizes[above]! += sizes[node] as number;
      children[above]!--;
      if (above > start && children[above] === 0) break; // its turn comes
      node = above;
    }
  }
  return sizes;
}

/** Sizes whose levels are looked up. */
const LISTED = 4096;

/**
 * Write the level of each line in a tree: 1 … 255 by the log of the size of the subtree; lines outside it stay as they
 * are.
 */
export function treeLevels(
  { parent, way, firstLine }: Pick<Contents, "parent" | "way" | "firstLine">,
  levels: Uint8Array,
): Uint8Array {
  const sizes = subtreeSizes(parent);
  let most = 1;
  for (const size of sizes) if (size > most) most = size;
  const perLog = 254 / Math.max(Math.log(most), 1e-9);
  const levelOf = (size: number) => Math.min(1 + Math.log(size) * perLog, 255);
  const listed = Uint8Array.from({ length: LISTED }, (_, size) => (size ? levelOf(size) : 0));
  for (let node = 0; node < sizes.length; node++) {
    const edge = way[node] as number;
    if (edge < 0) continue;
    const size = sizes[node] as number;
    const level = size < LISTED ? (listed[size] as number) : levelOf(size);
    const end = firstLine[edge + 1] as number;
    for (let line = firstLine[edge] as number; line < end; line++) levels[line] = level;
  }
  return levels;
}

/** Return the class of each line; where the network has none, a road with a large subtree is important. */
export function classLevels(page: Contents, tree: Uint8Array): Uint8Array {
  if (!page.heading.classes.length) {
    const classes = new Uint8Array(tree.length);
    for (let line = 0; line < tree.length; line++) {
      const level = tree[line] as number;
      classes[line] = level < 125 ? 0 : level < 165 ? 1 : level < 200 ? 2 : 3;
    }
    return classes;
  }
  const levels = new Uint8Array(page.lineA.length);
  for (let edge = 0; edge < page.kind.length; edge++) {
    levels.fill(page.kind[edge] as number, page.firstLine[edge], page.firstLine[edge + 1]);
  }
  return levels;
}

const BLOCK = 64;

/** The lines of a page in blocks of neighbours with their boxes, since nodes are in the order of places. */
export class Raster {
  private readonly boxes: Float64Array;

  constructor(private readonly page: Contents) {
    const { x, y, lineA, lineB } = page;
    const blocks = Math.ceil(lineA.length / BLOCK);
    this.boxes = new Float64Array(4 * blocks);
    for (let block = 0; block < blocks; block++) {
      let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
      const end = Math.min((block + 1) * BLOCK, lineA.length);
      for (let line = block * BLOCK; line < end; line++) {
        for (const point of [lineA[line] as number, lineB[line] as number]) {
          left = Math.min(left, x[point] as number);
          right = Math.max(right, x[point] as number);
          bottom = Math.min(bottom, y[point] as number);
          top = Math.max(top, y[point] as number);
        }
      }
      this.boxes.set([left, bottom, right, top], 4 * block);
    }
  }

  /** Call `draw` with the first line and the one behind the last of each run of lines that a view may see. */
  runs(camera: Camera, margin: number, draw: (begin: number, end: number) => void): void {
    const reach = margin / camera.scale;
    const right = camera.left + camera.width / camera.scale + reach;
    const bottom = camera.top - camera.height / camera.scale - reach;
    const left = camera.left - reach;
    const top = camera.top + reach;
    const { boxes } = this;
    const count = this.page.lineA.length;
    for (let block = 0; 4 * block < boxes.length; block++) {
      const at = 4 * block;
      const outside = boxes[at]! > right || boxes[at + 1]! > top || boxes[at + 2]! < left || boxes[at + 3]! < bottom;
      if (!outside) draw(block * BLOCK, Math.min((block + 1) * BLOCK, count));
    }
  }

  /**
   * Draw every line of a view into `owners`, which holds coverage above the node that owns a pixel. Of two lines on one
   * pixel the larger value wins, so the order never matters.
   */
  draw(owners: Int32Array, camera: Camera, levels: Uint8Array, weights: Weights): void {
    owners.fill(0);
    if (!weights.casing) {
      this.pass(owners, camera, levels, weights.coverage, weights.width);
      return;
    }
    const casing = weights.casing;
    const below = weights.coverage.map((value, level) => (casing[level] ? 0 : value));
    const cleared = weights.coverage.map((_, level) => (casing[level] ? -1 : 0));
    const above = weights.coverage.map((value, level) => (casing[level] ? value : 0));
    const wide = weights.width.map((value, level) => value + 2 * (casing[level] as number));
    this.pass(owners, camera, levels, below, weights.width);
    this.pass(owners, camera, levels, cleared, wide);
    this.pass(owners, camera, levels, above, weights.width);
  }

  /** Note what the lines that a view sees cover, in the least width that they have. */
  note(camera: Camera, weights: Weights): Noted {
    const { x, y, lineA, lineB, ownerA, ownerB } = this.page;
    const { scale, left, top, width: columns, height: rows } = camera;
    const half = 0.5 * leastWidth(weights);
    const cover = new Cover();
    const lines = new Int32Array(lineA.length);
    const ends = new Int32Array(lineA.length);
    let count = 0;
    this.runs(camera, marginOf(weights.width), (begin, end) => {
      for (let line = begin; line < end; line++) {
        const a = lineA[line] as number;
        const b = lineB[line] as number;
        cover.add(
          columns,
          rows,
          (x[a]! - left) * scale,
          (top - y[a]!) * scale,
          (x[b]! - left) * scale,
          (top - y[b]!) * scale,
          ownerA[line] as number,
          ownerB[line] as number,
          half,
        );
        lines[count] = line;
        ends[count++] = cover.count;
      }
    });
    return new Noted(camera, weights, lines.subarray(0, count), ends, cover);
  }

  /** Draw every line of a view as `draw` does, by what was noted of it and is changed in there. */
  drawNoted(owners: Int32Array, noted: Noted, levels: Uint8Array, weights: Weights): void {
    noted.take(levels);
    owners.set(noted.narrow);
    for (const line of noted.broad) {
      this.drawOne(owners, noted.camera, line, levels[line] as number, weights.coverage, weights.width);
    }
  }

  private pass(owners: Int32Array, camera: Camera, levels: Uint8Array, coverage: Float32Array, width: Float32Array) {
    this.runs(camera, marginOf(width), (begin, end) => {
      for (let line = begin; line < end; line++)
        this.drawOne(owners, camera, line, levels[line] as number, coverage, width);
    });
  }

  private drawOne(
    owners: Int32Array,
    { scale, left, top, width: columns, height: rows }: Camera,
    line: number,
    level: number,
    coverage: Float32Array,
    width: Float32Array,
  ): void {
    const strength = coverage[level] as number;
    if (strength === 0) return;
    const { x, y, lineA, lineB, ownerA, ownerB } = this.page;
    const a = lineA[line] as number;
    const b = lineB[line] as number;
    drawLine(
      owners,
      columns,
      rows,
      (x[a]! - left) * scale,
      (top - y[a]!) * scale,
      (x[b]! - left) * scale,
      (top - y[b]!) * scale,
      ownerA[line] as number,
      ownerB[line] as number,
      strength,
      (width[level] as number) * 0.5,
    );
  }
}

/** Pixels beyond a view from which lines reach into it. */
function marginOf(width: Float32Array): number {
  return width.reduce((most, each) => Math.max(most, each), 0) + 2;
}

function leastWidth({ width }: Weights): number {
  return width.reduce((least, each) => Math.min(least, each), Infinity);
}

/** What the lines of a camera's view cover, and the picture of a tree, in which a next one changes what differs. */
export class Noted {
  /** The picture with all lines in the least width. */
  readonly narrow: Int32Array;
  /** Lines that are wider. */
  broad: number[] = [];
  private levels: Uint8Array | null = null;
  private readonly least: number;
  private readonly pixel: Int32Array;
  /** What covers pixel p is begin[p] to begin[p + 1] - 1: a line, its share, and the node that owns it. */
  private readonly begin: Int32Array;
  private readonly line: Int32Array;
  private readonly share: Float32Array;
  private readonly owner: Int32Array;

  /** Of each of some lines `cover` has what lies before its end, behind the one before. */
  constructor(
    readonly camera: Camera,
    private readonly weights: Weights,
    private readonly lines: Int32Array,
    private readonly ends: Int32Array,
    cover: Cover,
  ) {
    const { pixel, share, owner, count } = cover;
    const pixels = camera.width * camera.height;
    const begin = new Int32Array(pixels + 2);
    for (let at = 0; at < count; at++) begin[pixel[at]! + 2]!++;
    for (let place = 0; place < pixels; place++) begin[place + 2]! += begin[place + 1];
    this.narrow = new Int32Array(pixels);
    this.least = leastWidth(weights);
    this.pixel = pixel.slice(0, count);
    this.line = new Int32Array(count);
    this.share = new Float32Array(count);
    this.owner = new Int32Array(count);
    for (let k = 0, at = 0; k < lines.length; k++) {
      for (; at < ends[k]!; at++) {
        const to = begin[pixel[at]! + 1]!++;
        this.line[to] = lines[k] as number;
        this.share[to] = share[at] as number;
        this.owner[to] = owner[at] as number;
      }
    }
    this.begin = begin;
  }

  /** Whether this holds for a camera and weights. */
  fits(camera: Camera, { coverage, width }: Weights): boolean {
    const { weights } = this;
    const same = (values: Float32Array, others: Float32Array) => values.every((each, level) => each === others[level]);
    return camera === this.camera && same(coverage, weights.coverage) && same(width, weights.width);
  }

  /** Take the levels of lines in a tree: draw pixels anew that a line covers whose strength is another one. */
  take(levels: Uint8Array): void {
    const { lines, ends, pixel, least, levels: before } = this;
    const { coverage, width } = this.weights;
    this.broad = [];
    for (let k = 0; k < lines.length; k++) {
      const line = lines[k] as number;
      const level = levels[line] as number;
      if (width[level]! > least) this.broad.push(line);
      if (before && (before[line] === level || coverage[before[line] as number] === coverage[level])) continue;
      for (let at = k ? (ends[k - 1] as number) : 0; at < ends[k]!; at++) this.drawPixel(pixel[at] as number, levels);
    }
    this.levels = before?.length === levels.length ? before : new Uint8Array(levels.length);
    this.levels.set(levels);
  }

  private drawPixel(place: number, levels: Uint8Array): void {
    const { begin, line, share, owner } = this;
    const { coverage } = this.weights;
    const end = begin[place + 1] as number;
    let most = 0;
    for (let at = begin[place] as number; at < end; at++) {
      const whole = (coverage[levels[line[at] as number] as number]! * share[at]! + 0.5) | 0;
      const value = whole ? (whole << NODE_BITS) | owner[at]! : 0;
      if (value > most) most = value;
    }
    this.narrow[place] = most;
  }
}

/** What the line at hand covers. */
const covered = new Cover();

/**
 * Draw a line, `half` pixels to either side, whose halves belong to the nodes `a` and `b`; a `strength` below 0 clears.
 */
function drawLine(
  owners: Int32Array,
  columns: number,
  rows: number,
  xa: number,
  ya: number,
  xb: number,
  yb: number,
  a: number,
  b: number,
  strength: number,
  half: number,
): void {
  const margin = 1.5 * half + 1;
  const left = Math.min(xa, xb);
  const right = Math.max(xa, xb);
  const upper = Math.min(ya, yb);
  const lower = Math.max(ya, yb);
  if (left > columns + margin || right < -margin || upper > rows + margin || lower < -margin) return;
  const inside = left >= margin && right <= columns - margin && upper >= margin && lower <= rows - margin;
  if (inside && half === 0.5 && strength > 0) {
    drawNarrow(owners, columns, xa, ya, xb, yb, a, b, strength);
    return;
  }
  covered.count = 0;
  covered.add(columns, rows, xa, ya, xb, yb, a, b, half);
  const { pixel, share, owner, count } = covered;
  for (let k = 0; k < count; k++) {
    const at = pixel[k] as number;
    const before = owners[at] as number;
    if (strength < 0) {
      const rest = ((before >>> NODE_BITS) * (1 - share[k]!) + 0.5) | 0;
      owners[at] = rest ? (rest << NODE_BITS) | (before & NODE_MASK) : 0;
    } else {
      const whole = (strength * share[k]! + 0.5) | 0;
      const value = whole ? (whole << NODE_BITS) | owner[k]! : 0;
      if (value > before) owners[at] = value;
    }
  }
}

/** Draw a line that is a pixel wide and wholly inside, as nearly all of a city are, without a list of what it covers. */
function drawNarrow(
  owners: Int32Array,
  columns: number,
  xa: number,
  ya: number,
  xb: number,
  yb: number,
  a: number,
  b: number,
  strength: number,
): void {
  const tall = Math.abs(xb - xa) < Math.abs(yb - ya);
  let start = tall ? ya : xa;
  let side = tall ? xa : ya;
  let end = tall ? yb : xb;
  let endSide = tall ? xb : yb;
  if (start > end) {
    [start, side, end, endSide] = [end, endSide, start, side];
    [a, b] = [b, a];
  }
  const low = Math.min(side, endSide);
  const high = Math.max(side, endSide);
  const along = tall ? columns : 1;
  const across = tall ? 1 : columns;
  const slope = end > start ? (endSide - side) / (end - start) : 0;
  const middle = (start + end) * 0.5;
  const last = Math.floor(end);
  for (let i = Math.floor(start); i <= last; i++) {
    const centre = i + 0.5;
    const position = Math.min(Math.max(side + slope * (centre - start), low), high) - 0.5;
    const first = position | 0;
    const share = position - first;
    const owner = centre < middle ? a : b;
    const at = i * along + first * across;
    const near = (strength * (1 - share) + 0.5) | 0;
    const far = (strength * share + 0.5) | 0;
    const nearValue = near ? (near << NODE_BITS) | owner : 0;
    const farValue = far ? (far << NODE_BITS) | owner : 0;
    if (nearValue > owners[at]!) owners[at] = nearValue;
    if (farValue > owners[at + across]!) owners[at + across] = farValue;
  }
}

/** The light of the frontier and of the steps just before: points, and a bloom of cells that is blurred. */

import type { Camera } from "./camera.ts";
import type { Raster } from "./lines.ts";
import type { Contents, MapColours } from "./read.ts";

/** The share of a search's steps that glow behind the frontier. */
const TRAIL_SHARE = 0.02;
const CELL = 4;
const FAINTEST = 6;
const SPREAD = 0.32;
const EXPOSURE = 2.7;
/** Octaves of zoom from which on roads shine, not their nodes alone. */
const ROADS_SHINE = 2.5;

export function trailOf(steps: number): number {
  return Math.max(steps * TRAIL_SHARE, 1.5);
}

export function colourOf(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** How a theme's light looks at a zoom. */
export interface Lamp {
  /** Radius of a point in pixels, and of the bloom. */
  point: number;
  radius: number;
  octaves: number;
}

export function lampOf(typical: number, camera: Camera): Lamp {
  const octaves = Math.log2(Math.max((typical * camera.scale) / camera.ratio, 1));
  return {
    octaves,
    point: Math.round((1 + Math.min(0.5 * octaves, 1.5)) * camera.ratio),
    radius: (15 + Math.min(1.5 * octaves, 6)) * camera.ratio,
  };
}

/** How far red, green and blue go towards 255, or 0 on a light ground, at full strength. */
export function bloomShares(colours: MapColours): [number, number, number] {
  const limit = colours.glow_adds ? 255 : 0;
  const share = (value: number) => (Math.abs(value - (255 - limit)) / 255) * colours.bloom_strength;
  const [red, green, blue] = colourOf(colours.bloom);
  return [share(red), share(green), share(blue)];
}

/** The bloom's strength in 255ths at the middles of cells, and where the first cell begins in pixels. */
export interface Bloom {
  strength: Uint8Array;
  columns: number;
  rows: number;
  cell: number;
  before: number;
  above: number;
}

/** Finds what shines at a step; its arrays are used again from frame to frame. */
export class Light {
  /** x and y in whole pixels and weight 0 … 1 of each point. */
  points = new Float32Array(0);
  count = 0;
  bloom: Bloom | null = null;
  private cells = new Float32Array(0);
  private blurred = new Float32Array(0);
  private bytes = new Uint8Array(0);

  constructor(
    private readonly page: Contents,
    private readonly raster: Raster,
  ) {}

  /** Find the points and the bloom of a step, which may be fractional; nothing shines before the first one. */
  find(camera: Camera, lamp: Lamp, step: number): void {
    const { page } = this;
    const trail = trailOf(page.heading.steps);
    const last = Math.min(Math.floor(step), page.heading.steps - 1);
    const first = Math.max(Math.ceil(step - trail), 0);
    this.count = 0;
    this.bloom = null;
    if (step < 0 || first > last) return;
    const begin = page.frontierBegins[first] as number;
    const end = page.frontierBegins[last + 1] as number;
    const cell = Math.max(Math.round(CELL * camera.ratio), 1);
    const margin = Math.ceil(lamp.radius / cell) + 1;
    const modulo = (value: number) => ((value % cell) + cell) % cell;
    const before = modulo(camera.left * camera.scale) + margin * cell;
    const above = modulo(-camera.top * camera.scale) + margin * cell;
    const rows = Math.ceil((camera.height + above) / cell) + margin + 1;
    const columns = Math.ceil((camera.width + before) / cell) + margin + 1;
    const size = rows * columns;
    if (this.cells.length !== size) {
      this.cells = new Float32Array(size);
      this.blurred = new Float32Array(size);
      this.bytes = new Uint8Array(size);
    } else {
      this.cells.fill(0);
    }
    if (this.points.length < 3 * (end - begin)) this.points = new Float32Array(4 * (end - begin));
    const near = 2 * lamp.point;
    let at = begin;
    for (let k = first; k <= last; k++) {
      const age = Math.min(Math.max((step - k) / trail, 0), 1);
      const weight = Math.round(256 * (1 - age) ** 2.5);
      const stop = page.frontierBegins[k + 1] as number;
      if (weight < FAINTEST) {
        at = stop;
        continue;
      }
      for (; at < stop; at++) {
        const node = page.frontierNodes[at] as number;
        const px = (page.x[node]! - camera.left) * camera.scale;
        const py = (camera.top - page.y[node]!) * camera.scale;
        const column = Math.floor((px + before) / cell);
        const row = Math.floor((py + above) / cell);
        if (row >= 0 && row < rows && column >= 0 && column < columns) {
          const place = row * columns + column;
          if (this.cells[place]! < weight / 256) this.cells[place] = weight / 256;
        }
        if (px >= -near && py >= -near && px < camera.width + near && py < camera.height + near) {
          this.points.set([Math.floor(px), Math.floor(py), Math.min(weight, 255) / 255], 3 * this.count++);
        }
      }
    }
    const grid = { columns, rows, cell, before, above };
    if (lamp.octaves >= ROADS_SHINE) this.shineAlong(camera, lamp, step, trail, grid);
    this.blur(columns, rows, lamp.radius / cell);
    this.bloom = { strength: this.bytes, ...grid };
  }

  /** Light the cells along the halves of lines whose nodes were reached a short while ago. */
  private shineAlong(camera: Camera, lamp: Lamp, step: number, trail: number, grid: Omit<Bloom, "strength">): void {
    const { x, y, lineA, lineB, ownerA, ownerB, first } = this.page;
    const { columns, rows, cell, before, above } = grid;
    const light = (node: number, from: number, to: number) => {
      const age = step - (first[node] as number);
      if (first[node]! < 0 || age < 0 || age >= trail) return;
      const strength = Math.round(256 * (1 - age / trail) ** 2.5) / 256;
      const px = (x[from]! - camera.left) * camera.scale;
      const py = (camera.top - y[from]!) * camera.scale;
      const dx = (x[to]! - x[from]!) * camera.scale;
      const dy = (y[from]! - y[to]!) * camera.scale;
      const count = Math.min(Math.ceil((0.5 * Math.max(Math.abs(dx), Math.abs(dy))) / cell), rows * columns) + 1;
      for (let k = 0; k < count; k++) {
        const share = (0.5 * k) / count;
        const column = Math.floor((px + share * dx + before) / cell);
        const row = Math.floor((py + share * dy + above) / cell);
        if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
        const place = row * columns + column;
        if (this.cells[place]! < strength) this.cells[place] = strength;
      }
    };
    this.raster.runs(camera, lamp.radius, (begin, end) => {
      for (let line = begin; line < end; line++) {
        const a = lineA[line] as number;
        const b = lineB[line] as number;
        light(ownerA[line] as number, a, b);
        light(ownerB[line] as number, b, a);
      }
    });
  }

  /** Blur the cells in both directions and map them to tones of 0 … 255. */
  private blur(columns: number, rows: number, radius: number): void {
    const reach = Math.ceil(radius) + 1;
    const taps = Float32Array.from({ length: 2 * reach + 1 }, (_, k) =>
      Math.exp(-0.5 * ((k - reach) / (SPREAD * radius)) ** 2),
    );
    const sum = taps.reduce((all, each) => all + each, 0);
    taps.forEach((tap, k) => {
      taps[k] = tap / sum;
    });
    const { cells, blurred, bytes } = this;
    blurred.fill(0);
    bytes.fill(0);
    let top = rows;
    let bottom = -1;
    for (let row = 0; row < rows; row++) {
      const begin = row * columns;
      for (let column = 0; column < columns; column++) {
        const value = cells[begin + column] as number;
        if (!value) continue;
        top = Math.min(top, row);
        bottom = row;
        const from = Math.max(column - reach, 0);
        const to = Math.min(column + reach, columns - 1);
        for (let k = from; k <= to; k++) blurred[begin + k]! += value * taps[k - column + reach]!;
      }
    }
    const sums = new Float32Array(columns);
    for (let row = Math.max(top - reach, 0); row <= Math.min(bottom + reach, rows - 1); row++) {
      sums.fill(0);
      for (let k = Math.max(row - reach, top); k <= Math.min(row + reach, bottom); k++) {
        const tap = taps[k - row + reach] as number;
        const begin = k * columns;
        for (let column = 0; column < columns; column++) sums[column]! += blurred[begin + column]! * tap;
      }
      const begin = row * columns;
      for (let column = 0; column < columns; column++) {
        const light = sums[column] as number;
        if (light > 0) bytes[begin + column] = Math.round(255 * (1 - Math.exp(-EXPOSURE * light)));
      }
    }
  }
}

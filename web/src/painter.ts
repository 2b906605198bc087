/**
 * Colours a picture of owners on the processor, for browsers without a graphics card: drawn by WebGL in software, a frame
 * takes ten times as long. The picture is coloured in tiles, which know the first and the last step that change them.
 */

import { type Camera, motion } from "./camera.ts";
import { type Coloured, colouredBy, type Drawer, type Moment } from "./drawer.ts";
import { type Bloom, bloomShares, colourOf, type Lamp, type Light, trailOf } from "./light.ts";
import { NODE_BITS, NODE_MASK } from "./lines.ts";
import type { Contents, MapColours } from "./read.ts";

const TILE_WIDTH = 64;
const TILE_HEIGHT = 16;
const UNREACHED = 256;
const NEVER = 0x7fffffff;

/** Put two 0xAABBGGRR pixels together; `share` of `over` is in 256ths. */
function mix(under: number, over: number, share: number): number {
  const rest = 256 - share;
  const red = ((under & 255) * rest + (over & 255) * share) >> 8;
  const green = (((under >> 8) & 255) * rest + ((over >> 8) & 255) * share) >> 8;
  const blue = (((under >> 16) & 255) * rest + ((over >> 16) & 255) * share) >> 8;
  return (255 << 24) | (blue << 16) | (green << 8) | red;
}

export class Painter implements Drawer {
  private readonly context: CanvasRenderingContext2D;
  private readonly first: Int32Array;
  private readonly colour: Uint8Array;
  private readonly fade = Int32Array.from({ length: 256 }, (_, age) => Math.round(256 * (1 - age / 255) ** 2.5));
  private table: Int32Array = new Int32Array(0);
  private hot: Int32Array = new Int32Array(0);
  private colours: MapColours | null = null;
  private owners: Int32Array = new Int32Array(0);
  private drawn: Camera | null = null;
  private image: ImageData | null = null;
  private pixels = new Int32Array(0);
  private tileColumns = 0;
  private tileRows = 0;
  private tileFirst = new Int32Array(0);
  private tileLast = new Int32Array(0);
  /** Tiles that do not show the step that was drawn last without its light. */
  private stale = new Uint8Array(0);
  private changed = new Uint8Array(0);
  private knowsSteps = false;
  private stepBefore = -1;
  private treeBefore = false;
  private sprite = new Float32Array(0);
  private spriteOf = "";
  private cover = new Uint8Array(0);

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly page: Contents,
  ) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("no canvas");
    this.context = context;
    this.first = new Int32Array(page.heading.nodes);
    this.colour = new Uint8Array(page.heading.nodes);
    this.takeTree(colouredBy(page));
  }

  takeTree({ first, distance, last }: Coloured): void {
    const { heading } = this.page;
    // Loops: a function called for each node would take as long as all else that a page does at first.
    const perValue = 255 / Math.max(last, 1e-9);
    for (let node = 0; node < heading.nodes; node++) {
      this.first[node] = first[node]! < 0 ? NEVER : first[node]!;
      this.colour[node] = Math.min(Math.max(distance[node]! * perValue, 0), 255);
    }
    this.stale.fill(1);
    this.knowsSteps = false;
  }

  dispose(): void {}

  setTheme(name: string): void {
    const tables = this.page.tables[name];
    const theme = this.page.heading.themes[name];
    if (!tables || !theme) return;
    this.colours = theme.map;
    this.table = new Int32Array(tables.table.buffer);
    this.hot = new Int32Array(tables.hot.buffer);
    this.spriteOf = "";
    this.stale.fill(1);
  }

  setOwners(owners: Int32Array, camera: Camera): void {
    const { width, height } = camera;
    this.owners = owners;
    this.drawn = camera;
    if (this.image?.width !== width || this.image.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.image = new ImageData(width, height);
      this.pixels = new Int32Array(this.image.data.buffer);
      this.tileColumns = Math.ceil(width / TILE_WIDTH);
      this.tileRows = Math.ceil(height / TILE_HEIGHT);
      const tiles = this.tileColumns * this.tileRows;
      this.tileFirst = new Int32Array(tiles);
      this.tileLast = new Int32Array(tiles);
      this.stale = new Uint8Array(tiles);
      this.changed = new Uint8Array(tiles);
      this.cover = new Uint8Array(width * height);
    }
    this.canvas.style.transform = "";
    this.stale.fill(1);
    this.knowsSteps = false;
  }

  /** Find the first and the last step that reach a node in each tile. */
  private findSteps(): void {
    const { owners, first, tileFirst, tileLast, tileColumns } = this;
    const { width, height } = this.drawn as Camera;
    this.knowsSteps = true;
    tileFirst.fill(NEVER);
    tileLast.fill(-1);
    for (let y = 0; y < height; y++) {
      const row = (y >> 4) * tileColumns;
      const begin = y * width;
      for (let x = 0; x < width; x++) {
        const value = owners[begin + x] as number;
        if (value === 0) continue;
        const step = first[value & NODE_MASK] as number;
        if (step === NEVER) continue;
        const tile = row + (x >> 6);
        if (step < tileFirst[tile]!) tileFirst[tile] = step;
        if (step > tileLast[tile]!) tileLast[tile] = step;
      }
    }
  }

  draw(camera: Camera, moment: Moment, lamp: Lamp, light: Light): void {
    const { drawn, colours, image } = this;
    if (!drawn || !colours || !image) return;
    if (camera !== drawn) {
      this.canvas.style.transform = motion(drawn, camera); // it is drawn again when the view rests
      return;
    }
    const tree = moment.tree;
    const trail = trailOf(this.page.heading.steps);
    const now = moment.step;
    if (!tree && !this.knowsSteps) this.findSteps();
    if (tree !== this.treeBefore) this.stale.fill(1);
    const later = Math.max(Math.floor(now), Math.floor(this.stepBefore));
    const earlier = Math.floor(Math.min(now, this.stepBefore) - trail);
    const { tileFirst, tileLast, stale, changed } = this;
    for (let tile = 0; tile < stale.length; tile++) {
      const steps = !tree && tileFirst[tile]! <= later && tileLast[tile]! > earlier;
      changed[tile] = stale[tile] || steps ? 1 : 0;
      if (!changed[tile]) continue;
      stale[tile] = 0;
      const hot = !tree && tileFirst[tile]! <= now && tileLast[tile]! > now - trail;
      this.shade(tile, tree ? NEVER - 1 : Math.floor(now), hot ? now : -1, trail);
    }
    this.stepBefore = now;
    this.treeBefore = tree;
    if (!tree && light.bloom) {
      this.layBloom(light.bloom, colours);
      this.layPoints(light, lamp, colours);
    }
    this.put(image);
  }

  /** Colour a tile at a step; `now` is below 0 where nothing in it was reached a short while ago. */
  private shade(tile: number, step: number, now: number, trail: number): void {
    const { owners, pixels, first, colour, table, hot, fade } = this;
    const { width, height } = this.drawn as Camera;
    const left = (tile % this.tileColumns) * TILE_WIDTH;
    const top = Math.floor(tile / this.tileColumns) * TILE_HEIGHT;
    const right = Math.min(left + TILE_WIDTH, width);
    const bottom = Math.min(top + TILE_HEIGHT, height);
    const ground = table[UNREACHED * 128] as number;
    const ageing = 256 / trail;
    for (let y = top; y < bottom; y++) {
      const end = y * width + right;
      for (let at = y * width + left; at < end; at++) {
        const value = owners[at] as number;
        if (value === 0) {
          pixels[at] = ground;
          continue;
        }
        const node = value & NODE_MASK;
        const coverage = value >>> NODE_BITS;
        const reached = first[node] as number;
        let pixel = table[((reached <= step ? colour[node]! : UNREACHED) << 7) | coverage] as number;
        if (now >= 0 && reached <= now) {
          const age = (now - reached) * ageing;
          if (age < 255) pixel = mix(pixel, hot[coverage]!, fade[age | 0]!);
        }
        pixels[at] = pixel;
      }
    }
  }

  /** Let pixels go towards white, or black on a light ground, by the light of the cells round them. */
  private layBloom(bloom: Bloom, colours: MapColours): void {
    const { pixels, stale, changed, tileColumns } = this;
    const { width, height } = this.drawn as Camera;
    const { strength, columns, cell, before, above } = bloom;
    const [red, green, blue] = bloomShares(colours).map((share) => share / 255) as [number, number, number];
    const limit = colours.glow_adds ? 255 : 0;
    const line = new Float32Array(columns);
    const columnOf = new Int32Array(width);
    const shareOf = new Float32Array(width);
    for (let x = 0; x < width; x++) {
      const u = (x + 0.5 + before) / cell - 0.5;
      columnOf[x] = Math.floor(u);
      shareOf[x] = u - Math.floor(u);
    }
    for (let y = 0; y < height; y++) {
      const v = (y + 0.5 + above) / cell - 0.5;
      const upper = Math.floor(v) * columns;
      const share = v - Math.floor(v);
      let lit = false;
      for (let column = 0; column < columns; column++) {
        const a = strength[upper + column] as number;
        const value = a + (strength[upper + columns + column]! - a) * share;
        line[column] = value;
        lit ||= value > 0;
      }
      if (!lit) continue;
      const row = (y >> 4) * tileColumns;
      for (let x = 0; x < width; x++) {
        const column = columnOf[x] as number;
        const a = line[column] as number;
        const b = line[column + 1] as number;
        if (a + b < 0.75) continue;
        const tile = row + (x >> 6);
        stale[tile] = changed[tile] = 1;
        const light = a + (b - a) * shareOf[x]!;
        const pixel = pixels[y * width + x] as number;
        const r = pixel & 255;
        const g = (pixel >> 8) & 255;
        const bl = (pixel >> 16) & 255;
        pixels[y * width + x] =
          (255 << 24) |
          ((bl + (limit - bl) * light * blue + 0.5) << 16) |
          ((g + (limit - g) * light * green + 0.5) << 8) |
          (r + (limit - r) * light * red + 0.5);
      }
    }
  }

  private layPoints(light: Light, lamp: Lamp, colours: MapColours): void {
    const { cover, stale, changed, tileColumns, pixels } = this;
    const { width, height } = this.drawn as Camera;
    const radius = lamp.point;
    const side = 2 * radius + 1;
    const sprite = this.spriteFor(radius, colours);
    const [red, green, blue] = colourOf(colours.core);
    const core = (255 << 24) | (blue << 16) | (green << 8) | red;
    const touched: number[] = [];
    for (let k = 0; k < light.count; k++) {
      const column = light.points[3 * k]! - radius;
      const row = light.points[3 * k + 1]! - radius;
      const weight = light.points[3 * k + 2] as number;
      for (let r = 0; r < side; r++) {
        const y = row + r;
        if (y < 0 || y >= height) continue;
        for (let c = 0; c < side; c++) {
          const x = column + c;
          if (x < 0 || x >= width) continue;
          const share = Math.round(sprite[r * side + c]! * weight);
          const at = y * width + x;
          if (share > cover[at]!) {
            if (!cover[at]) touched.push(at);
            cover[at] = share;
          }
        }
      }
    }
    for (const at of touched) {
      const share = cover[at] as number;
      pixels[at] = mix(pixels[at]!, core, share + (share >> 7));
      cover[at] = 0;
      const tile = ((at / width) >> 4) * tileColumns + ((at % width) >> 6);
      stale[tile] = changed[tile] = 1;
    }
  }

  private spriteFor(radius: number, colours: MapColours): Float32Array {
    const key = `${radius} ${colours.core_strength}`;
    if (key !== this.spriteOf) {
      const side = 2 * radius + 1;
      this.sprite = Float32Array.from({ length: side * side }, (_, at) => {
        const away = Math.hypot((at % side) - radius, Math.floor(at / side) - radius) / (radius + 0.5);
        return Math.round(255 * colours.core_strength * Math.max(1 - away, 0) ** 0.7);
      });
      this.spriteOf = key;
    }
    return this.sprite;
  }

  /** Show the tiles that have changed, those of a row together. */
  private put(image: ImageData): void {
    const { changed, tileColumns, tileRows } = this;
    for (let row = 0; row < tileRows; row++) {
      const begin = row * tileColumns;
      const first = changed.indexOf(1, begin);
      if (first < 0) return;
      if (first >= begin + tileColumns) continue;
      const last = changed.lastIndexOf(1, begin + tileColumns - 1);
      const left = (first - begin) * TILE_WIDTH;
      this.context.putImageData(image, 0, 0, left, row * TILE_HEIGHT, (last - first + 1) * TILE_WIDTH, TILE_HEIGHT);
    }
  }
}

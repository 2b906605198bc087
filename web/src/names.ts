/**
 * Names of places and along roads: chosen by rank and zoom, none over another. A layout belongs to a step of the zoom and
 * a part of the plane that is larger than the view, as in the window.
 */

import type { Camera } from "./camera.ts";
import type { Contents, MapColours } from "./read.ts";

interface Look {
  size: number;
  weight: number;
  italic?: boolean;
  capitals?: boolean;
}

const LOOKS: Record<string, Look> = {
  city: { size: 17, weight: 600 },
  town: { size: 14, weight: 600 },
  village: { size: 12, weight: 500 },
  suburb: { size: 11, weight: 600, capitals: true },
  quarter: { size: 10.5, weight: 500, capitals: true },
  hamlet: { size: 11, weight: 400 },
  island: { size: 12, weight: 500, italic: true },
  water: { size: 11, weight: 500, italic: true },
  park: { size: 10.5, weight: 500, italic: true },
  wood: { size: 10.5, weight: 500, italic: true },
  glacier: { size: 12, weight: 500, italic: true },
  road: { size: 10.5, weight: 500 },
  "main road": { size: 11, weight: 500 },
};
/** Metres in a pixel up to which places of a kind have names, in the order of their rank. */
const WIDEST_VIEW: Record<string, number> = {
  city: 6000,
  town: 800,
  village: 150,
  suburb: 45,
  quarter: 16,
  hamlet: 28,
  island: 300,
};
const WIDEST_ROADS = [3.2, 14, 36, 110];
const STEPS_OF_ZOOM = 3;
const REGION = 512;
const CELL = 4;
const MOST = 260;
const ROOM = 1600 * 1000;
/** Pixels from one name of a road to the next. */
const APART = 300;
const STRAIGHT = 0.995;
const CURVED = 0.9;
const SHARPEST = 0.5;
const HALO = 3.2;
const LONGEST = 48;

type Letter = [x: number, y: number, angle: number];

/** One name: where on the plane, and for a road the letters' places in pixels from there; none on a straight line. */
interface Label {
  text: string;
  kind: string;
  look: Look;
  x: number;
  y: number;
  angle: number;
  letters: Letter[];
}

interface Region {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

function fontOf(look: Look): string {
  return `${look.italic ? "italic " : ""}${look.weight} ${look.size}px Inter, system-ui, "Noto Sans JP", sans-serif`;
}

function shown(text: string, look: Look): string {
  const letters = [...text.replace(/\s+/g, " ")];
  const line = letters.length <= LONGEST ? letters.join("") : `${letters.slice(0, LONGEST - 1).join("")}…`;
  return look.capitals ? line.toUpperCase() : line;
}

export class Names {
  private readonly widths = new Map<string, number>();
  private readonly measuring = document.createElement("canvas").getContext("2d");
  private readonly lengths: Float64Array;
  private readonly order: Int32Array;
  private laid: { scale: number; region: Region; labels: Label[] } | null = null;

  constructor(private readonly page: Contents) {
    const { begins, x, y, rank } = page.roads;
    const lengths = new Float64Array(rank.length);
    for (let road = 0; road < rank.length; road++) {
      for (let at = begins[road]! + 1; at < begins[road + 1]!; at++) {
        lengths[road]! += Math.hypot(x[at]! - x[at - 1]!, y[at]! - y[at - 1]!);
      }
    }
    this.lengths = lengths;
    this.order = Int32Array.from(rank.keys()).sort((a, b) => rank[b]! - rank[a]! || lengths[b]! - lengths[a]!);
  }

  get empty(): boolean {
    return !this.order.length && !this.page.heading.places.length;
  }

  paint(context: CanvasRenderingContext2D, camera: Camera, colours: MapColours): void {
    const { ratio } = camera;
    const scale = camera.scale / ratio;
    context.lineJoin = "round";
    context.lineWidth = HALO;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const write = (text: string, ink: string, strength: number) => {
      context.globalAlpha = 0.8;
      context.strokeStyle = colours.casing;
      context.strokeText(text, 0, 0);
      context.globalAlpha = strength;
      context.fillStyle = ink;
      context.fillText(text, 0, 0);
    };
    for (const label of this.layout(camera)) {
      const x = (label.x - camera.left) * scale;
      const y = (camera.top - label.y) * scale;
      if (x < -200 || y < -200 || x > camera.width / ratio + 200 || y > camera.height / ratio + 200) continue;
      context.font = fontOf(label.look);
      const ink = {
        water: colours.water_ink,
        glacier: colours.water_ink,
        park: colours.green_ink,
        wood: colours.green_ink,
      }[label.kind];
      const strength = label.kind.endsWith("road") ? 0.72 : 0.9;
      const text = shown(label.text, label.look);
      const at = (dx: number, dy: number, angle: number) => {
        const [cos, sin] = [Math.cos(angle) * ratio, Math.sin(angle) * ratio];
        context.setTransform(cos, sin, -sin, cos, (x + dx) * ratio, (y + dy) * ratio);
      };
      if (label.letters.length) {
        [...text].forEach((letter, index) => {
          const [dx, dy, angle] = label.letters[index] as Letter;
          at(dx, dy, angle);
          write(letter, ink ?? colours.ink, strength);
        });
      } else {
        at(0, 0, label.angle);
        write(text, ink ?? colours.ink, strength);
      }
    }
    context.globalAlpha = 1;
  }

  private layout(camera: Camera): Label[] {
    const logical = camera.scale / camera.ratio;
    const scale = 2 ** (Math.floor(Math.log2(logical) * STEPS_OF_ZOOM) / STEPS_OF_ZOOM);
    const right = camera.left + camera.width / camera.scale;
    const bottom = camera.top - camera.height / camera.scale;
    const last = this.laid;
    const holds = (region: Region) =>
      region.left <= camera.left && region.bottom <= bottom && region.right >= right && region.top >= camera.top;
    if (last && last.scale === scale && holds(last.region)) return last.labels;
    const side = REGION / scale;
    const region = {
      left: Math.floor(camera.left / side - 0.5) * side,
      bottom: Math.floor(bottom / side - 0.5) * side,
      right: Math.ceil(right / side + 0.5) * side,
      top: Math.ceil(camera.top / side + 0.5) * side,
    };
    const kept = new Set(last?.scale === scale ? last.labels.map((label) => label.text) : []);
    const found = [...this.ofPlaces(scale, region), ...this.ofRoads(scale, region)].slice(0, 3 * MOST);
    // The names of the layout before come first; else it goes by rank.
    const ordered = [
      ...found.filter((label) => kept.has(label.text)),
      ...found.filter((label) => !kept.has(label.text)),
    ];
    const room = (region.right - region.left) * (region.top - region.bottom) * scale * scale;
    const most = Math.round(MOST * Math.max(room / ROOM, 0.5));
    const taken = new Taken(region, scale);
    const labels: Label[] = [];
    for (const label of ordered) {
      if (labels.length >= most) break;
      if (taken.take(label, this.widthOf(label.text, label.look))) labels.push(label);
    }
    this.laid = { scale, region, labels };
    return labels;
  }

  /** Names of places and areas that are large enough, places first and by rank. */
  private ofPlaces(scale: number, region: Region): Label[] {
    const { kinds, places } = this.page.heading;
    const ranks = Object.keys(WIDEST_VIEW);
    const out: { label: Label; rank: number; size: number }[] = [];
    for (const [index, name, x, y, size] of places) {
      const kind = kinds[index] as string;
      const look = LOOKS[kind];
      if (!look || x < region.left || x > region.right || y < region.bottom || y > region.top) continue;
      const widest = WIDEST_VIEW[kind];
      const seen = widest ? 1 / scale <= widest : Math.sqrt(size) * scale > 5 * name.length + 10;
      const rank = widest ? ranks.indexOf(kind) : ranks.length;
      if (seen) out.push({ label: { text: name, kind, look, x, y, angle: 0, letters: [] }, rank, size });
    }
    out.sort((a, b) => a.rank - b.rank || b.size - a.size);
    return out.map(({ label }) => label);
  }

  /** Names along roads, those of large and long roads first. */
  private ofRoads(scale: number, region: Region): Label[] {
    const { name, rank, begins, x, y } = this.page.roads;
    const out: Label[] = [];
    let tried = 0;
    for (const road of this.order) {
      if (tried > 3 * MOST) break;
      if (1 / scale > WIDEST_ROADS[rank[road] as number]! || this.lengths[road]! * scale < 50) continue;
      const begin = begins[road] as number;
      const end = begins[road + 1] as number;
      let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
      for (let at = begin; at < end; at++) {
        left = Math.min(left, x[at]!);
        right = Math.max(right, x[at]!);
        bottom = Math.min(bottom, y[at]!);
        top = Math.max(top, y[at]!);
      }
      if (left > region.right || right < region.left || bottom > region.top || top < region.bottom) continue;
      tried++;
      const kind = rank[road]! >= 2 ? "main road" : "road";
      const look = LOOKS[kind] as Look;
      const text = this.page.heading.road_names[name[road] as number] as string;
      const course = new Course(x.subarray(begin, end), y.subarray(begin, end), scale);
      for (const letters of course.names(this.endsOf(text, look), region)) {
        const [px, py, angle] = letters[letters.length >> 1] as Letter;
        const bent = letters.length > 1;
        out.push({
          text,
          kind,
          look,
          x: px / scale,
          y: -py / scale,
          angle: bent ? 0 : angle,
          letters: bent ? letters.map(([a, b, turn]) => [a - px, b - py, turn]) : [],
        });
      }
    }
    return out;
  }

  private widthOf(text: string, look: Look): number {
    return this.endsOf(text, look).at(-1) ?? 0;
  }

  /** Return where the letters of a name end, in pixels from its start. */
  private endsOf(text: string, look: Look): number[] {
    const font = fontOf(look);
    let end = 0;
    return [...shown(text, look)].map((letter) => {
      const key = font + letter;
      let width = this.widths.get(key);
      if (width === undefined && this.measuring) {
        this.measuring.font = font;
        width = this.measuring.measureText(letter).width;
        this.widths.set(key, width);
      }
      end += width ?? look.size * 0.6;
      return end;
    });
  }
}

/** The line of a road in pixels, downward. */
class Course {
  private readonly at: number[] = [0];

  constructor(
    private readonly x: Float64Array,
    private readonly y: Float64Array,
    private readonly scale: number,
  ) {
    for (let k = 1; k < x.length; k++) {
      this.at.push((this.at[k - 1] as number) + Math.hypot(x[k]! - x[k - 1]!, y[k]! - y[k - 1]!) * scale);
    }
  }

  /** Return the place at a length along the line. */
  private place(length: number): [number, number] {
    const { at, x, y, scale } = this;
    let low = 0;
    let high = at.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (at[middle]! <= length) low = middle;
      else high = middle;
    }
    const span = at[high]! - at[low]!;
    const share = span > 0 ? Math.min(Math.max((length - at[low]!) / span, 0), 1) : 0;
    return [(x[low]! + share * (x[high]! - x[low]!)) * scale, -(y[low]! + share * (y[high]! - y[low]!)) * scale];
  }

  /** Return the letters of each name that the line can carry in a region; a single one means a straight stretch. */
  names(ends: number[], region: Region): Letter[][] {
    const width = ends.at(-1) ?? 0;
    const room = this.at.at(-1) ?? 0;
    if (width <= 0 || width > room - 12) return [];
    const turns = Math.max(Math.floor((room - width) / APART) + 1, 1);
    const out: Letter[][] = [];
    for (let turn = 0; turn < turns; turn++) {
      const middle = ((turn + 0.5) * room) / turns;
      const [x, y] = this.place(middle);
      const { scale } = this;
      if (x < region.left * scale || x > region.right * scale) continue;
      if (-y < region.bottom * scale || -y > region.top * scale) continue;
      for (const shift of [0, 0.2, -0.2]) {
        const start = middle + shift * Math.min(room / turns, room - width) - width / 2;
        const letters = this.letters(ends, Math.min(Math.max(start, 4), room - width - 4));
        if (letters) {
          out.push(letters);
          break;
        }
      }
    }
    return out;
  }

  private letters(ends: number[], start: number): Letter[] | null {
    const width = ends.at(-1) as number;
    const [fromX, fromY] = this.place(start);
    const [toX, toY] = this.place(start + width);
    const chord = Math.hypot(toX - fromX, toY - fromY);
    if (chord < CURVED * width) return null;
    const backward = toX < fromX;
    if (chord >= STRAIGHT * width) {
      const angle = Math.atan2(toY - fromY, toX - fromX) + (backward ? Math.PI : 0);
      return [[(fromX + toX) / 2, (fromY + toY) / 2, angle]];
    }
    const out: Letter[] = [];
    for (let k = 0; k < ends.length; k++) {
      const near = k ? (ends[k - 1] as number) : 0;
      const far = ends[k] as number;
      const [x0, y0] = this.place(start + (backward ? width - near : near));
      const [x1, y1] = this.place(start + (backward ? width - far : far));
      const angle = Math.atan2(y1 - y0, x1 - x0);
      const before = out[k - 1]?.[2] ?? angle;
      const turned = Math.abs(((((angle - before + Math.PI) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)) - Math.PI);
      if (turned > SHARPEST) return null;
      out.push([(x0 + x1) / 2, (y0 + y1) / 2, angle]);
    }
    return out;
  }
}

/** Which squares of a region names have taken. */
class Taken {
  private readonly rows: number;
  private readonly columns: number;
  private readonly cells: Uint8Array;
  private readonly near = new Map<string, [number, number][]>();

  constructor(
    private readonly region: Region,
    private readonly scale: number,
  ) {
    this.columns = Math.ceil(((region.right - region.left) * scale) / CELL) + 1;
    this.rows = Math.ceil(((region.top - region.bottom) * scale) / CELL) + 1;
    this.cells = new Uint8Array(this.rows * this.columns);
  }

  /** Take the squares of a name, unless one is taken, or the same road has its name near. */
  take(label: Label, width: number): boolean {
    const x = (label.x - this.region.left) * this.scale;
    const y = (this.region.top - label.y) * this.scale;
    const others = this.near.get(label.text) ?? [];
    if (others.some(([a, b]) => Math.hypot(x - a, y - b) < APART)) return false;
    const squares = this.squares(label, width, x, y);
    for (const square of squares) if (this.any(square)) return false;
    for (const [left, top, right, bottom] of squares) {
      for (let row = top; row <= bottom; row++) {
        this.cells.fill(1, row * this.columns + left, row * this.columns + right + 1);
      }
    }
    this.near.set(label.text, [...others, [x, y]]);
    return true;
  }

  private any([left, top, right, bottom]: [number, number, number, number]): boolean {
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) if (this.cells[row * this.columns + column]) return true;
    }
    return false;
  }

  private squares(label: Label, width: number, x: number, y: number): [number, number, number, number][] {
    const half = label.look.size * 0.5 + 3;
    if (!label.kind.endsWith("road")) return [this.square(x, y, width / 2 + 5, half + 2)];
    if (label.letters.length) return label.letters.map(([dx, dy]) => this.square(x + dx, y + dy, half, half));
    const steps = Math.max(Math.floor(width / half), 2);
    return Array.from({ length: steps }, (_, k) => {
      const along = (k / (steps - 1) - 0.5) * width;
      return this.square(x + Math.cos(label.angle) * along, y + Math.sin(label.angle) * along, half, half);
    });
  }

  private square(x: number, y: number, across: number, upward: number): [number, number, number, number] {
    const column = (value: number) => Math.min(Math.max(Math.floor(value / CELL), 0), this.columns - 1);
    const row = (value: number) => Math.min(Math.max(Math.floor(value / CELL), 0), this.rows - 1);
    return [column(x - across), row(y - upward), column(x + across), row(y + upward)];
  }
}

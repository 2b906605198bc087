/** A small graph: discs with names and labels, arcs with weights, each as what it is in the step that is shown. */

import { type Camera, toPixels } from "./camera.ts";
import type { Contents, Theme } from "./read.ts";
import { paintBands, paintRings, type Signs } from "./signs.ts";

/** What the search has done by a step. `fell` has what a label was before, by node. */
interface Done {
  labels: string[];
  fell: Record<string, string>;
  states: string;
  kinds: string;
}

export interface Graph {
  x: number[];
  y: number[];
  radius: number;
  names: string[];
  long: boolean;
  /** Tail, head, arc, the arc that it shows backwards or -1, control point, weight. */
  arcs: [number, number, number, number, number, number, string][];
  moments: Done[];
  tree: Done;
  held: [string, [string, string][]][][];
}

const LARGEST_DISC = 24;
const LARGEST_SHARE = 0.06;
const SMALLEST_DISC = 3.5;
const [UNREACHED, WAITING, EXPANDED, SETTLED] = ["0", "1", "2", "3"];
const [TRIED, IN_TREE, LOWERED] = ["1", "2", "3"];
/** Where along an arc its weight may stand, half-way first. */
const SHARES = [0.5, 0.4, 0.6, 0.32, 0.68];
const WIDTHS: Record<string, number> = { "0": 1.3, "1": 1.8, "2": 2.8, "3": 3.4 };

type Point = [number, number];

export class Diagram {
  private colours: { theme: Theme; rows: string[] } | null = null;

  constructor(
    private readonly graph: Graph,
    private readonly page: Contents,
  ) {}

  /** Return the moment after so many steps of the replay, or the finished tree. */
  private done(step: number, tree: boolean): Done {
    const { moments } = this.graph;
    return tree ? this.graph.tree : (moments[Math.min(Math.floor(step + 1e-9) + 1, moments.length - 1)] as Done);
  }

  private radius(camera: Camera): number {
    const { ratio, scale, width, height } = camera;
    const largest = Math.min(LARGEST_DISC, (LARGEST_SHARE * Math.min(width, height)) / ratio);
    return Math.max(Math.min((this.graph.radius * scale) / ratio, largest), SMALLEST_DISC);
  }

  private place(camera: Camera, x: number, y: number): Point {
    const [column, row] = toPixels(camera, x, y);
    return [column / camera.ratio, row / camera.ratio];
  }

  /** Return where a node is drawn, in logical pixels. */
  placeOf(camera: Camera, node: number): Point {
    return this.place(camera, this.graph.x[node] as number, this.graph.y[node] as number);
  }

  /** Return the node whose disc is at a place in logical pixels, or -1. */
  nodeAt(camera: Camera, x: number, y: number): number {
    let best = this.radius(camera) + 6;
    let found = -1;
    for (let node = 0; node < this.graph.x.length; node++) {
      const [px, py] = this.placeOf(camera, node);
      const away = Math.hypot(px - x, py - y);
      if (away < best) [best, found] = [away, node];
    }
    return found;
  }

  setTheme(name: string): void {
    const theme = this.page.heading.themes[name];
    const tables = this.page.tables[name];
    if (!theme || !tables) return;
    const { gradient } = theme;
    const rows = Array.from({ length: 256 }, (_, row) => {
      const [red, green, blue] = gradient[Math.round((row / 255) * (gradient.length - 1))] as [number, number, number];
      return `rgb(${red} ${green} ${blue})`;
    });
    this.colours = { theme, rows };
  }

  private colourOf(node: number): string {
    const share = Math.min(
      Math.max((this.page.distance[node] as number) / Math.max(this.page.heading.last, 1e-9), 0),
      1,
    );
    return this.colours?.rows[Math.floor(255 * share)] ?? "#888888";
  }

  /** Paint the graph at a moment; `route` are the nodes of a route that is shown. */
  paint(
    context: CanvasRenderingContext2D,
    camera: Camera,
    moment: { step: number; tree: boolean },
    marks: { hovered: number; target: number; route: readonly number[]; signs: Signs | null },
  ): void {
    if (!this.colours) return;
    const { theme } = this.colours;
    const done = this.done(moment.step, moment.tree);
    const radius = this.radius(camera);
    context.setTransform(camera.ratio, 0, 0, camera.ratio, 0, 0);
    const at = (node: number) => this.placeOf(camera, node);
    this.paintArcs(context, camera, done, radius, marks.route);
    if (marks.signs) paintBands(context, marks.signs, at, theme.map);
    const order = [...this.graph.x.keys()].sort(
      (a, b) => Number(done.states[a] === EXPANDED) - Number(done.states[b] === EXPANDED),
    );
    for (const node of order) this.paintDisc(context, camera, done, radius, node);
    for (const node of order) this.paintLabel(context, camera, done, radius, node);
    const ring = (node: number, colour: string, out: number, width: number) => {
      const [x, y] = this.placeOf(camera, node);
      context.beginPath();
      context.arc(x, y, radius + out, 0, 2 * Math.PI);
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.stroke();
    };
    ring(this.page.heading.source, theme.map.ink, 6, 2);
    if (marks.signs) paintRings(context, marks.signs, radius, at, theme.map);
    if (marks.target >= 0) ring(marks.target, theme.map.target, 6, 2.5);
    if (marks.hovered >= 0) ring(marks.hovered, theme.map.ink, 3, 1.5);
  }

  private paintArcs(
    context: CanvasRenderingContext2D,
    camera: Camera,
    done: Done,
    radius: number,
    route: readonly number[],
  ): void {
    const { theme } = this.colours as { theme: Theme };
    const { x, y, arcs } = this.graph;
    const onRoute = new Set(route.slice(1).map((node, index) => `${route[index]} ${node}`));
    const strength = (kind: string) => (kind === IN_TREE ? 2 : kind === LOWERED ? 3 : kind === TRIED ? 1 : 0);
    const drawn = arcs.map(([tail, head, arc, back, cx, cy, weight]) => {
      const there = done.kinds[arc] as string;
      const returning = back < 0 ? "0" : (done.kinds[back] as string);
      const kind = strength(returning) > strength(there) ? returning : there;
      const routed = onRoute.has(`${tail} ${head}`) || (back >= 0 && onRoute.has(`${head} ${tail}`));
      const end = kind === returning && kind !== there ? tail : head;
      return { tail, head, back, cx, cy, weight, kind, routed, end };
    });
    drawn.sort((a, b) => strength(a.kind) + 4 * Number(a.routed) - strength(b.kind) - 4 * Number(b.routed));
    for (const { tail, head, back, cx, cy, kind, routed, end } of drawn) {
      const a = this.place(camera, x[tail] as number, y[tail] as number);
      const b = this.place(camera, x[head] as number, y[head] as number);
      const c = this.place(camera, cx, cy);
      const width = routed ? 3.8 : (WIDTHS[kind] as number);
      const size = 5 + 2.2 * width;
      const begin = nearer(a, c, radius + 3 + (back >= 0 ? size * 0.7 : 0));
      const tip = nearer(b, c, radius + 3);
      const neck = nearer(b, c, radius + 3 + size * 0.7);
      const colour = routed
        ? theme.map.route
        : kind === IN_TREE
          ? this.colourOf(end)
          : kind === "0"
            ? (theme.interface.faint as string)
            : (theme.interface.accent as string);
      context.strokeStyle = context.fillStyle = colour;
      context.lineWidth = width;
      context.setLineDash(kind === TRIED && !routed ? [6, 5] : []);
      context.beginPath();
      context.moveTo(...begin);
      context.quadraticCurveTo(...c, ...neck);
      context.stroke();
      context.setLineDash([]);
      arrow(context, c, tip, size);
      if (back >= 0) arrow(context, c, nearer(a, c, radius + 3), size);
    }
    context.font = `500 ${Math.min(Math.max(0.62 * radius, 10), 14)}px Inter, system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const taken: [Point, number][] = [];
    for (const { tail, head, cx, cy, weight, kind } of drawn) {
      const width = context.measureText(weight).width;
      const places = SHARES.map((share) => {
        const [first, middle, last] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];
        const along = (ends: number[], control: number) =>
          first * (ends[tail] as number) + middle * control + last * (ends[head] as number);
        return this.place(camera, along(x, cx), along(y, cy));
      });
      const free = (at: Point) =>
        taken.every(
          ([other, wide]) => Math.abs(other[1] - at[1]) > 19 || Math.abs(other[0] - at[0]) > (width + wide) / 2 + 9,
        );
      const at = places.find(free) ?? (places[0] as Point);
      taken.push([at, width]);
      context.fillStyle = theme.map.background;
      context.fillRect(at[0] - width / 2 - 4, at[1] - 9, width + 8, 18);
      context.fillStyle = kind === "0" ? (theme.interface.muted as string) : theme.map.ink;
      context.fillText(weight, ...at);
    }
  }

  private paintDisc(context: CanvasRenderingContext2D, camera: Camera, done: Done, radius: number, node: number): void {
    const { theme } = this.colours as { theme: Theme };
    const [x, y] = this.placeOf(camera, node);
    const state = done.states[node] as string;
    const colour = this.colourOf(node);
    const accent = theme.interface.accent as string;
    const circle = (r: number) => {
      context.beginPath();
      context.arc(x, y, r, 0, 2 * Math.PI);
    };
    if (state === EXPANDED) {
      const glow = context.createRadialGradient(x, y, 0, x, y, 1.9 * radius);
      glow.addColorStop(0.45, `${accent}6e`);
      glow.addColorStop(1, `${accent}00`);
      circle(1.9 * radius);
      context.fillStyle = glow;
      context.fill();
      circle(radius + Math.max(0.2 * radius, 2.6));
      context.fillStyle = theme.map.background;
      context.fill();
      context.strokeStyle = accent;
      context.lineWidth = 1.8;
      context.stroke();
    }
    circle(radius);
    context.fillStyle = theme.map.background;
    context.fill();
    context.fillStyle = state === EXPANDED ? accent : colour;
    context.globalAlpha = state === EXPANDED || state === SETTLED ? 1 : state === WAITING ? 0.16 : 0;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle =
      state === UNREACHED ? (theme.interface.muted as string) : state === EXPANDED ? accent : colour;
    context.lineWidth = 1.8;
    context.setLineDash(state === UNREACHED ? [2, 4] : []);
    context.stroke();
    context.setLineDash([]);
    const filled = state === EXPANDED || state === SETTLED;
    if (!this.graph.long && radius > 8.5) {
      context.font = `600 ${Math.min(Math.max(0.8 * radius, 8), 18)}px Inter, system-ui, sans-serif`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillStyle = filled ? textOn(context, state === EXPANDED ? accent : colour) : theme.map.ink;
      context.fillText(this.graph.names[node] as string, x, y + 1);
    }
  }

  /** Paint the label of a node beside its disc, where there is most room between its arcs. */
  private paintLabel(
    context: CanvasRenderingContext2D,
    camera: Camera,
    done: Done,
    radius: number,
    node: number,
  ): void {
    if (radius < 7.5) return;
    const { theme } = this.colours as { theme: Theme };
    const pixels = Math.min(Math.max(0.7 * radius, 10), 15);
    const [x, y] = this.placeOf(camera, node);
    const before = done.fell[node];
    const name = this.graph.long ? `${this.graph.names[node]}  ` : "";
    const text = name + (done.labels[node] as string);
    context.font = `600 ${pixels}px Inter, system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const width = context.measureText(text).width + 8;
    const [dx, dy] = this.freeSide(node);
    const away = radius + 6 + Math.abs(dx) * (width / 2 + 2) + Math.abs(dy) * (pixels / 2 + 2);
    const at: Point = [x + dx * away, y + dy * away];
    const box = (middle: Point, colour: string) => {
      context.fillStyle = colour;
      context.beginPath();
      context.roundRect(middle[0] - width / 2, middle[1] - pixels * 0.7, width, pixels * 1.4, 4);
      context.fill();
    };
    box(at, before === undefined ? theme.map.background : (theme.interface.accent as string));
    const dim = done.states[node] === UNREACHED;
    context.fillStyle =
      before !== undefined
        ? (theme.interface.on_accent as string)
        : dim
          ? (theme.interface.muted as string)
          : theme.map.ink;
    context.fillText(text, ...at);
    if (before) {
      const old: Point = dy ? [at[0], at[1] + dy * pixels * 1.5] : [at[0] + dx * (width + 2), at[1]];
      const across = context.measureText(before).width;
      context.fillStyle = context.strokeStyle = theme.interface.muted as string;
      context.fillText(before, ...old);
      context.lineWidth = 1.2;
      context.beginPath();
      context.moveTo(old[0] - across / 2 - 2, old[1]);
      context.lineTo(old[0] + across / 2 + 2, old[1]);
      context.stroke();
    }
  }

  /** Return the side of a node, of four, that is farthest from its arcs, as steps right and down. */
  private freeSide(node: number): Point {
    const { x, y, arcs } = this.graph;
    const ways: number[] = [];
    for (const [tail, head, , , cx, cy] of arcs) {
      if (tail === node || head === node) ways.push(Math.atan2(-(cy - y[node]!), cx - x[node]!));
    }
    const sides: Point[] = [
      [0, -1],
      [0, 1],
      [1, 0],
      [-1, 0],
    ];
    const room = ([dx, dy]: Point) =>
      Math.min(
        Math.PI,
        ...ways.map((way) =>
          Math.abs(Math.atan2(Math.sin(way - Math.atan2(dy, dx)), Math.cos(way - Math.atan2(dy, dx)))),
        ),
      );
    return sides.reduce((best, side) => (room(side) > room(best) + 0.05 ? side : best));
  }

  /** Return what the search holds by a step: titles, and nodes with their keys. */
  heldAt(step: number, tree: boolean): [string, [string, string][]][] {
    const { held } = this.graph;
    return held[tree ? held.length - 1 : Math.min(Math.floor(step + 1e-9) + 1, held.length - 1)] ?? [];
  }
}

/** Return the point that is so many pixels from an end of a line towards its control point. */
function nearer(end: Point, control: Point, by: number): Point {
  const length = Math.hypot(control[0] - end[0], control[1] - end[1]) || 1;
  const share = Math.min(by / length, 1);
  return [end[0] + share * (control[0] - end[0]), end[1] + share * (control[1] - end[1])];
}

function arrow(context: CanvasRenderingContext2D, from: Point, tip: Point, size: number): void {
  const angle = Math.atan2(tip[1] - from[1], tip[0] - from[0]);
  const at = (along: number, across: number): Point => [
    tip[0] - along * Math.cos(angle) - across * Math.sin(angle),
    tip[1] - along * Math.sin(angle) + across * Math.cos(angle),
  ];
  context.beginPath();
  context.moveTo(...tip);
  context.lineTo(...at(size, size * 0.42));
  context.lineTo(...at(size * 0.72, 0));
  context.lineTo(...at(size, -size * 0.42));
  context.closePath();
  context.fill();
}

/** Return black or white, whichever is read better on a colour. */
function textOn(context: CanvasRenderingContext2D, colour: string): string {
  context.fillStyle = colour;
  const [red = 0, green = 0, blue = 0] = (String(context.fillStyle).slice(1).match(/../g) ?? []).map((part) =>
    Number.parseInt(part, 16),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140 ? "#0b0f16" : "#ffffff";
}

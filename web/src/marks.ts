/** What lies over the roads: the route, the source, the target, closed roads and the node under the pointer. */

import { type Camera, toPixels } from "./camera.ts";
import type { Contents, MapColours } from "./read.ts";
import { paintBands, paintRings, type Signs } from "./signs.ts";

export interface Marks {
  /** The node under the pointer, of what streets carry the edge; or -1. */
  hovered: number;
  /** What a lesson points out, null outside one. */
  signs: Signs | null;
  target: number;
  /** x and y of the points of the route. */
  path: readonly number[];
  /** Whether the search has found the route by now. */
  shown: boolean;
}

const CROSS = 3.5;

/** Paint the marks of a camera's view on a canvas that lies over the map. */
export function paintMarks(
  canvas: HTMLCanvasElement,
  camera: Camera,
  page: Contents,
  colours: MapColours,
  marks: Marks,
): void {
  const { ratio, width, height } = camera;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.lineCap = context.lineJoin = "round";
  const place = (x: number, y: number): [number, number] => {
    const [column, row] = toPixels(camera, x, y);
    return [column / ratio, row / ratio];
  };
  const at = (node: number) => place(page.x[node] as number, page.y[node] as number);
  const stroke = (colour: string, alpha: number, breadth: number) => {
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = breadth;
    context.stroke();
  };
  const fill = (colour: string, alpha: number) => {
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.fill();
  };
  const circle = ([x, y]: [number, number], radius: number) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
  };

  if (page.closed.length) {
    context.beginPath();
    for (const edge of page.closed) {
      const line = ((page.firstLine[edge] as number) + (page.firstLine[edge + 1] as number)) >> 1;
      const a = page.lineA[line] as number;
      const b = page.lineB[line] as number;
      const [x, y] = place((page.x[a]! + page.x[b]!) / 2, (page.y[a]! + page.y[b]!) / 2);
      context.moveTo(x - CROSS, y - CROSS);
      context.lineTo(x + CROSS, y + CROSS);
      context.moveTo(x - CROSS, y + CROSS);
      context.lineTo(x + CROSS, y - CROSS);
    }
    stroke(colours.casing, 0.85, 4.5);
    stroke(colours.closed, 1, 2);
  }
  if (marks.shown && marks.path.length > 2) {
    context.beginPath();
    for (let k = 0; k < marks.path.length; k += 2) {
      context.lineTo(...place(marks.path[k] as number, marks.path[k + 1] as number));
    }
    stroke(colours.casing, 0.84, 6.5);
    stroke(colours.route, 1, 3);
  }
  if (page.rivers) {
    if (marks.hovered >= 0) {
      context.beginPath();
      const begin = page.firstLine[marks.hovered] as number;
      const end = page.firstLine[marks.hovered + 1] as number;
      for (let line = begin; line < end; line++) {
        context.moveTo(...at(page.lineA[line] as number));
        context.lineTo(...at(page.lineB[line] as number));
      }
      stroke(colours.casing, 0.84, 8);
      stroke(colours.ink, 1, 3.5);
    }
    context.globalAlpha = 1;
    return;
  }
  if (marks.signs) {
    paintBands(context, marks.signs, at, colours);
    paintRings(context, marks.signs, 10, at, colours);
  }
  if (marks.target >= 0) {
    circle(at(marks.target), 6.5);
    stroke(colours.casing, 0.84, 2);
    fill(colours.target, 1);
    circle(at(marks.target), 2.5);
    fill(colours.casing, 1);
  }
  if (marks.hovered >= 0) {
    circle(at(marks.hovered), 4.5);
    stroke(colours.casing, 0.78, 3.5);
    stroke(colours.ink, 0.92, 1.5);
  }
  const source = at(page.heading.source);
  circle(source, 7);
  stroke(colours.casing, 0.78, 5);
  fill(colours.casing, 0.78);
  stroke(colours.ink, 1, 2);
  circle(source, 3);
  fill(colours.ink, 1);
  context.globalAlpha = 1;
}

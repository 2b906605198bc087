/** What a lesson points out: rings round nodes, whose forms differ without colour, and bands over arcs. */

import type { MapColours } from "./read.ts";

/** Nodes by what they mean, and arcs as pairs of nodes. */
export interface Signs {
  nodes: readonly number[];
  arcs: readonly (readonly [number, number])[];
  picked: readonly number[];
  right: readonly number[];
  wrong: readonly number[];
  missed: readonly number[];
}

const BAND = 9;
const RING = 3.2;
const CASING = 6;
const BADGE = 7.5;
type Lines = readonly (readonly [number, number])[][];
const TICK: Lines = [
  [
    [-0.45, 0],
    [-0.1, 0.4],
    [0.5, -0.4],
  ],
];
const CROSS: Lines = [
  [
    [-0.4, -0.4],
    [0.4, 0.4],
  ],
  [
    [-0.4, 0.4],
    [0.4, -0.4],
  ],
];
const DASH: Lines = [
  [
    [-0.4, 0],
    [0.4, 0],
  ],
];

type Place = (node: number) => [number, number];

/** Paint the bands over arcs, in logical pixels; `at` returns where a node is. */
export function paintBands(context: CanvasRenderingContext2D, signs: Signs, at: Place, colours: MapColours): void {
  context.save();
  context.lineCap = "butt";
  context.globalAlpha = 0.36;
  context.strokeStyle = colours.target;
  context.lineWidth = BAND;
  for (const [tail, head] of signs.arcs) {
    context.beginPath();
    context.moveTo(...at(tail));
    context.lineTo(...at(head));
    context.stroke();
  }
  context.restore();
}

/** Paint the rings round nodes. */
export function paintRings(
  context: CanvasRenderingContext2D,
  signs: Signs,
  radius: number,
  at: Place,
  colours: MapColours,
): void {
  context.save();
  context.lineCap = context.lineJoin = "round";
  const kinds: [readonly number[], string, number[], Lines | null][] = [
    [signs.nodes, colours.target, [], null],
    [signs.picked, colours.ink, [], null],
    [signs.missed, colours.bloom, [1, 6], DASH],
    [signs.right, colours.ink, [], TICK],
    [signs.wrong, colours.closed, [8, 6], CROSS],
  ];
  for (const [nodes, colour, dashes, badge] of kinds) {
    for (const node of nodes) {
      const [x, y] = at(node);
      ring(context, x, y, radius, colour, colours.casing, dashes);
      if (badge) paintBadge(context, x + 0.85 * radius, y - 0.85 * radius, colour, colours.casing, badge);
    }
  }
  context.restore();
}

function ring(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  colour: string,
  casing: string,
  dashes: number[],
): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.globalAlpha = 0.78;
  context.strokeStyle = casing;
  context.lineWidth = CASING;
  context.stroke();
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = RING;
  context.setLineDash(dashes);
  context.stroke();
  context.setLineDash([]);
}

function paintBadge(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  colour: string,
  casing: string,
  lines: Lines,
): void {
  context.beginPath();
  context.arc(x, y, BADGE, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  context.strokeStyle = casing;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineWidth = 0.3 * BADGE;
  for (const line of lines) {
    context.beginPath();
    for (const [across, down] of line) context.lineTo(x + BADGE * across, y + BADGE * down);
    context.stroke();
  }
}

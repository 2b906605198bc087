/** The view of the map: which part of the plane is seen, and in how many pixels. */

import type { Extent } from "./read.ts";

const MARGIN = 0.02;
/** Smallest margin round the map in logical pixels: half a marker and some air. */
const MARKER_ROOM = 20;

/** `scale` is pixels in a metre; `left` and `top` are the plane's coordinates at the corner of the first pixel. */
export interface Camera {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Pixels in a logical one. */
  readonly ratio: number;
}

/** Room in logical pixels that something else takes, above the map and at its right. */
export interface Taken {
  readonly above: number;
  readonly right: number;
}

export function fitting(extent: Extent, width: number, height: number, ratio: number, taken: Taken): Camera {
  const room = (side: number) => Math.min(Math.max(MARGIN * side, MARKER_ROOM * ratio), side / 8);
  const [high, wide] = [
    height - Math.min(taken.above * ratio, height / 3),
    width - Math.min(taken.right * ratio, width / 2),
  ];
  const margins = {
    above: height - high + room(high),
    below: room(high),
    left: room(wide),
    right: width - wide + room(wide),
  };
  return within(extent, width, height, ratio, margins);
}

/** Return the camera that shows all of a graph below the page's texts, with room for discs and labels. */
export function fittingGraph(extent: Extent, width: number, height: number, ratio: number, taken: Taken): Camera {
  const above = Math.min((taken.above || 130) * ratio, height / 4);
  const below = Math.min(96 * ratio, height / 5);
  const side = Math.min(80 * ratio, width / 6);
  return within(extent, width, height, ratio, {
    above,
    below,
    left: side,
    right: side + Math.min(taken.right * ratio, width / 2),
  });
}

/** Return the camera that shows an extent in what margins, in pixels, leave of a view. */
function within(
  [left, bottom, right, top]: Extent,
  width: number,
  height: number,
  ratio: number,
  margins: { above: number; below: number; left: number; right: number },
): Camera {
  const wide = width - margins.left - margins.right;
  const high = height - margins.above - margins.below;
  const scale = 1 / (Math.max((right - left) / wide, (top - bottom) / high) || 1);
  const camera = centred((left + right) / 2, (bottom + top) / 2, scale, width, height, ratio);
  return {
    ...camera,
    left: camera.left + (margins.right - margins.left) / 2 / scale,
    top: camera.top + (margins.above - margins.below) / 2 / scale,
  };
}

export function centred(x: number, y: number, scale: number, width: number, height: number, ratio: number): Camera {
  return { scale, left: x - width / scale / 2, top: y + height / scale / 2, width, height, ratio };
}

/** Return the camera that sees as much in another number of pixels, with the same middle. */
export function resized(camera: Camera, width: number, height: number, ratio: number): Camera {
  const [x, y] = toPlane(camera, camera.width / 2, camera.height / 2);
  return centred(x, y, (camera.scale * ratio) / camera.ratio, width, height, ratio);
}

export function panned(camera: Camera, columns: number, rows: number): Camera {
  return { ...camera, left: camera.left - columns / camera.scale, top: camera.top + rows / camera.scale };
}

/** Return the camera that is nearer by a factor; what is at a pixel stays there. */
export function zoomed(camera: Camera, factor: number, column: number, row: number): Camera {
  const [x, y] = toPlane(camera, column, row);
  const scale = camera.scale * factor;
  return { ...camera, scale, left: x - column / scale, top: y + row / scale };
}

/** Return how a picture of one camera's view is moved to where another one sees it, as a style of an element. */
export function motion(drawn: Camera, camera: Camera): string {
  const scale = camera.scale / drawn.scale;
  const across = ((drawn.left - camera.left) * camera.scale) / camera.ratio;
  const down = ((camera.top - drawn.top) * camera.scale) / camera.ratio;
  return `matrix(${scale}, 0, 0, ${scale}, ${across}, ${down})`;
}

export function toPixels(camera: Camera, x: number, y: number): [number, number] {
  return [(x - camera.left) * camera.scale, (camera.top - y) * camera.scale];
}

export function toPlane(camera: Camera, column: number, row: number): [number, number] {
  return [camera.left + column / camera.scale, camera.top - row / camera.scale];
}

/** Water, parks and woods, laid thinly over the roads. */

import type { Camera } from "./camera.ts";
import type { Contents, MapColours } from "./read.ts";

/** Areas of fewer square pixels are left out. */
const LEAST_PIXELS = 6;
/** Metres in a pixel up to which rivers without a bed of their own are lines. */
const WIDEST_RIVER = 120;
const ORDER = ["wood", "glacier", "park", "water", "river", "coast"];
const LINES: Record<string, number> = { river: 1.6, coast: 2.2 };

interface Area {
  kind: string;
  size: number;
  path: Path2D;
  box: [number, number, number, number];
}

export class Land {
  private readonly areas: Area[] = [];

  constructor(page: Contents) {
    const { kind, size, rings, begins, x, y } = page.areas;
    for (let area = 0; area < kind.length; area++) {
      const path = new Path2D();
      let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
      for (let ring = rings[area] as number; ring < rings[area + 1]!; ring++) {
        for (let point = begins[ring] as number; point < begins[ring + 1]!; point++) {
          const px = x[point] as number;
          const py = y[point] as number;
          if (point === begins[ring]) path.moveTo(px, py);
          else path.lineTo(px, py);
          left = Math.min(left, px);
          right = Math.max(right, px);
          bottom = Math.min(bottom, py);
          top = Math.max(top, py);
        }
      }
      const name = page.heading.kinds[kind[area] as number] as string;
      this.areas.push({ kind: name, size: size[area] as number, path, box: [left, bottom, right, top] });
    }
    this.areas.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || b.size - a.size);
  }

  get empty(): boolean {
    return !this.areas.length;
  }

  /** Paint what a camera sees; the canvas itself is translucent, so that nothing is stronger where areas overlap. */
  paint(context: CanvasRenderingContext2D, camera: Camera, colours: MapColours): void {
    const { scale, left, top, width, height, ratio } = camera;
    const right = left + width / scale;
    const bottom = top - height / scale;
    const logical = scale / ratio;
    context.setTransform(scale, 0, 0, -scale, -left * scale, top * scale);
    for (const { kind, size, path, box } of this.areas) {
      if (box[0] > right || box[2] < left || box[1] > top || box[3] < bottom) continue;
      const breadth = LINES[kind];
      if (size * (breadth ? logical : logical ** 2) < LEAST_PIXELS) continue;
      if (kind === "river" && 1 / logical > WIDEST_RIVER) continue;
      const colour =
        kind === "glacier" ? colours.ink : kind === "park" || kind === "wood" ? colours.green : colours.water;
      if (breadth) {
        context.strokeStyle = colour;
        context.lineWidth = (breadth * ratio) / scale;
        context.stroke(path);
      } else {
        context.fillStyle = colour;
        context.fill(path, "evenodd");
      }
    }
  }
}

/** A canvas over the map whose picture belongs to a camera: drawn anew when the view rests, and moved until then. */

import { type Camera, motion } from "./camera.ts";
import { element } from "./dom.ts";
import type { MapColours } from "./read.ts";

/** What a sheet shows. */
export interface Painted {
  readonly empty: boolean;
  paint(context: CanvasRenderingContext2D, camera: Camera, colours: MapColours): void;
}

/** Milliseconds of painting in a frame; what takes longer is moved while a gesture lasts. */
const LONGEST = 8;

export class Sheet {
  readonly canvas: HTMLCanvasElement;
  private drawn: { camera: Camera; colours: MapColours } | null = null;
  private took = 0;

  constructor(
    name: string,
    private readonly painted: Painted,
  ) {
    this.canvas = element("canvas", { class: name, "aria-hidden": "true" });
  }

  /** Show what a camera sees; return whether it has to be asked again once the view rests. */
  show(camera: Camera, colours: MapColours, moving: boolean): boolean {
    const { canvas, drawn, painted } = this;
    if (painted.empty || (drawn?.camera === camera && drawn.colours === colours)) return false;
    if (drawn && drawn.colours === colours && moving && this.took > LONGEST) {
      canvas.style.transform = motion(drawn.camera, camera);
      return true;
    }
    const start = performance.now();
    canvas.style.transform = "";
    if (canvas.width !== camera.width || canvas.height !== camera.height) {
      canvas.width = camera.width;
      canvas.height = camera.height;
    }
    const context = canvas.getContext("2d");
    if (!context) return false;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    painted.paint(context, camera, colours);
    this.drawn = { camera, colours };
    this.took = performance.now() - start;
    return false;
  }
}

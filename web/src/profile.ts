/** The sizes of frontiers along the replay, drawn behind its slider. */

import type { Clock } from "./clock.ts";
import { element } from "./dom.ts";

export class Profile {
  readonly canvas = element("canvas", { class: "profile", "aria-hidden": "true" });
  private heights = new Float32Array(0);
  private walk = "";
  private sizes: Float64Array = new Float64Array(0);
  private played = "#ffbe6e";
  private ahead = "#4d596b";
  private shown = "";

  setColours(colours: Record<string, string>): void {
    this.played = colours.accent ?? this.played;
    this.ahead = colours.faint ?? this.ahead;
    this.shown = "";
  }

  /** Draw how far the replay is. */
  show(replay: Clock, fraction: number): void {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(this.canvas.clientWidth * ratio);
    const height = Math.round(this.canvas.clientHeight * ratio);
    if (!width || !height) return;
    if (this.heights.length !== width || this.walk !== replay.walk || this.sizes !== replay.sizes)
      this.measure(replay, width);
    const split = Math.round(fraction * width);
    const now = [split, width, height, this.played].join();
    if (now === this.shown) return;
    this.shown = now;
    this.canvas.width = width;
    this.canvas.height = height;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    for (const [colour, alpha, from, to] of [
      [this.played, 0.9, 0, split],
      [this.ahead, 0.75, split, width],
    ] as const) {
      context.fillStyle = colour;
      context.globalAlpha = alpha;
      for (let column = from; column < to; column++) {
        const tall = Math.max((this.heights[column] as number) * (height - 2), ratio);
        context.fillRect(column, height - tall, 1, tall);
      }
    }
  }

  /** Find the largest frontier in each column of pixels. */
  private measure(replay: Clock, width: number): void {
    this.heights = new Float32Array(width);
    this.walk = replay.walk;
    this.sizes = replay.sizes;
    this.shown = "";
    const largest = this.sizes.reduce((most, each) => Math.max(most, each), 1);
    let before = -1;
    for (let step = 0; step <= replay.last; step++) {
      const column = Math.min(Math.floor(replay.markOf(step) * width), width - 1);
      const tall = Math.sqrt((this.sizes[step] as number) / largest);
      const from = column > before ? before + 1 : column;
      for (let k = Math.max(from, 0); k <= column; k++) this.heights[k] = Math.max(this.heights[k] as number, tall);
      before = column;
    }
  }
}

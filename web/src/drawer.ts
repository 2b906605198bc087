/** What colours the map: the graphics card, or the processor where there is none. */

import type { Camera } from "./camera.ts";
import type { Lamp, Light } from "./light.ts";

/** What a frame shows besides its camera. */
export interface Moment {
  /** May be fractional; below 0 nothing is reached. */
  step: number;
  /** Whether the finished tree is shown, without light. */
  tree: boolean;
}

export interface Drawer {
  /** Take a theme's colours. */
  setTheme(name: string): void;
  /** Take the distances of the page, and which nodes are reached. */
  takeTree(): void;
  /** Take the owners of a camera's pixels, which may change after the next call alone. */
  setOwners(owners: Int32Array, camera: Camera): void;
  /** Draw a frame; where `camera` differs from that of the owners, their picture is moved. */
  draw(camera: Camera, moment: Moment, lamp: Lamp, light: Light): void;
  /** Let go of the graphics card. */
  dispose(): void;
}

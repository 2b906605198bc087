/** What colours the map: the graphics card, or the processor where there is none. */

import type { Camera } from "./camera.ts";
import type { Lamp, Light } from "./light.ts";
import type { Contents } from "./read.ts";

/** What a frame shows besides its camera. */
export interface Moment {
  /** May be fractional; below 0 nothing is reached. */
  step: number;
  /** Whether the finished tree is shown, without light. */
  tree: boolean;
}

/** What nodes are coloured by: from `last` on they have the last colour; `first` is below 0 where one has none. */
export interface Coloured {
  first: Int32Array;
  distance: Float64Array;
  last: number;
}

/** A search's own colours. */
export function colouredBy({ first, distance, heading }: Contents): Coloured {
  return { first, distance, last: heading.last };
}

export interface Drawer {
  /** Take a theme's colours. */
  setTheme(name: string): void;
  /** Take what colours the nodes. */
  takeTree(by: Coloured): void;
  /** Take the owners of a camera's pixels, which may change after the next call alone. */
  setOwners(owners: Int32Array, camera: Camera): void;
  /** Draw a frame; where `camera` differs from that of the owners, their picture is moved. */
  draw(camera: Camera, moment: Moment, lamp: Lamp, light: Light): void;
  /** Let go of the graphics card. */
  dispose(): void;
}

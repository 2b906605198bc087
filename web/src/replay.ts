/** The clock of the replay: by step, by measured time or by settled distance, as in the program's window. */

import type { Contents } from "./read.ts";

const WHOLE_S = 7;
const LONGEST_STEP_S = 0.5;
const LOOP_REST_S = 1.4;
const SLOWEST = 1 / 64;
const FASTEST = 64;

export const WALKS = ["step", "time", "distance"] as const;
export type Walk = (typeof WALKS)[number];

export class Replay {
  /** 0 … last step; fractions are between two steps. */
  position = 0;
  playing = false;
  loop = false;
  speed = 1;
  /** Called when anything changes. */
  changed: () => void = () => {};
  /** Called when playing has come to the end. */
  ended: () => void = () => {};

  private marks = new Float64Array(1);
  private chosen: Walk = "step";
  private rested = 0;

  constructor(private readonly page: Contents) {
    this.walk = "step";
  }

  get last(): number {
    return this.page.heading.steps - 1;
  }

  /** The step that is shown. */
  get step(): number {
    return Math.min(Math.floor(this.position + 1e-9), this.last);
  }

  get walk(): Walk {
    return this.chosen;
  }

  /** Walk another way; the position stays. */
  set walk(walk: Walk) {
    this.chosen = walk;
    const { time, settled } = this.page;
    const count = this.last + 1;
    const marks = new Float64Array(count);
    for (let step = 1; step < count; step++) {
      if (walk === "step") marks[step] = step;
      else if (walk === "time") marks[step] = marks[step - 1]! + time[step - 1]!;
      else marks[step] = settled[step]! - settled[0]!;
    }
    const whole = marks[count - 1] as number;
    for (let step = 0; step < count; step++) {
      const even = count > 1 ? step / (count - 1) : 0;
      // A hair of the even walk keeps it strictly rising, so that every step can be reached.
      marks[step] = whole > 0 ? (1 - 1e-6) * (marks[step]! / whole) + 1e-6 * even : even;
    }
    this.marks = marks;
    this.changed();
  }

  /** Where a step begins along the walk, 0 … 1. */
  markOf(step: number): number {
    return this.marks[step] as number;
  }

  /** How far the walk is, 0 … 1. */
  get fraction(): number {
    const { marks, step } = this;
    const here = marks[step] as number;
    const next = marks[Math.min(step + 1, this.last)] as number;
    return this.last ? here + Math.max(this.position - step, 0) * (next - here) : 1;
  }

  /** The time that was measured up to here, in milliseconds of the traced run. */
  get milliseconds(): number {
    let sum = 0;
    for (let step = 0; step < this.step; step++) sum += this.page.time[step] as number;
    return (sum + (this.page.time[this.step] as number) * Math.min(this.position - this.step, 1)) / 1e6;
  }

  seekFraction(fraction: number): void {
    const { marks } = this;
    let low = 0;
    let high = this.last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (marks[middle]! <= fraction) low = middle;
      else high = middle;
    }
    const span = marks[high]! - marks[low]!;
    const share = span > 0 ? (fraction - marks[low]!) / span : 1;
    this.position = this.last ? low + Math.min(Math.max(share, 0), 1) * (high - low) : 0;
    this.rested = 0;
    this.changed();
  }

  seek(position: number): void {
    this.position = Math.min(Math.max(position, 0), this.last);
    this.rested = 0;
    this.changed();
  }

  stepBy(steps: number): void {
    this.playing = false;
    this.seek(this.step + steps);
  }

  /** Play on from here, or from the start again. */
  play(): void {
    if (this.position >= this.last) this.seek(0);
    this.playing = true;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  setSpeed(speed: number): void {
    this.speed = Math.min(Math.max(speed, SLOWEST), FASTEST);
    this.changed();
  }

  /** Move on by so many seconds. */
  advance(seconds: number): void {
    if (!this.playing) return;
    if (this.position >= this.last) {
      if (!this.loop) {
        this.playing = false;
        this.ended();
      } else {
        this.rested += seconds;
        if (this.rested >= LOOP_REST_S) this.seek(0);
      }
      return;
    }
    const whole = Math.min(WHOLE_S, LONGEST_STEP_S * (this.last + 1)) / this.speed;
    this.seekFraction(Math.min(this.fraction + seconds / whole, 1));
  }
}

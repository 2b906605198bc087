/** What plays: a replay, or several on one clock. Playing, pausing, stepping and its speed are the same for both. */

const WHOLE_S = 7;
const LONGEST_STEP_S = 0.5;
const LOOP_REST_S = 1.4;
const SLOWEST = 1 / 64;
const FASTEST = 64;

export const WALKS = ["step", "time", "distance"] as const;
export type Walk = (typeof WALKS)[number];

export abstract class Clock {
  playing = false;
  loop = false;
  speed = 1;
  /** Called when anything changes. */
  changed: () => void = () => {};
  /** Called when playing has come to the end. */
  ended: () => void = () => {};

  /** 0 … last step; fractions are between two steps. */
  abstract readonly position: number;
  abstract readonly last: number;
  /** The step that is shown. */
  abstract readonly step: number;
  abstract walk: Walk;
  /** How far the walk is, 0 … 1. */
  abstract readonly fraction: number;
  /** Sizes of the frontiers along the walk. */
  abstract readonly sizes: Float64Array;
  /** The time that was measured up to here, in milliseconds of the traced run. */
  abstract readonly milliseconds: number;
  /** Where a step begins along the walk, 0 … 1. */
  abstract markOf(step: number): number;
  protected abstract moveToFraction(fraction: number): void;
  protected abstract moveTo(position: number): void;
  protected abstract readonly atEnd: boolean;

  private rested = 0;
  /** The first position: -1 where something is shown of before the first step. */
  least = 0;
  /** Where playing stops, as a position; the end where it is infinite. */
  private until = Infinity;
  private arrived: () => void = () => {};

  seekFraction(fraction: number): void {
    this.moveToFraction(fraction);
    this.rested = 0;
    this.changed();
  }

  seek(position: number): void {
    this.moveTo(Math.min(Math.max(position, this.least), this.last));
    this.rested = 0;
    this.changed();
  }

  stepBy(steps: number): void {
    this.playing = false;
    this.seek(this.step + steps);
  }

  /** Play on from here, or from the start again. */
  play(): void {
    this.until = Infinity;
    if (this.atEnd) this.seek(0);
    this.playing = true;
    this.changed();
  }

  /** Play on from here to a position, stop there and say so. */
  playTo(position: number, arrived: () => void): void {
    this.until = Math.min(position, this.last);
    this.arrived = arrived;
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
    if (this.position >= this.until) {
      this.playing = false;
      this.seek(this.until);
      this.arrived();
    } else if (this.position < 0) {
      this.seek(Math.min(this.position + (seconds * this.speed) / LONGEST_STEP_S, 0));
    } else if (this.atEnd) {
      if (!this.loop) {
        this.playing = false;
        this.ended();
      } else {
        this.rested += seconds;
        if (this.rested >= LOOP_REST_S) this.seek(0);
      }
    } else {
      const whole = Math.min(WHOLE_S, LONGEST_STEP_S * (this.last + 1)) / this.speed;
      this.seekFraction(Math.min(this.fraction + seconds / whole, 1));
    }
  }
}

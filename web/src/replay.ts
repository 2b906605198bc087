/** The replay of one search: by step, by measured time or by settled distance, as in the program's window. */

import { Clock, type Walk } from "./clock.ts";
import type { Contents } from "./read.ts";

export class Replay extends Clock {
  position = 0;
  /** How far the walk leads to the beginning of the last step and to its end, in steps, nanoseconds or distance. */
  reach = 0;
  whole = 0;
  private marks = new Float64Array(1);
  private chosen: Walk = "step";

  constructor(readonly page: Contents) {
    super();
    this.walk = "step";
  }

  get last(): number {
    return this.page.heading.steps - 1;
  }

  get step(): number {
    return Math.min(Math.floor(this.position + 1e-9), this.last);
  }

  get sizes(): Float64Array {
    return this.page.size;
  }

  get walk(): Walk {
    return this.chosen;
  }

  /** Walk another way; the position stays. */
  set walk(walk: Walk) {
    this.chosen = walk;
    const { time, settled, heading } = this.page;
    const count = this.last + 1;
    const marks = new Float64Array(count);
    for (let step = 1; step < count; step++) {
      if (walk === "step") marks[step] = step;
      else if (walk === "time") marks[step] = marks[step - 1]! + time[step - 1]!;
      else marks[step] = settled[step]! - settled[0]!;
    }
    const reach = marks[count - 1] as number;
    if (walk === "time") {
      // The walk lasts as long as the clean runs did, where there were some: recording slows some searches more.
      const traced = reach + (time[count - 1] as number);
      this.whole = traced > 0 ? (heading.clean_ns ?? traced) : traced;
      this.reach = traced > 0 ? (reach * this.whole) / traced : 0;
    } else {
      this.reach = this.whole = reach;
    }
    for (let step = 0; step < count; step++) {
      const even = count > 1 ? step / (count - 1) : 0;
      // A hair of the even walk keeps it strictly rising, so that every step can be reached.
      marks[step] = reach > 0 ? (1 - 1e-6) * (marks[step]! / reach) + 1e-6 * even : even;
    }
    this.marks = marks;
    this.changed();
  }

  markOf(step: number): number {
    return this.marks[step] as number;
  }

  get fraction(): number {
    const { marks, step } = this;
    if (step < 0) return 0;
    const here = marks[step] as number;
    const next = marks[Math.min(step + 1, this.last)] as number;
    return this.last ? here + Math.max(this.position - step, 0) * (next - here) : 1;
  }

  get milliseconds(): number {
    let sum = 0;
    if (this.step < 0) return 0;
    for (let step = 0; step < this.step; step++) sum += this.page.time[step] as number;
    return (sum + (this.page.time[this.step] as number) * Math.min(this.position - this.step, 1)) / 1e6;
  }

  protected get atEnd(): boolean {
    return this.position >= this.last;
  }

  protected moveTo(position: number): void {
    this.position = position;
  }

  moveToFraction(fraction: number): void {
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
  }
}

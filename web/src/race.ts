/** A race: several searches on one clock, who is where on it, and in which order they end; as in the window's. */

import { Clock, type Walk } from "./clock.ts";
import type { Contents } from "./read.ts";
import { Replay } from "./replay.ts";
import type { Words } from "./words.ts";

/** Two that end within this share of each other end together. */
const TIE = 1e-9;

export class Race extends Clock {
  readonly lanes: Replay[];
  /** How far the clock is, in what its walk counts. */
  now = 0;

  constructor(searches: readonly Contents[]) {
    super();
    this.lanes = searches.map((search) => new Replay(search));
  }

  /** How long the clock runs: as long as the longest lane. */
  get length(): number {
    return this.lanes.reduce((most, lane) => Math.max(most, lane.whole), 0) || 1;
  }

  /** The lane that ends last: its steps are those of the clock. */
  private get leader(): Replay {
    return this.lanes.reduce((longest, lane) => (lane.whole > longest.whole ? lane : longest));
  }

  /** Where the clock passes the end of a lane: one of no known length lasts as long as the longest. */
  spanOf(lane: Replay): number {
    return lane.whole || this.length;
  }

  get position(): number {
    return this.leader.position;
  }

  get last(): number {
    return this.leader.last;
  }

  get step(): number {
    return this.leader.step;
  }

  get sizes(): Float64Array {
    return this.leader.sizes;
  }

  get milliseconds(): number {
    return this.leader.milliseconds;
  }

  get fraction(): number {
    return this.now / this.length;
  }

  get walk(): Walk {
    return this.lanes[0]?.walk ?? "step";
  }

  /** Walk another way; a lane that is on its way stays where it is, and the others come along. */
  set walk(walk: Walk) {
    const onItsWay = this.lanes.find((lane) => lane.position < lane.last);
    for (const lane of this.lanes) lane.walk = walk;
    this.goTo(onItsWay ? this.atOf(onItsWay) : this.length);
    this.changed();
  }

  /** Return where the clock stands when a lane is where it is. */
  private atOf(lane: Replay): number {
    return lane.position >= lane.last ? this.spanOf(lane) : lane.fraction * (lane.reach || this.length);
  }

  private goTo(now: number): void {
    this.now = Math.min(Math.max(now, 0), this.length);
    for (const lane of this.lanes) {
      const reach = lane.whole ? lane.reach : this.length;
      lane.moveToFraction(reach > 0 ? Math.min(this.now / reach, 1) : 1);
    }
  }

  markOf(step: number): number {
    const { leader } = this;
    return (leader.markOf(step) * (leader.reach || this.length)) / this.length;
  }

  protected get atEnd(): boolean {
    return this.now >= this.length;
  }

  protected moveTo(position: number): void {
    const { leader } = this;
    leader.position = position;
    if (position < 0) {
      this.now = 0;
      for (const lane of this.lanes) lane.position = position;
      return;
    }
    const now = this.atOf(leader);
    this.goTo(now);
    leader.position = position; // exactly
  }

  protected moveToFraction(fraction: number): void {
    this.goTo(fraction * this.length);
  }

  /** Return the place of each lane that has ended, 1 for the first, or 0; lanes whose times overlap share one. */
  places(): number[] {
    const timed = this.walk === "time" && this.lanes.every((lane) => lane.page.heading.clean_ns);
    const spans = this.lanes.map((lane) => this.spanOf(lane));
    const noise = this.lanes.map((lane, k) => (timed ? (lane.page.heading.spread ?? 0) * (spans[k] as number) : 0));
    const quickest = spans.map((span, k) => span - (noise[k] as number));
    const slowest = spans.map((span, k) => span + (noise[k] as number));
    const told = quickest.map((own) => 1 + slowest.filter((other) => other < own * (1 - TIE)).length);
    const clean = this.lanes.filter((lane) => lane.page.heading.clean_ns).length;
    if (this.walk === "time" && clean && clean < this.lanes.length) return spans.map(() => 0);
    return spans.map((span) => {
      if (this.now < span * (1 - TIE)) return 0;
      return Math.max(...told.filter((_, k) => (spans[k] as number) <= span));
    });
  }

  /** Return how far a lane is in what the clock counts, or what it took in all once it has ended. */
  figureOf(lane: Replay, words: Words): string {
    const ended = this.now >= this.spanOf(lane) * (1 - TIE);
    if (this.walk === "time" && lane.whole > 0) {
      return words.milliseconds((ended ? this.spanOf(lane) : this.now) / 1e6);
    }
    if (this.walk === "distance") return words.distance(Math.round(Math.min(this.now, this.spanOf(lane))));
    const { steps } = lane.page.heading;
    if (ended) return steps === 1 ? words.say("1 step") : words.say("{count} steps", { count: steps });
    return words.say("step {step} of {count}", { step: lane.step + 1, count: steps });
  }

  /** Return how much of a lane is over, 0 … 1. */
  shareOf(lane: Replay): number {
    const span = this.spanOf(lane);
    return span > 0 ? Math.min(this.now / span, 1) : 1;
  }
}

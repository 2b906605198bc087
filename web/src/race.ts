/** A race: several searches on one clock, who is where on it, and in which order they end; as in the window's. */

import { Clock, type Walk } from "./clock.ts";
import type { Coloured } from "./drawer.ts";
import type { Contents } from "./read.ts";
import { Replay } from "./replay.ts";
import { nodesText, type Words } from "./words.ts";

/** Two that end within this share of each other end together. */
const TIE = 1e-9;

/** How far apart the distances of two searches are: nodes of equal distance have no colour, as if they were not reached. */
export interface Difference extends Coloured {
  /** How many nodes both reach, at another distance; how many only one of the two reaches; and the largest difference. */
  differ: number;
  oneOnly: number;
  most: number;
}

/** Whether distances of two searches can be compared: of one network and metric, that are drawn on a map. */
export function areComparable(one: Contents, other: Contents): boolean {
  return one.ids === other.ids && one.heading.metric.name === other.heading.metric.name && !other.graph;
}

function differenceOf(one: Contents, other: Contents): Difference | null {
  if (!areComparable(one, other)) return null;
  const found = { first: new Int32Array(one.ids.length).fill(-1), distance: new Float64Array(one.ids.length), last: 1 };
  let [differ, oneOnly, most] = [0, 0, 0];
  for (let node = 0; node < one.ids.length; node++) {
    const [a, b] = [one.distance[node] as number, other.distance[node] as number];
    if (a === b) continue;
    const alone = a < 0 || b < 0;
    const apart = alone ? Infinity : Math.abs(a - b); // what is cut off has the last colour
    if (alone) oneOnly++;
    else {
      differ++;
      most = Math.max(most, apart);
    }
    found.first[node] = 0;
    found.distance[node] = apart;
  }
  return { ...found, differ, oneOnly, most };
}

/** Return how each search but the first differs from that one, in colours of one scale; null where nothing can be said. */
export function differencesOf(searches: readonly Contents[]): (Difference | null)[] {
  const [first] = searches as [Contents];
  const all = searches.map((search, index) => (index ? differenceOf(first, search) : null));
  const last = all.reduce((most, each) => Math.max(most, each?.most ?? 0), 0) || 1;
  return all.map((each) => each && { ...each, last });
}

/** Say how a search differs. */
export function differenceText({ differ, oneOnly, most }: Difference, words: Words): string {
  const said: string[] = [];
  if (differ)
    said.push(
      words.say("differs at {nodes} by up to {most}", { nodes: nodesText(words, differ), most: words.distance(most) }),
    );
  if (oneOnly) said.push(words.say("only one reaches {nodes}", { nodes: nodesText(words, oneOnly) }));
  return said.join("; ") || words.say("no difference");
}

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

  /** Return how far a lane is in what the clock counts, or what it took in all once it has ended or its tree is shown. */
  figureOf(lane: Replay, words: Words, tree: boolean): string {
    const ended = tree || this.now >= this.spanOf(lane) * (1 - TIE);
    const now = ended ? this.spanOf(lane) : this.now;
    if (this.walk === "time" && lane.whole > 0) return words.milliseconds(now / 1e6);
    if (this.walk === "distance") return words.distance(Math.round(now));
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

/** The maps of a race side by side, each with what is said of its search: name, figure, place. */

import { element } from "./dom.ts";
import { areComparable, type Difference, differencesOf, type Race } from "./race.ts";
import type { Contents } from "./read.ts";
import type { View } from "./view.ts";
import type { Words } from "./words.ts";

const ORDINALS = ["{place}st", "{place}nd", "{place}rd"];

/** Logical pixels below which maps stand below each other. */
const NARROW = 704;
/** Logical pixels that a map has at least, so that names are read: more maps than find room are scrolled to. */
const LEAST_WIDTH = 220;
const LEAST_HEIGHT = 160;

interface Lane {
  root: HTMLElement;
  caption: HTMLElement;
  roads: HTMLCanvasElement;
  marks: HTMLCanvasElement;
  place: HTMLElement;
  figure: HTMLElement;
  bar: HTMLElement;
}

export class Lanes {
  readonly root: HTMLElement;
  readonly all: readonly Lane[];
  /** What is said in place of how far a search is. */
  said: readonly (string | null)[] = [];
  private sizes: ResizeObserver | null = null;

  private found: (Difference | null)[] | null = null;

  constructor(
    private readonly searches: readonly Contents[],
    private readonly race: Race,
    words: Words,
  ) {
    this.all = searches.map((search, index) => {
      const [title, detail] = search.heading.lane ?? ["", ""];
      const said = [title, detail].filter(Boolean).join(" · ");
      const lane = {
        roads: element("canvas", { class: "roads", "aria-hidden": "true" }),
        marks: element("canvas", { class: "marks", tabindex: index ? -1 : 0, role: "application" }),
        place: element("span", { class: "place", hidden: true }),
        figure: element("span", { class: "figure" }),
        bar: element("span", { class: "done", "aria-hidden": "true" }),
      };
      lane.marks.setAttribute(
        "aria-label",
        words.say("Map of {title}: {subtitle}", {
          title: search.heading.title,
          subtitle: said,
        }),
      );
      const caption = element(
        "div",
        { class: "lane-caption" },
        lane.place,
        element("strong", {}, title),
        element("p", {}, ...(detail ? [element("span", {}, `${detail} · `)] : []), lane.figure),
        lane.bar,
      );
      const root = element("section", { class: "lane", "aria-label": said }, lane.roads, lane.marks, caption);
      return { ...lane, caption, root };
    });
    this.root = element("div", { class: "lanes" }, ...this.all.map((lane) => lane.root));
  }

  /** Whether the distances of a search can be compared with those of the first one. */
  get comparable(): boolean {
    const [first, ...others] = this.searches as [Contents, ...Contents[]];
    return others.some((other) => areComparable(first, other));
  }

  /** How each search differs from the first one, null for that and where nothing can be said. */
  get differences(): readonly (Difference | null)[] {
    this.found ??= differencesOf(this.searches);
    return this.found;
  }

  /** Arrange the maps so that they are as large as can be, and keep them clear of their captions. */
  attach(views: readonly View[]): void {
    const [first] = views as [View];
    const [left, bottom, right, top] = first.home;
    const arrange = () => {
      const { clientWidth, clientHeight } = this.root;
      const above = (this.all[0] as Lane).caption.offsetHeight + 8;
      const heightOf = (columns: number) => clientHeight / Math.ceil(views.length / columns);
      const scaleOf = (columns: number) => {
        const high = Math.max(heightOf(columns), LEAST_HEIGHT) - above;
        return Math.min(clientWidth / columns / (right - left || 1), Math.max(high, 1) / (top - bottom || 1));
      };
      const most = Math.max(Math.floor(clientWidth / LEAST_WIDTH), 1);
      const choices = views.map((_, index) => index + 1).slice(0, most);
      // A few more columns that are no larger are better where that leaves less to scroll.
      const worth = (best: number) => (heightOf(best) < LEAST_HEIGHT ? 0.95 : 1.05) * scaleOf(best);
      const best = choices.reduce((best, columns) => (scaleOf(columns) > worth(best) ? columns : best));
      this.root.style.setProperty("--columns", String(clientWidth < NARROW ? 1 : best));
      this.root.classList.toggle("scrolled", this.root.scrollHeight > clientHeight);
      for (const view of views) view.keepClear({ above, right: 0 });
    };
    this.sizes = new ResizeObserver(arrange);
    this.sizes.observe(this.root);
    arrange();
  }

  dispose(): void {
    this.sizes?.disconnect();
  }

  /** Say where each search is on the clock. */
  follow(words: Words, tree: boolean): void {
    const places = this.race.places();
    this.race.lanes.forEach((replay, index) => {
      const lane = this.all[index] as Lane;
      const place = places[index] as number;
      const text = this.said[index] ?? this.race.figureOf(replay, words, tree);
      if (lane.figure.textContent !== text) lane.figure.textContent = text;
      lane.caption.classList.toggle("long", this.said[index] != null);
      lane.place.hidden = !place;
      lane.place.textContent = place ? String(place) : "";
      lane.place.classList.toggle("first", place === 1);
      if (place) lane.place.setAttribute("aria-label", words.say(ORDINALS[place - 1] ?? "{place}th", { place }));
      lane.bar.hidden = place > 0;
      lane.bar.style.width = `${100 * this.race.shareOf(replay)}%`;
    });
  }
}

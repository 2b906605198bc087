/** The map with what lies over it: caption, legend, scale, credits, and what is told of the place under the pointer. */

import { element, iconButton } from "./dom.ts";
import type { Contents, Heading } from "./read.ts";
import type { View } from "./view.ts";
import { lengthLabel, scaleBar, type Words } from "./words.ts";

const BETWEEN_TICKS = 6;

export class Frame {
  readonly root: HTMLElement;
  readonly roads = element("canvas", { class: "roads", "aria-hidden": "true" });
  readonly marks = element("canvas", { class: "marks", tabindex: 0, role: "application" });
  readonly figures = element("dl", { class: "figures" });
  /** Called when the colours change. */
  themed: (name: string) => void = () => {};
  private readonly heading: Heading;
  private readonly legend = element("div", { class: "legend" });
  private readonly scale = element("div", { class: "scale" });
  private readonly tip = element("div", { class: "tip", hidden: true });
  private readonly sizes = new ResizeObserver(() => this.thinTicks());
  private views: readonly View[] = [];

  /** `maps` takes the place of the one map; `below` stands under the figures. */
  constructor(
    private readonly page: Contents,
    words: Words,
    maps: (HTMLElement | SVGElement)[] | null,
    ...below: HTMLElement[]
  ) {
    const { heading } = page;
    this.heading = heading;
    const say = (text: string) => words.say(text);
    this.marks.setAttribute(
      "aria-label",
      words.say("Map of {title}: {subtitle}", { title: heading.title, subtitle: heading.subtitle }),
    );
    const caption = element(
      "header",
      { class: "caption" },
      element("h1", {}, heading.title),
      element("p", {}, heading.subtitle),
      this.figures,
      ...below,
    );
    this.root = element(
      "div",
      { class: "map" },
      ...(maps ?? [this.roads, this.marks]),
      caption,
      element(
        "div",
        { class: "tools" },
        iconButton("plus", say("Zoom in"), "+", () => this.zoomBy(1.5)),
        iconButton("minus", say("Zoom out"), "−", () => this.zoomBy(1 / 1.5)),
        iconButton("fit", say("Show all"), "F", () => this.fit()),
      ),
      element(
        "div",
        { class: "edge" },
        element("div", { class: "key" }, this.legend, this.scale),
        element("p", { class: "credit" }, heading.credit),
      ),
      this.tip,
    );
    this.showLegend();
  }

  /** Take the maps, which need a place on the screen before they are made; those of one network are seen from one camera. */
  attach(views: readonly View[]): void {
    this.views = views;
    this.sizes.observe(this.legend);
    const [first] = views;
    if (first) first.moved = () => this.showScale(first);
    for (const view of views) {
      view.led = () => {
        for (const other of views) if (other !== view && other.sharesRoads(view)) other.follow(view);
      };
    }
  }

  dispose(): void {
    this.sizes.disconnect();
    for (const view of this.views) view.dispose();
  }

  /** One map of each network, whose others follow. */
  private get leaders(): readonly View[] {
    const { views } = this;
    return views.filter((view, index) => views.findIndex((other) => other.sharesRoads(view)) === index);
  }

  zoomBy(factor: number): void {
    for (const view of this.leaders) view.zoomBy(factor);
  }

  fit(): void {
    for (const view of this.leaders) view.fit();
  }

  panBy(across: number, down: number): void {
    for (const view of this.leaders) view.panBy(across, down);
  }

  setTheme(name: string): boolean {
    if (!applyTheme(this.heading, name)) return false;
    for (const view of this.views) view.setTheme(name);
    this.themed(name);
    return true;
  }

  /** Show what the colours mean now. */
  showLegend(legend = this.heading.legend): void {
    const marks = legend.marks.map(([share, text]) => {
      const mark = element("span", { class: "tick" }, text);
      mark.style.left = `${100 * share}%`;
      if (share === 0) mark.classList.add("begin");
      if (share === 1) mark.classList.add("end");
      return mark;
    });
    this.legend.replaceChildren(
      element("p", {}, legend.title),
      element("div", { class: "colours" }),
      element("div", { class: "ticks", "aria-hidden": "true" }, ...marks),
    );
    this.legend.setAttribute("role", "img");
    this.legend.setAttribute("aria-label", `${legend.title}: ${legend.marks.map(([, text]) => text).join(", ")}`);
    this.thinTicks();
  }

  /** Leave out the texts of the legend that would touch the next one, from the last one on. */
  private thinTicks(): void {
    let free = Infinity;
    for (const mark of [...this.legend.querySelectorAll<HTMLElement>(".tick")].reverse()) {
      const { left, right, width } = mark.getBoundingClientRect();
      const fits = width > 0 && right + BETWEEN_TICKS <= free;
      mark.style.visibility = fits ? "" : "hidden";
      if (fits) free = left;
    }
  }

  private showScale(view: View): void {
    if (!this.heading.on_earth || this.page.graph) return;
    const perPixel = view.camera.ratio / view.camera.scale;
    const metres = scaleBar(perPixel);
    const label = lengthLabel(metres);
    if (this.scale.dataset.label !== label + perPixel) {
      this.scale.dataset.label = label + perPixel;
      const bar = element("span", { class: "length" });
      bar.style.width = `${metres / perPixel}px`;
      this.scale.replaceChildren(bar, element("span", {}, label));
    }
  }

  /** Show lines beside a place of one of the maps, in logical pixels; none hides them. */
  showTip(lines: readonly string[], marks: HTMLElement, left: number, top: number): void {
    this.tip.hidden = !lines.length;
    if (!lines.length) return;
    this.tip.replaceChildren(...lines.map((line) => element("p", {}, line)));
    const here = this.root.getBoundingClientRect();
    const box = marks.getBoundingClientRect();
    const x = left + box.left - here.left;
    const y = top + box.top - here.top;
    const right = x + 16 + this.tip.offsetWidth > this.root.clientWidth;
    const below = y + 16 + this.tip.offsetHeight > this.root.clientHeight;
    this.tip.style.left = `${right ? x - 12 - this.tip.offsetWidth : x + 16}px`;
    this.tip.style.top = `${below ? y - 12 - this.tip.offsetHeight : y + 16}px`;
  }
}

/** Let the page have the colours of a theme; return whether there is one of that name. */
export function applyTheme(heading: Heading, name: string): boolean {
  const theme = heading.themes[name];
  if (!theme) return false;
  const root = document.documentElement;
  for (const [key, value] of Object.entries(theme.interface)) root.style.setProperty(`--${key}`, value);
  for (const key of ["background", "ink", "casing", "bloom"] as const) {
    root.style.setProperty(`--map-${key}`, theme.map[key]);
  }
  const stops = theme.gradient.map(([red, green, blue]) => `rgb(${red} ${green} ${blue})`);
  root.style.setProperty("--gradient", `linear-gradient(90deg, ${stops.join(", ")})`);
  root.style.setProperty("--text-scale", String(theme.text));
  root.style.setProperty("--quiet", theme.map.plain ? "1" : "0.66");
  root.style.colorScheme = name === "dark" ? "dark" : "light";
  return true;
}

/** Write figures into a list of terms; what is there stays, so that a screen reader is not told everything anew. */
export function fillFigures(list: HTMLElement, figures: readonly [string, string][]): void {
  if (list.children.length !== figures.length) {
    list.replaceChildren(...figures.map(() => element("div", {}, element("dt"), element("dd"))));
  }
  figures.forEach(([caption, text], index) => {
    const [term, value] = list.children[index]?.children ?? [];
    if (term && term.textContent !== caption) term.textContent = caption;
    if (value && value.textContent !== text) value.textContent = text;
  });
}

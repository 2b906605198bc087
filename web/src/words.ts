/** Texts and numbers as people read them, in the page's language. */

import type { Heading } from "./read.ts";

export class Words {
  private readonly whole: Intl.NumberFormat;

  constructor(private readonly heading: Heading) {
    this.whole = new Intl.NumberFormat(heading.language === "ja" ? "ja" : "en");
  }

  /** Return a text in the page's language; `{name}` in it stands for one of the values. */
  say(text: string, values: Record<string, string | number> = {}): string {
    const words = this.heading.words[text] ?? text;
    return words.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : typeof value === "number" ? this.count(value) : value;
    });
  }

  count(value: number): string {
    return this.whole.format(value);
  }

  /** Write a number of trips in few letters. */
  amount(value: number): string {
    for (const [least, letter] of [
      [1e12, "T"],
      [1e9, "G"],
      [1e6, "M"],
    ] as const) {
      if (value >= least) return `${Number((value / least).toPrecision(3))} ${letter}`;
    }
    return value >= 1000 || Number.isInteger(value) ? this.count(Math.round(value)) : `${Number(value.toPrecision(3))}`;
  }

  /** Write a share in three digits at most. */
  percent(share: number): string {
    const hundredths = 100 * share;
    if (share >= 0.01) return `${hundredths.toFixed(1)}%`;
    return share >= 1e-4 ? `${hundredths.toFixed(2)}%` : `${Number(hundredths.toPrecision(1))}%`;
  }

  /** Write a time with three figures. */
  milliseconds(ms: number): string {
    const [value, unit] = ms < 1 ? [ms * 1e3, "µs"] : ms < 1000 ? [ms, "ms"] : [ms / 1e3, "s"];
    const decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return `${value.toFixed(decimals)} ${unit}`;
  }

  /** Write a distance in raw weights. */
  distance(raw: number): string {
    const { unit, scale } = this.heading.metric;
    const value = raw * scale;
    if (unit === "m")
      return value >= 1000 ? `${(value / 1000).toFixed(value < 10_000 ? 2 : 1)} km` : `${tidy(value)} m`;
    if (unit === "s") return duration(value);
    return unit ? `${tidy(value)} ${unit}` : this.count(Number(tidy(value)));
  }

  /** Write a place of the plane in degrees. */
  place(x: number, y: number): string {
    const { middle, metres } = this.heading;
    const east = (middle[0] + x / metres[0]) / 1e6;
    const north = (middle[1] + y / metres[1]) / 1e6;
    const side = (value: number, positive: string, negative: string) =>
      `${Math.abs(value).toFixed(5)}° ${value < 0 ? negative : positive}`;
    return `${side(north, "N", "S")}, ${side(east, "E", "W")}`;
  }
}

export function nodesText(words: Words, count: number): string {
  return count === 1 ? words.say("1 node") : words.say("{count} nodes", { count });
}

function tidy(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function duration(seconds: number): string {
  if (seconds < 120) return `${tidy(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120
    ? `${minutes} min`
    : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** Return the round length in metres whose bar is at most so many pixels long. */
export function scaleBar(metresPerPixel: number, longest = 130): number {
  const room = metresPerPixel * longest;
  const power = 10 ** Math.floor(Math.log10(room));
  return ([5, 2, 1].find((step) => step * power <= room) ?? 1) * power;
}

export function lengthLabel(metres: number): string {
  if (metres >= 1000) return `${metres / 1000} km`;
  return metres >= 1 ? `${metres} m` : `${Math.round(metres * 100)} cm`;
}

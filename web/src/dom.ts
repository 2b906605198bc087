/** Makes elements: texts are always texts, so that no name can be anything else. */

type Attributes = Record<string, string | number | boolean>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "boolean") made.toggleAttribute(name, value);
    else made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

const SHAPES = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M15.5 5.5v13L7 12z",
  forward: "M8.5 5.5v13L17 12z",
  first: "M6 6h2v12H6zM18 6v12l-8.5-6z",
  last: "M16 6h2v12h-2zM6 6v12l8.5-6z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
  fit: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  more: "M10.5 4.5h3v3h-3zM10.5 10.5h3v3h-3zM10.5 16.5h3v3h-3z",
  close: "M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z",
  tree: "M11 21v-6.6L6.6 10 8 8.6l3 3V3h2v9.6l3.6-3.6L18 10.4l-5 5V21z",
} as const;

export type Shape = keyof typeof SHAPES;

export function icon(shape: Shape): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", SHAPES[shape]);
  svg.append(path);
  return svg;
}

/** Return a button with an icon; its name is read out, and shown under the pointer with its key. */
export function iconButton(shape: Shape, name: string, key: string, act: () => void): HTMLButtonElement {
  const title = key ? `${name} (${key})` : name;
  const button = element("button", { type: "button", class: "icon", "aria-label": name, title });
  button.append(icon(shape));
  button.addEventListener("click", act);
  return button;
}

/** Return a choice with its caption. */
export function choice<T extends string>(
  caption: string,
  options: readonly (readonly [T, string])[],
  choose: (value: T) => void,
): { row: HTMLLabelElement; select: HTMLSelectElement } {
  const select = element("select", {}, ...options.map(([value, text]) => element("option", { value }, text)));
  select.addEventListener("change", () => choose(select.value as T));
  return { row: element("label", {}, element("span", {}, caption), select), select };
}

/** The map on the screen: its camera, what moves it, and what is drawn of a moment. */

import { type Camera, centred, fitting, panned, resized, toPixels, toPlane, zoomed } from "./camera.ts";
import type { Drawer, Moment } from "./drawer.ts";
import { Light, lampOf } from "./light.ts";
import { classLevels, NODE_MASK, Raster, roadWeights, treeLevels, treeWeights } from "./lines.ts";
import { paintMarks } from "./marks.ts";
import { Painter } from "./painter.ts";
import type { Contents, MapColours } from "./read.ts";
import { pathOf, routeTo } from "./routes.ts";
import { hasGraphicsCard, Shader } from "./shader.ts";

const PICK_RADIUS = 9;
const DRAG_DISTANCE = 4;
/** Milliseconds in a frame that the raster may take; above it the old picture is moved while a gesture lasts. */
const LONGEST_RASTER = 12;
const GESTURE_REST = 90;
/** More pixels than anybody sees, on a screen of many. */
const MOST_PIXELS = 9e6;
const NEAREST_PIXEL = 0.02;

/** Return what colours the map: what is asked for, or the graphics card where there is one. */
function drawerFor(canvas: HTMLCanvasElement, page: Contents, by: string | null): Drawer {
  return by === "webgl" || (by === null && hasGraphicsCard()) ? new Shader(canvas, page) : new Painter(canvas, page);
}

export class View {
  camera: Camera;
  moment: Moment = { step: 0, tree: false };
  hovered = -1;
  target = -1;
  /** Called with the node under the pointer and where that is in logical pixels, or -1. */
  pointed: (node: number, x: number, y: number) => void = () => {};
  chosen: (node: number) => void = () => {};
  moved: () => void = () => {};
  /** Processor time of the last raster and the last frame, in milliseconds. */
  rasterMs = 0;
  frameMs = 0;

  private readonly raster: Raster;
  private readonly light: Light;
  private readonly drawer: Drawer;
  private readonly tree: Uint8Array;
  private readonly classes: Uint8Array;
  private readonly marks: HTMLCanvasElement;
  private owners = new Int32Array(0);
  private drawn: { camera: Camera; tree: boolean; thickness: number } | null = null;
  private colours: MapColours;
  private route: number[] = [];
  private path: number[] = [];
  private lastGesture = 0;
  private dirty = true;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private dragged = 0;

  constructor(
    private readonly page: Contents,
    canvas: HTMLCanvasElement,
    marks: HTMLCanvasElement,
    theme: string,
    by: string | null,
  ) {
    this.marks = marks;
    this.drawer = drawerFor(canvas, page, by);
    this.raster = new Raster(page);
    this.light = new Light(page, this.raster);
    this.tree = treeLevels(page);
    this.classes = classLevels(page, this.tree);
    this.colours = this.setTheme(theme);
    this.camera = fitting(page.heading.home, ...this.pixels());
    this.setTarget(page.heading.route.at(-1) ?? -1);
    new ResizeObserver(() => this.resize()).observe(marks);
    this.listen(marks);
  }

  private pixels(): [number, number, number] {
    const { clientWidth, clientHeight } = this.marks;
    const wanted = window.devicePixelRatio || 1;
    const ratio = Math.min(wanted, Math.sqrt(MOST_PIXELS / Math.max(clientWidth * clientHeight, 1)));
    return [Math.max(Math.round(clientWidth * ratio), 1), Math.max(Math.round(clientHeight * ratio), 1), ratio];
  }

  private resize(): void {
    const whole = fitting(this.page.heading.home, this.camera.width, this.camera.height, this.camera.ratio);
    const fits = Math.abs(whole.scale / this.camera.scale - 1) < 1e-6;
    const [width, height, ratio] = this.pixels();
    if (width === this.camera.width && height === this.camera.height && ratio === this.camera.ratio) return;
    this.camera = fits
      ? fitting(this.page.heading.home, width, height, ratio)
      : resized(this.camera, width, height, ratio);
    this.changed();
  }

  setTheme(name: string): MapColours {
    const theme = this.page.heading.themes[name];
    if (theme) {
      this.colours = theme.map;
      this.drawer.setTheme(name);
      this.changed();
    }
    return this.colours;
  }

  show(moment: Moment): void {
    this.moment = moment;
    this.changed();
  }

  setTarget(node: number): void {
    this.target = node;
    this.route = node < 0 ? [] : routeTo(this.page, node);
    this.path = pathOf(this.page, this.route);
    this.changed();
  }

  /** The nodes of the route to the target. */
  get routeNodes(): readonly number[] {
    return this.route;
  }

  changed(): void {
    this.dirty = true;
  }

  // ------------------------------------------------------------------------------------------------- drawing

  /** Draw what has changed; return whether anything had. */
  frame(now: number): boolean {
    if (!this.dirty) return false;
    this.dirty = false;
    const start = performance.now();
    const { camera, moment } = this;
    const thickness = this.colours.thickness;
    const drawn = this.drawn;
    const stale = !drawn || drawn.camera !== camera || drawn.tree !== moment.tree || drawn.thickness !== thickness;
    const sized = drawn !== null && drawn.camera.width === camera.width && drawn.camera.height === camera.height;
    const moving = now - this.lastGesture < GESTURE_REST || this.pointers.size > 0;
    const may_wait = sized && moving && drawn.tree === moment.tree && this.rasterMs > LONGEST_RASTER;
    if (stale && !may_wait) this.rasterNow();
    else if (stale) this.dirty = true; // once the gesture rests
    const lamp = lampOf(this.page.heading.typical, camera);
    if (!moment.tree) this.light.find(camera, lamp, moment.step);
    this.drawer.draw(camera, moment, lamp, this.light);
    paintMarks(this.marks, camera, this.page, this.colours, {
      hovered: this.hovered,
      target: this.target,
      path: this.path,
      shown: moment.tree || this.page.heading.route.length === 0 || moment.step >= this.page.heading.steps - 1,
    });
    this.moved();
    this.frameMs = performance.now() - start;
    return true;
  }

  private rasterNow(): void {
    const start = performance.now();
    const { camera, moment } = this;
    const size = camera.width * camera.height;
    if (this.owners.length !== size) this.owners = new Int32Array(size);
    const thickness = this.colours.thickness;
    const typical = Math.round(((this.page.heading.typical * camera.scale) / camera.ratio) * 1e4) / 1e4;
    const unit = camera.ratio * thickness;
    if (moment.tree) this.raster.draw(this.owners, camera, this.tree, treeWeights(typical, unit));
    else this.raster.draw(this.owners, camera, this.classes, roadWeights(typical, unit));
    this.drawer.setOwners(this.owners, camera);
    this.drawn = { camera, tree: moment.tree, thickness };
    this.rasterMs = performance.now() - start;
  }

  /** Return the node whose road is nearest to a place in logical pixels, or -1. */
  nodeAt(x: number, y: number): number {
    const drawn = this.drawn?.camera;
    if (!drawn) return -1;
    const plane = toPlane(this.camera, x * this.camera.ratio, y * this.camera.ratio);
    const [column, row] = toPixels(drawn, ...plane);
    const radius = PICK_RADIUS * drawn.ratio;
    let best = radius * radius;
    let found = 0;
    const lastRow = Math.min(Math.floor(row + radius), drawn.height - 1);
    const lastColumn = Math.min(Math.floor(column + radius), drawn.width - 1);
    for (let r = Math.max(Math.floor(row - radius), 0); r <= lastRow; r++) {
      for (let c = Math.max(Math.floor(column - radius), 0); c <= lastColumn; c++) {
        const value = this.owners[r * drawn.width + c] as number;
        const away = (c + 0.5 - column) ** 2 + (r + 0.5 - row) ** 2;
        if (value && (away < best || (away === best && value > found))) {
          best = away;
          found = value;
        }
      }
    }
    return found ? found & NODE_MASK : -1;
  }

  // ------------------------------------------------------------------------------------------------- moving

  fit(): void {
    this.go(fitting(this.page.heading.home, ...this.pixels()));
  }

  /** Pan by a share of the view. */
  panBy(across: number, down: number): void {
    const { width, height } = this.camera;
    this.go(panned(this.camera, Math.round(-across * width), Math.round(-down * height)));
  }

  /** Zoom in the middle, or at a place in logical pixels. */
  zoomBy(factor: number, x = this.marks.clientWidth / 2, y = this.marks.clientHeight / 2): void {
    const { bounds } = this.page.heading;
    const whole = fitting(bounds, this.camera.width, this.camera.height, this.camera.ratio).scale;
    const nearest = Math.max(this.camera.ratio / NEAREST_PIXEL, whole * 4);
    const scale = Math.min(Math.max(this.camera.scale * factor, whole / 4), nearest);
    this.go(zoomed(this.camera, scale / this.camera.scale, x * this.camera.ratio, y * this.camera.ratio));
  }

  /** Bring a node into view. */
  reveal(node: number): void {
    const { camera, page } = this;
    const [column, row] = toPixels(camera, page.x[node] as number, page.y[node] as number);
    const inside = column >= 0 && row >= 0 && column < camera.width && row < camera.height;
    if (!inside) {
      const { scale, width, height, ratio } = camera;
      this.go(centred(page.x[node] as number, page.y[node] as number, scale, width, height, ratio));
    }
  }

  private go(camera: Camera): void {
    this.camera = camera;
    this.lastGesture = performance.now();
    this.changed();
  }

  private listen(element: HTMLElement): void {
    const place = (event: MouseEvent) => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    element.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const { x, y } = place(event);
        const pixels = event.deltaMode === 1 ? event.deltaY * 24 : event.deltaY;
        this.zoomBy(2 ** (-pixels / (event.ctrlKey ? 60 : 240)), x, y);
      },
      { passive: false },
    );
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, place(event));
      if (this.pointers.size === 1) this.dragged = 0;
      else this.dragged = Infinity;
      this.point(-1, 0, 0);
    });
    element.addEventListener("pointermove", (event) => {
      const here = place(event);
      const before = this.pointers.get(event.pointerId);
      if (!before) {
        if (event.pointerType !== "touch") this.point(this.nodeAt(here.x, here.y), here.x, here.y);
        return;
      }
      this.dragged += Math.hypot(here.x - before.x, here.y - before.y);
      if (this.dragged < DRAG_DISTANCE) return;
      const [a, b] = [...this.pointers.entries()].map(([id, at]) => (id === event.pointerId ? here : at));
      const { ratio } = this.camera;
      if (a && b) {
        const [first, second] = [...this.pointers.values()] as [{ x: number; y: number }, { x: number; y: number }];
        const was = Math.hypot(first.x - second.x, first.y - second.y);
        const is = Math.hypot(a.x - b.x, a.y - b.y);
        const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
        const across = middle.x - (first.x + second.x) / 2;
        const down = middle.y - (first.y + second.y) / 2;
        this.go(panned(this.camera, across * ratio, down * ratio));
        if (was > 0) this.zoomBy(is / was, middle.x, middle.y);
      } else {
        // By whole pixels, so that lines stay as they are.
        const across = Math.round((here.x - before.x) * ratio);
        const down = Math.round((here.y - before.y) * ratio);
        this.go(panned(this.camera, across, down));
        this.pointers.set(event.pointerId, { x: before.x + across / ratio, y: before.y + down / ratio });
        return;
      }
      this.pointers.set(event.pointerId, here);
    });
    const up = (event: PointerEvent) => {
      if (!this.pointers.delete(event.pointerId)) return;
      if (event.type === "pointerup" && this.dragged < DRAG_DISTANCE) {
        const { x, y } = place(event);
        this.chosen(this.nodeAt(x, y));
      }
      this.lastGesture = performance.now();
      this.changed();
    };
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("pointerleave", () => this.point(-1, 0, 0));
    element.addEventListener("dblclick", (event) => {
      const { x, y } = place(event);
      this.zoomBy(2, x, y);
    });
  }

  private point(node: number, x: number, y: number): void {
    if (node !== this.hovered) {
      this.hovered = node;
      this.changed();
    }
    this.pointed(node, x, y);
  }
}

/** The map on the screen: its camera, what moves it, and what is drawn of a moment. */

import {
  type Camera,
  centred,
  fitting,
  fittingGraph,
  panned,
  resized,
  type Taken,
  toPixels,
  toPlane,
  zoomed,
} from "./camera.ts";
import { Diagram } from "./diagram.ts";
import { type Coloured, colouredBy, type Drawer, type Moment } from "./drawer.ts";
import { Land } from "./land.ts";
import { Light, lampOf } from "./light.ts";
import {
  classLevels,
  growth,
  NODE_MASK,
  type Noted,
  octavesOf,
  Raster,
  roadWeights,
  treeLevels,
  treeWeights,
  type Weights,
} from "./lines.ts";
import { paintMarks } from "./marks.ts";
import { Names } from "./names.ts";
import { Painter } from "./painter.ts";
import type { Contents, Extent, MapColours } from "./read.ts";
import { drawnAs, riverWeights } from "./rivers.ts";
import { pathOf, routeTo, sourceOf } from "./routes.ts";
import { hasWebGl, Shader } from "./shader.ts";
import { Sheet } from "./sheet.ts";
import type { Signs } from "./signs.ts";

const PICK_RADIUS = 9;
const DRAG_DISTANCE = 4;
/** Pixels round the source within which it is taken hold of. */
const GRASP = 12;
const TOUCH_GRASP = 24;
/** Milliseconds in a frame that the raster may take; above it the old picture is moved while a gesture lasts. */
const LONGEST_RASTER = 12;
const GESTURE_REST = 90;
/** More pixels than anybody sees, on a screen of many. */
const MOST_PIXELS = 9e6;
/** Pixels of a view of which it is noted what lines cover: on the fine screens of phones it would take too much memory. */
const MOST_NOTED = 4e6;
const NEAREST_PIXEL = 0.02;
const WHOLE_PIXEL = 1e-3;
const NOTHING: Taken = { above: 0, right: 0 };

/** Return what colours the map: what is asked for, or the graphics card where there is one. */
function drawerFor(canvas: HTMLCanvasElement, page: Contents, by: string | null): Drawer {
  return by !== "processor" && hasWebGl(by === "webgl") ? new Shader(canvas, page) : new Painter(canvas, page);
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
  /** Whether the source can be dragged; and what is called with the node that it is dragged to. */
  canMoveSource = false;
  sourceMoved: (node: number) => void = () => {};
  /** Called when a person has moved the map. */
  led: () => void = () => {};
  /** What a lesson points out. */
  signs: Signs | null = null;
  /** The part of the plane that is shown at first. */
  home: Extent;
  private taken = NOTHING;
  /** Processor time of the last raster and the last frame, in milliseconds. */
  rasterMs = 0;
  frameMs = 0;

  private readonly raster: Raster;
  private readonly light: Light;
  private drawer: Drawer;
  private tree: Uint8Array;
  private readonly classes: Uint8Array;
  private readonly marks: HTMLCanvasElement;
  private readonly diagram: Diagram | null;
  private readonly land: Sheet;
  private readonly names: Sheet;
  private owners: Int32Array = new Int32Array(0);
  private spare: Int32Array = new Int32Array(0);
  private drawn: { camera: Camera; tree: boolean; thickness: number } | null = null;
  /** What lines cover in the view at hand, once more than one tree is drawn of it. */
  private noted: Noted | null = null;
  private apart: Coloured | null = null;
  private worthNoting = false;
  private theme: string;
  private colours: MapColours;
  private route: number[] = [];
  private path: number[] = [];
  private lastGesture = 0;
  private dirty = true;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private readonly sizes = new ResizeObserver(() => this.resize());
  private readonly leaves = new AbortController();
  private dragged = 0;
  private dragsSource = false;

  constructor(
    private readonly page: Contents,
    canvas: HTMLCanvasElement,
    marks: HTMLCanvasElement,
    theme: string,
    by: string | null,
  ) {
    this.marks = marks;
    this.diagram = page.graph ? new Diagram(page.graph, page) : null;
    this.land = new Sheet("land", new Land(page));
    this.names = new Sheet("names", new Names(page));
    marks.before(this.land.canvas, this.names.canvas);
    const drawn = page.rivers ? drawnAs(page, page.rivers) : page;
    this.home = page.heading.home;
    this.drawer = drawerFor(canvas, drawn, by);
    const { signal } = this.leaves;
    canvas.addEventListener("webglcontextlost", () => this.loseCard(canvas, drawn), { signal });
    this.raster = new Raster(drawn);
    this.light = new Light(drawn, this.raster);
    this.tree = page.rivers?.lineLevels ?? treeLevels(page, new Uint8Array(page.lineA.length));
    this.classes = classLevels(page, this.tree);
    this.theme = theme;
    this.colours = this.setTheme(theme);
    this.camera = this.whole(...this.pixels());
    this.setTarget(page.heading.route.at(-1) ?? -1);
    this.sizes.observe(marks);
    this.listen(marks);
  }

  /** Let go of the screen and the graphics card. */
  dispose(): void {
    this.sizes.disconnect();
    this.leaves.abort();
    this.drawer.dispose();
  }

  /** Draw by the processor from now on: browsers take a card back from pages, mostly where a tab has over 16 maps. */
  private loseCard(canvas: HTMLCanvasElement, drawn: Contents): void {
    const other = canvas.cloneNode() as HTMLCanvasElement;
    canvas.replaceWith(other);
    this.drawer = new Painter(other, drawn);
    if (this.apart) this.drawer.takeTree(this.apart);
    this.drawn = null;
    this.setTheme(this.theme);
  }

  private pixels(): [number, number, number] {
    const { clientWidth, clientHeight } = this.marks;
    const wanted = window.devicePixelRatio || 1;
    const ratio = Math.min(wanted, Math.sqrt(MOST_PIXELS / Math.max(clientWidth * clientHeight, 1)));
    return [Math.max(Math.round(clientWidth * ratio), 1), Math.max(Math.round(clientHeight * ratio), 1), ratio];
  }

  private whole(width: number, height: number, ratio: number): Camera {
    return (this.diagram ? fittingGraph : fitting)(this.home, width, height, ratio, this.taken);
  }

  private resize(): void {
    const { fits } = this;
    const [width, height, ratio] = this.pixels();
    if (width === this.camera.width && height === this.camera.height && ratio === this.camera.ratio) return;
    this.camera = fits ? this.whole(width, height, ratio) : resized(this.camera, width, height, ratio);
    this.changed();
  }

  setTheme(name: string): MapColours {
    const theme = this.page.heading.themes[name];
    if (theme) {
      this.theme = name;
      this.colours = theme.map;
      this.drawer.setTheme(name);
      this.diagram?.setTheme(name);
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

  /** The level of each line in the tree that is shown. */
  get treeLines(): Uint8Array {
    return this.tree;
  }

  /** Show the page's tree anew, with the levels of its lines. */
  takeTree(levels: Uint8Array): void {
    this.tree = levels;
    this.worthNoting = this.drawn?.tree === true && this.drawn.camera === this.camera;
    this.drawn = null;
    if (!this.apart) this.drawer.takeTree(colouredBy(this.page));
    this.setTarget(this.target);
  }

  /** Show how the search differs from another one in place of its replay, or the replay again. */
  showApart(apart: Coloured | null): void {
    if (apart === this.apart) return;
    this.apart = apart;
    this.drawer.takeTree(apart ?? colouredBy(this.page));
    this.changed();
  }

  /** Whether roads are as wide as the tree over them is large. */
  private get asTree(): boolean {
    return this.moment.tree && !this.apart;
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
    const stale = !drawn || drawn.camera !== camera || drawn.tree !== this.asTree || drawn.thickness !== thickness;
    const sized = drawn !== null && drawn.camera.width === camera.width && drawn.camera.height === camera.height;
    const moving = now - this.lastGesture < GESTURE_REST || this.pointers.size > 0;
    const mayWait = sized && moving && drawn.tree === this.asTree && this.rasterMs > LONGEST_RASTER;
    if (stale && this.rasterMoved()) this.drawer.setOwners(this.owners, camera);
    else if (stale && !mayWait) this.rasterNow();
    else if (stale) this.dirty = true; // once the gesture rests
    const lamp = lampOf(this.page.heading.typical, camera);
    if (!moment.tree && !this.diagram && !this.apart) this.light.find(camera, lamp, moment.step);
    this.drawer.draw(camera, this.apart ? { step: 0, tree: true } : moment, lamp, this.light);
    this.land.canvas.style.opacity = String(this.colours.land_strength);
    const late = [this.land, this.names].map((sheet) => sheet.show(camera, this.colours, moving));
    if (late.includes(true)) this.dirty = true;
    if (this.diagram) this.paintDiagram(this.diagram);
    else
      paintMarks(this.marks, camera, this.page, this.colours, {
        hovered: this.hovered,
        signs: this.signs,
        target: this.target,
        path: this.path,
        shown: moment.tree || this.page.heading.route.length === 0 || moment.step >= this.page.heading.steps - 1,
      });
    this.moved();
    this.frameMs = performance.now() - start;
    return true;
  }

  private paintDiagram(diagram: Diagram): void {
    const { marks, camera, moment } = this;
    if (marks.width !== camera.width || marks.height !== camera.height) {
      marks.width = camera.width;
      marks.height = camera.height;
    }
    const context = marks.getContext("2d");
    if (!context) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    const { hovered, target, route, signs } = this;
    diagram.paint(context, camera, moment, { hovered, target, route, signs });
  }

  /** Return what the search on a small graph holds now, as titles with nodes and their keys. */
  get held(): [string, [string, string][]][] {
    return this.diagram?.heldAt(this.moment.step, this.moment.tree) ?? [];
  }

  private rasterNow(): void {
    const start = performance.now();
    const { camera } = this;
    const size = camera.width * camera.height;
    if (this.owners.length !== size) this.owners = new Int32Array(size);
    if (!this.asTree || !this.rasterNoted()) this.rasterInto(this.owners, camera);
    this.drawer.setOwners(this.owners, camera);
    this.drawn = { camera, tree: this.asTree, thickness: this.colours.thickness };
    this.rasterMs = performance.now() - start;
  }

  private rasterInto(owners: Int32Array, camera: Camera): void {
    if (this.diagram)
      owners.fill(0); // all of it is painted over the roads
    else if (this.page.rivers || this.asTree) this.raster.draw(owners, camera, this.tree, this.weights(camera));
    else this.raster.draw(owners, camera, this.classes, this.weights(camera));
  }

  private weights(camera: Camera): Weights {
    const typical = Math.round(((this.page.heading.typical * camera.scale) / camera.ratio) * 1e4) / 1e4;
    const unit = camera.ratio * this.colours.thickness;
    const octaves = octavesOf(typical);
    if (this.page.rivers) return riverWeights(octaves, growth(octaves), unit);
    return this.asTree ? treeWeights(typical, unit) : roadWeights(typical, unit);
  }

  /** Draw a further tree of the same view by what was noted of its lines; return whether it is one. */
  private rasterNoted(): boolean {
    const { camera } = this;
    const weights = this.weights(camera);
    if (!this.noted?.fits(camera, weights)) this.noted = null;
    if (!this.noted && (!this.worthNoting || camera.width * camera.height > MOST_NOTED)) return false;
    this.noted ??= this.raster.note(camera, weights);
    this.raster.drawNoted(this.owners, this.noted, this.tree, weights);
    return true;
  }

  /** Move what is drawn by whole pixels, and raster what comes into view; return whether that is all it needs. */
  private rasterMoved(): boolean {
    const { camera, drawn } = this;
    if (!drawn || drawn.tree !== this.asTree || drawn.thickness !== this.colours.thickness) return false;
    const { width, height, scale } = camera;
    const before = drawn.camera;
    if (before.width !== width || before.height !== height || before.scale !== scale) return false;
    const across = (camera.left - before.left) * scale;
    const down = (before.top - camera.top) * scale;
    const columns = Math.round(across);
    const rows = Math.round(down);
    if (Math.abs(across - columns) + Math.abs(down - rows) > WHOLE_PIXEL) return false;
    const keptColumns = width - Math.abs(columns);
    const keptRows = height - Math.abs(rows);
    if (keptColumns <= 0 || keptRows <= 0 || 2 * keptColumns * keptRows < width * height) return false;
    const owners = this.spare.length === width * height ? this.spare : new Int32Array(width * height);
    const left = Math.max(-columns, 0);
    const top = Math.max(-rows, 0);
    for (let row = top; row < top + keptRows; row++) {
      const from = (row + rows) * width + Math.max(columns, 0);
      owners.set(this.owners.subarray(from, from + keptColumns), row * width + left);
    }
    const lower = rows > 0 ? keptRows : 0;
    this.rasterPart(owners, 0, lower, width, height - keptRows);
    this.rasterPart(owners, columns > 0 ? keptColumns : 0, top, width - keptColumns, keptRows);
    this.spare = this.owners;
    this.owners = owners;
    this.drawn = { ...drawn, camera };
    return true;
  }

  /** Raster a part of the view. */
  private rasterPart(owners: Int32Array, left: number, top: number, width: number, height: number): void {
    if (!width || !height) return;
    const { camera } = this;
    const [x, y] = toPlane(camera, left, top);
    const part = new Int32Array(width * height);
    this.rasterInto(part, { ...camera, left: x, top: y, width, height });
    for (let row = 0; row < height; row++) {
      owners.set(part.subarray(row * width, (row + 1) * width), (top + row) * camera.width + left);
    }
  }

  /** What the marks are painted on, which takes the pointer. */
  get place(): HTMLCanvasElement {
    return this.marks;
  }

  /** Return where a node is in the window, in logical pixels. */
  placeOf(node: number): [number, number] {
    const { camera, page, diagram } = this;
    const [column, row] = toPixels(camera, page.x[node] as number, page.y[node] as number);
    const [x, y] = diagram ? diagram.placeOf(camera, node) : [column / camera.ratio, row / camera.ratio];
    const box = this.marks.getBoundingClientRect();
    return [box.left + x, box.top + y];
  }

  /** Return the node whose road is nearest to a place in logical pixels, or -1. */
  nodeAt(x: number, y: number): number {
    if (this.diagram) return this.diagram.nodeAt(this.camera, x, y);
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

  /** Return whether a place in logical pixels is on the marker of a source that can be dragged. */
  private isAtSource(x: number, y: number, byTouch: boolean): boolean {
    if (!this.canMoveSource || this.diagram) return false;
    const { camera, page } = this;
    const { source } = page.heading;
    const [column, row] = toPixels(camera, page.x[source] as number, page.y[source] as number);
    return Math.hypot(column / camera.ratio - x, row / camera.ratio - y) <= (byTouch ? TOUCH_GRASP : GRASP);
  }

  /** Return the node that is nearest to a place in logical pixels, however far away. */
  private nearest(x: number, y: number): number {
    const { page, camera } = this;
    const [px, py] = toPlane(camera, x * camera.ratio, y * camera.ratio);
    let best = Infinity;
    let found = 0;
    for (let node = 0; node < page.heading.nodes; node++) {
      const across = page.x[node]! - px;
      const upward = page.y[node]! - py;
      const away = across * across + upward * upward;
      if (away < best) {
        best = away;
        found = node;
      }
    }
    return found;
  }

  // ------------------------------------------------------------------------------------------------- moving

  fit(): void {
    this.go(this.whole(...this.pixels()));
  }

  /** Pan by a share of the view. */
  panBy(across: number, down: number): void {
    const { width, height } = this.camera;
    this.go(panned(this.camera, Math.round(-across * width), Math.round(-down * height)));
  }

  /** Zoom in the middle, or at a place in logical pixels. */
  zoomBy(factor: number, x = this.marks.clientWidth / 2, y = this.marks.clientHeight / 2): void {
    const { bounds } = this.page.heading;
    const whole = fitting(bounds, this.camera.width, this.camera.height, this.camera.ratio, NOTHING).scale;
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

  /** Show a part of the plane, which stays what all is. */
  showPart(home: Extent): void {
    this.home = home;
    this.camera = this.whole(...this.pixels());
    this.changed();
  }

  /** Keep what is shown at first clear of what lies over the map. */
  keepClear(taken: Taken): void {
    if (taken.above === this.taken.above && taken.right === this.taken.right) return;
    const fits = this.fits;
    this.taken = taken;
    if (fits) this.camera = this.whole(...this.pixels());
    this.changed();
  }

  /** Whether all is shown that is at first. */
  private get fits(): boolean {
    const { camera } = this;
    return Math.abs(this.whole(camera.width, camera.height, camera.ratio).scale / camera.scale - 1) < 1e-6;
  }

  /** Whether another view shows the same roads, which are in one plane then. */
  sharesRoads(other: View): boolean {
    return this.page.x === other.page.x;
  }

  /** See what another view of the same roads sees, as large as there. */
  follow(other: View): void {
    const { scale, width, height, ratio } = other.camera;
    const [x, y] = toPlane(other.camera, width / 2, height / 2);
    this.camera = centred(x, y, (scale * this.camera.ratio) / ratio, this.camera.width, this.camera.height, ratio);
    this.lastGesture = performance.now();
    this.changed();
  }

  private go(camera: Camera): void {
    this.camera = camera;
    this.lastGesture = performance.now();
    this.changed();
    this.led();
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
      const { x, y } = place(event);
      this.dragsSource = this.pointers.size === 1 && this.isAtSource(x, y, event.pointerType === "touch");
      if (this.pointers.size === 1) this.dragged = 0;
      else this.dragged = Infinity;
      this.point(-1, 0, 0);
    });
    element.addEventListener("pointermove", (event) => {
      const here = place(event);
      const before = this.pointers.get(event.pointerId);
      if (!before) {
        if (event.pointerType !== "touch") this.point(this.nodeAt(here.x, here.y), here.x, here.y);
        element.classList.toggle("over-source", this.isAtSource(here.x, here.y, false));
        return;
      }
      if (this.dragsSource) {
        const node = sourceOf(this.page, this.nearest(here.x, here.y));
        if (node !== this.page.heading.source) this.sourceMoved(node);
        this.dragged = Infinity;
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
      this.dragsSource = false;
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

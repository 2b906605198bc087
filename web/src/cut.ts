/**
 * Finds shortest-path trees by nested dissection, as the program's own kernel does: a network is cut by small separators
 * into cells, each cell is folded once into a matrix of distances over its border, and a tree is then a climb from its
 * source's cell to the root and one descent. George, "Nested dissection of a regular finite element mesh", SIAM Journal on
 * Numerical Analysis 10(2), 1973; Delling, Goldberg, Pajor and Werneck, "Customizable route planning", 2011.
 *
 * Cells are numbered in preorder and own ranges of positions. A cell's front is a matrix over its own nodes and then its
 * border, the nodes in separators above that touch its subtree. All nodes of a cell are eliminated from it; what is left
 * over its border goes to the parent. Distances are float64, in which sums up to 2^53 are exact.
 */

/** Whole weights of the arcs along and against each edge, -1 where there is none. */
export interface Arcs {
  low: Int32Array;
  high: Int32Array;
  along: Float64Array;
  against: Float64Array;
}

/** What is wrong with a cut, in a sentence. */
export class WrongCut extends Error {}

export class Dissection {
  private readonly parent: Int32Array;
  private readonly position: Int32Array;
  private readonly cellAt: Int32Array;
  /** The positions of cell c are offsets[c] to offsets[c + 1] - 1. */
  private readonly offsets: Int32Array;
  private readonly borderBegin: Int32Array;
  private readonly borderCount: Int32Array;
  private readonly border: Int32Array;
  private readonly leaf: Uint8Array;
  /** Of each cell a row for each border node: from there to the cell's nodes. */
  private readonly down: Float64Array;
  private readonly downBegin: Int32Array;
  /** Of each inner cell a row for each node of it: from there to its nodes and its border. */
  private readonly up: (Float64Array | null)[];
  private readonly distances: Float64Array;
  private readonly index: Int32Array;
  private front = new Float64Array(0);
  /** The arcs of each cell: those with their later end in it, by their positions. */
  private readonly arcBegin: Int32Array;
  private readonly arcTail: Int32Array;
  private readonly arcHead: Int32Array;
  private readonly arcWeight: Float64Array;

  /** `children` has how many children each cell has, `cellOf` the cell of each node. Throws `WrongCut`. */
  constructor(children: Uint8Array, cellOf: Int32Array, arcs: Arcs) {
    const cells = children.length;
    const nodes = cellOf.length;
    this.parent = parentsOf(children);
    this.leaf = Uint8Array.from(children, (count) => (count ? 0 : 1));
    this.offsets = new Int32Array(cells + 1);
    for (const cell of cellOf) {
      if (!(cell >= 0 && cell < cells)) throw new WrongCut("a node lies in a cell that is none");
      this.offsets[cell + 1]!++;
    }
    for (let cell = 0; cell < cells; cell++) this.offsets[cell + 1]! += this.offsets[cell];
    const free = this.offsets.slice();
    this.position = new Int32Array(nodes);
    this.cellAt = new Int32Array(nodes);
    for (let node = 0; node < nodes; node++) {
      const place = free[cellOf[node] as number]!++;
      this.position[node] = place;
      this.cellAt[place] = cellOf[node] as number;
    }

    const list = this.listArcs(cells, arcs);
    this.arcBegin = list.begin;
    this.arcTail = list.tail;
    this.arcHead = list.head;
    this.arcWeight = list.weight;
    const borders = this.findBorders(cells, nodes);
    this.borderBegin = borders.begin;
    this.borderCount = borders.count;
    this.border = borders.border;

    this.downBegin = new Int32Array(cells + 1);
    for (let cell = 0; cell < cells; cell++) {
      this.downBegin[cell + 1] = this.downBegin[cell]! + this.sizeOf(cell) * this.borderCount[cell]!;
    }
    this.down = new Float64Array(this.downBegin[cells] as number);
    this.up = new Array(cells).fill(null);
    this.distances = new Float64Array(nodes);
    this.index = new Int32Array(nodes);
    this.fold(cells);
  }

  private sizeOf(cell: number): number {
    return this.offsets[cell + 1]! - this.offsets[cell]!;
  }

  /** List each arc with the cell of its later end. */
  private listArcs(cells: number, { low, high, along, against }: Arcs) {
    const { position, cellAt } = this;
    const begin = new Int32Array(cells + 1);
    const owner = (edge: number) => cellAt[Math.max(position[low[edge]!]!, position[high[edge]!]!)] as number;
    const directions = [along, against];
    let count = 0;
    for (let edge = 0; edge < low.length; edge++) {
      if (low[edge] === high[edge]) continue;
      for (const weights of directions) {
        if (weights[edge]! < 0) continue;
        begin[owner(edge) + 1]!++;
        count++;
      }
    }
    for (let cell = 0; cell < cells; cell++) begin[cell + 1]! += begin[cell];
    const free = begin.slice();
    const tail = new Int32Array(count);
    const head = new Int32Array(count);
    const weight = new Float64Array(count);
    for (let edge = 0; edge < low.length; edge++) {
      if (low[edge] === high[edge]) continue;
      for (const weights of directions) {
        if (weights[edge]! < 0) continue;
        const at = free[owner(edge)]!++;
        tail[at] = position[(weights === along ? low : high)[edge] as number] as number;
        head[at] = position[(weights === along ? high : low)[edge] as number] as number;
        weight[at] = weights[edge] as number;
      }
    }
    return { begin, tail, head, weight };
  }

  /** Find the border of each cell: what its own arcs and its children's borders touch further up, ascending. */
  private findBorders(cells: number, nodes: number) {
    const { parent, offsets, cellAt, arcBegin, arcTail, arcHead } = this;
    const end = Int32Array.from({ length: cells }, (_, cell) => cell + 1);
    for (let cell = cells - 1; cell > 0; cell--) {
      const above = parent[cell] as number;
      end[above] = Math.max(end[above] as number, end[cell] as number);
    }
    const begin = new Int32Array(cells);
    const count = new Int32Array(cells);
    const seen = new Int32Array(nodes).fill(-1);
    const firstChild = new Int32Array(cells).fill(-1);
    const nextChild = new Int32Array(cells).fill(-1);
    let border = new Int32Array(4 * nodes + 64);
    let used = 0;
    for (let cell = cells - 1; cell >= 0; cell--) {
      const first = offsets[cell] as number;
      begin[cell] = used;
      const note = (place: number) => {
        if (place >= first || seen[place] === cell) return;
        if (end[cellAt[place] as number]! <= cell)
          throw new WrongCut("a road leads from one part of its cut to another");
        seen[place] = cell;
        if (used === border.length) {
          const longer = new Int32Array(2 * used);
          longer.set(border);
          border = longer;
        }
        border[used++] = place;
      };
      for (let arc = arcBegin[cell] as number; arc < arcBegin[cell + 1]!; arc++) {
        note(Math.min(arcTail[arc] as number, arcHead[arc] as number));
      }
      for (let child = firstChild[cell] as number; child >= 0; child = nextChild[child] as number) {
        const last = begin[child]! + count[child]!;
        for (let k = begin[child] as number; k < last; k++) note(border[k] as number);
      }
      count[cell] = used - begin[cell]!;
      border.subarray(begin[cell] as number, used).sort();
      if (cell) {
        nextChild[cell] = firstChild[parent[cell] as number] as number;
        firstChild[parent[cell] as number] = cell;
      }
    }
    return { begin, count, border: border.slice(0, used) };
  }

  /** Fold all cells, children first. */
  private fold(cells: number): void {
    const { down, downBegin, borderCount, leaf, parent } = this;
    const waiting: [number, Float64Array][][] = [];
    for (let cell = cells - 1; cell >= 0; cell--) {
      const s = this.sizeOf(cell);
      const a = borderCount[cell] as number;
      const width = s + a;
      const front = this.begin(cell);
      for (const [child, left] of waiting[cell] ?? []) this.take(child, left, front, width);
      delete waiting[cell];
      eliminate(front, s, width);
      let at = downBegin[cell] as number;
      for (let row = s; row < width; row++) {
        for (let column = 0; column < s; column++) down[at++] = front[row * width + column] as number;
      }
      if (!leaf[cell]) this.up[cell] = front.slice(0, s * width);
      if (!cell || !a) continue;
      const left = new Float64Array(a * a);
      for (let row = 0; row < a; row++) {
        left.set(front.subarray((s + row) * width + s, (s + row + 1) * width), row * a);
      }
      const above = parent[cell] as number;
      waiting[above] ??= [];
      waiting[above].push([cell, left]);
    }
  }

  /** Return the front of a cell with its own arcs, before anything is eliminated. */
  private begin(cell: number): Float64Array {
    const { offsets, border, borderBegin, borderCount, arcBegin, arcTail, arcHead, arcWeight, index } = this;
    const first = offsets[cell] as number;
    const s = this.sizeOf(cell);
    const a = borderCount[cell] as number;
    const width = s + a;
    if (this.front.length < width * width) this.front = new Float64Array(width * width);
    const front = this.front.subarray(0, width * width).fill(Infinity);
    for (let k = 0; k < width; k++) front[k * width + k] = 0;
    for (let k = 0; k < s; k++) index[first + k] = k;
    for (let k = 0; k < a; k++) index[border[borderBegin[cell]! + k] as number] = s + k;
    for (let arc = arcBegin[cell] as number; arc < arcBegin[cell + 1]!; arc++) {
      const at = index[arcTail[arc] as number]! * width + index[arcHead[arc] as number]!;
      if (arcWeight[arc]! < front[at]!) front[at] = arcWeight[arc] as number;
    }
    return front;
  }

  /** Bring what a child left over into the front at hand. */
  private take(child: number, left: Float64Array, front: Float64Array, width: number): void {
    const { border, borderBegin, borderCount, index } = this;
    const begin = borderBegin[child] as number;
    const a = borderCount[child] as number;
    for (let row = 0; row < a; row++) {
      const to = index[border[begin + row] as number]! * width;
      for (let column = 0; column < a; column++) {
        const at = to + index[border[begin + column] as number]!;
        const value = left[row * a + column] as number;
        if (value < front[at]!) front[at] = value;
      }
    }
  }

  /** Write the distances from a node to all nodes into `out`, -1 where no way leads. */
  tree(source: number, out: Float64Array): void {
    const { parent, position, cellAt, offsets, border, borderBegin, borderCount, leaf, down, up, distances } = this;
    distances.fill(Infinity);
    const start = position[source] as number;
    distances[start] = 0;
    for (let cell = cellAt[start] as number; cell >= 0; cell = parent[cell] as number) {
      const first = offsets[cell] as number;
      const s = this.sizeOf(cell);
      const a = borderCount[cell] as number;
      const begin = borderBegin[cell] as number;
      let rows = up[cell] as Float64Array;
      if (leaf[cell]) {
        rows = this.begin(cell); // leaves keep no such rows
        eliminate(rows, s, s + a);
      }
      for (let row = 0, at = 0; row < s; row++) {
        const here = distances[first + row] as number;
        if (here === Infinity) {
          at += s + a;
          continue;
        }
        for (let k = 0; k < s; k++, at++) {
          const there = here + rows[at]!;
          if (there < distances[first + k]!) distances[first + k] = there;
        }
        for (let k = 0; k < a; k++, at++) {
          const there = here + rows[at]!;
          const place = border[begin + k] as number;
          if (there < distances[place]!) distances[place] = there;
        }
      }
    }
    const cells = parent.length;
    for (let cell = 0, at = 0; cell < cells; cell++) {
      const first = offsets[cell] as number;
      const end = offsets[cell + 1] as number;
      const begin = borderBegin[cell] as number;
      const last = begin + borderCount[cell]!;
      for (let k = begin; k < last; k++) {
        const here = distances[border[k] as number] as number;
        for (let place = first; place < end; place++) {
          const there = here + down[at++]!;
          if (there < distances[place]!) distances[place] = there;
        }
      }
    }
    for (let node = 0; node < out.length; node++) {
      const distance = distances[position[node] as number] as number;
      out[node] = distance === Infinity ? -1 : distance;
    }
  }
}

/** Return the parent of each cell, which come in preorder. */
function parentsOf(children: Uint8Array): Int32Array {
  const parent = new Int32Array(children.length);
  const open: number[] = [];
  const left: number[] = [];
  for (let cell = 0; cell < children.length; cell++) {
    while (left.length && !left[left.length - 1]) {
      open.pop();
      left.pop();
    }
    if (cell && !open.length) throw new WrongCut("its cells hang together in no tree");
    parent[cell] = cell ? (open[open.length - 1] as number) : -1;
    if (cell) left[left.length - 1]!--;
    open.push(cell);
    left.push(children[cell] as number);
  }
  if (left.some((count) => count)) throw new WrongCut("its cells hang together in no tree");
  return parent;
}

/** Close a front over its first `s` nodes: Floyd and Warshall's recurrence with these as the nodes between. */
function eliminate(front: Float64Array, s: number, width: number): void {
  for (let k = 0; k < s; k++) {
    const through = k * width;
    for (let row = 0; row < width; row++) {
      const to = front[row * width + k] as number;
      if (to === Infinity || row === k) continue;
      const begin = row * width;
      for (let column = 0; column < width; column++) {
        const value = to + front[through + column]!;
        if (value < front[begin + column]!) front[begin + column] = value;
      }
    }
  }
}

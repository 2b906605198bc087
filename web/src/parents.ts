/**
 * Makes a tree from final distances, the same one as the program's: a node's parent is the tail of a tight arc, of several
 * the one with the smallest id. Arcs of weight 0 count only for nodes that no heavier tight arc enters, level by level, so
 * that none closes a cycle.
 */

import type { Arcs } from "./cut.ts";

export class Parents {
  /** The arcs that enter node v are begin[v] to begin[v + 1] - 1, their tails by rising id. */
  private readonly begin: Int32Array;
  private readonly tail: Int32Array;
  private readonly edge: Int32Array;
  private readonly weight: Float64Array;
  private readonly zeros: boolean;

  constructor(ids: Float64Array, arcs: Arcs) {
    const nodes = ids.length;
    const { low, high, along, against } = arcs;
    const rank = ranked(ids);
    const directions = [
      { from: low, to: high, weights: along },
      { from: high, to: low, weights: against },
    ];
    // By tails first, in the order of their ids, then by heads: each node's entering arcs come in that order.
    const leaving = new Int32Array(nodes + 1);
    const entering = new Int32Array(nodes + 1);
    let count = 0;
    for (const { from, to, weights } of directions) {
      for (let edge = 0; edge < low.length; edge++) {
        if (weights[edge]! < 0 || low[edge] === high[edge]) continue;
        leaving[from[edge]! + 1]!++;
        entering[to[edge]! + 1]!++;
        count++;
      }
    }
    for (let node = 0; node < nodes; node++) {
      leaving[node + 1]! += leaving[node];
      entering[node + 1]! += entering[node];
    }
    const out = new Int32Array(count);
    let free = leaving.slice();
    directions.forEach(({ from, weights }, direction) => {
      for (let edge = 0; edge < low.length; edge++) {
        if (weights[edge]! < 0 || low[edge] === high[edge]) continue;
        out[free[from[edge] as number]!++] = 2 * edge + direction;
      }
    });
    this.begin = entering;
    this.tail = new Int32Array(count);
    this.edge = new Int32Array(count);
    this.weight = new Float64Array(count);
    free = entering.slice();
    let zeros = false;
    for (const node of rank) {
      for (let k = leaving[node] as number; k < leaving[node + 1]!; k++) {
        const edge = out[k]! >> 1;
        const { to, weights } = directions[out[k]! & 1] as (typeof directions)[0];
        const at = free[to[edge] as number]!++;
        this.tail[at] = node;
        this.edge[at] = edge;
        this.weight[at] = weights[edge] as number;
        zeros ||= weights[edge] === 0;
      }
    }
    this.zeros = zeros;
  }

  /** Fill the parent of each node and the edge that leads to it, -1 for none; distances are -1 without a way. */
  find(distances: Float64Array, source: number, parent: Int32Array, way: Int32Array): void {
    const { begin, tail, edge, weight } = this;
    const nodes = distances.length;
    for (let node = 0; node < nodes; node++) {
      const distance = distances[node] as number;
      parent[node] = way[node] = -1;
      if (distance < 0 || node === source) continue;
      const end = begin[node + 1] as number;
      for (let k = begin[node] as number; k < end; k++) {
        const before = distances[tail[k] as number] as number;
        if (before >= 0 && before < distance && before + weight[k]! === distance) {
          parent[node] = tail[k] as number;
          way[node] = edge[k] as number;
          break;
        }
      }
    }
    if (this.zeros) this.joinOverZeros(distances, source, parent, way);
  }

  /** Give nodes that only arcs of weight 0 lead to a parent among those that already have one, level by level. */
  private joinOverZeros(distances: Float64Array, source: number, parent: Int32Array, way: Int32Array): void {
    const { begin, tail, edge, weight } = this;
    const served = (node: number) => node === source || parent[node]! >= 0;
    let open: number[] = [];
    for (let node = 0; node < distances.length; node++) if (distances[node]! >= 0 && !served(node)) open.push(node);
    while (open.length) {
      const found: [number, number][] = [];
      for (const node of open) {
        for (let k = begin[node] as number; k < begin[node + 1]!; k++) {
          const from = tail[k] as number;
          if (weight[k] === 0 && served(from) && distances[from] === distances[node]) {
            found.push([node, k]);
            break;
          }
        }
      }
      if (!found.length) return;
      for (const [node, k] of found) {
        parent[node] = tail[k] as number;
        way[node] = edge[k] as number;
      }
      open = open.filter((node) => parent[node]! < 0);
    }
  }
}

/** Return the nodes by rising id. */
function ranked(ids: Float64Array): Int32Array {
  const nodes = Int32Array.from(ids, (_, node) => node);
  let rises = true;
  for (let node = 1; node < ids.length; node++) rises &&= ids[node]! >= ids[node - 1]!;
  return rises ? nodes : nodes.sort((a, b) => ids[a]! - ids[b]! || a - b);
}

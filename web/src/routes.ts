/** Routes along the tree, and what is said of a node. */

import type { Contents } from "./read.ts";

/** Return the nodes from the source to a node along the tree; just the node where no way leads to it. */
export function routeTo(page: Contents, node: number): number[] {
  const { heading, parent, distance } = page;
  if (node === heading.route.at(-1)) return heading.route;
  const nodes = [node];
  if (distance[node]! < 0) return nodes;
  for (let at = parent[node] as number; at >= 0; at = parent[at] as number) nodes.push(at);
  return nodes.reverse();
}

/** Return the distance of a node in raw weights, -1 where no way leads to it; of the search's own target by its route. */
export function distanceOf({ heading, distance }: Contents, node: number): number {
  const { route, route_length } = heading;
  return route_length !== undefined && node === route.at(-1) ? route_length : (distance[node] as number);
}

/** Return the points of the map along nodes of a route: x and y, one behind the other. */
export function pathOf(page: Contents, nodes: number[]): number[] {
  const out: number[] = [];
  const add = (point: number) => out.push(page.x[point] as number, page.y[point] as number);
  nodes.forEach((node, index) => {
    const before = nodes[index - 1];
    if (before !== undefined) {
      const edge = edgeBetween(page, before, node);
      if (edge >= 0) {
        const begin = page.firstLine[edge] as number;
        const end = page.firstLine[edge + 1] as number;
        const bends = Array.from(page.lineB.subarray(begin, end - 1));
        for (const bend of page.low[edge] === before ? bends : bends.reverse()) add(bend);
      }
    }
    add(node);
  });
  return out;
}

/** Return the edge of the tree between two nodes, or any other one, or -1. */
function edgeBetween(page: Contents, a: number, b: number): number {
  if (page.parent[b] === a) return page.way[b] as number;
  if (page.parent[a] === b) return page.way[a] as number;
  for (let at = page.meets[a] as number; at < page.meets[a + 1]!; at++) {
    const edge = page.incident[at] as number;
    if (page.low[edge] === b || page.high[edge] === b) return edge;
  }
  return -1;
}

/**
 * Return the node of an id of the file, or -1. Of the copies of a split node, which have one id, it is that to which all
 * ways lead: the last one, or for a search against the arcs the first one.
 */
export function nodeOf(page: Contents, id: number): number {
  return page.heading.reverse ? page.ids.indexOf(id) : page.ids.lastIndexOf(id);
}

/** Return the node of a name on a small graph, or of an id of the file, or -1. */
export function nodeNamed(page: Contents, text: string): number {
  const named = page.graph?.names.indexOf(text.trim()) ?? -1;
  return named < 0 && /^\s*-?\d+\s*$/.test(text) ? nodeOf(page, Number(text)) : named;
}

/** Return where a search from a node begins: of its copies at that from which all ways lead. */
export function sourceOf(page: Contents, node: number): number {
  const id = page.ids[node] as number;
  return page.heading.reverse ? page.ids.lastIndexOf(id) : page.ids.indexOf(id);
}

/** Return how many nodes a route passes, the copies of a split node as one. */
export function countOf(page: Contents, nodes: readonly number[]): number {
  return nodes.filter((node, index) => !index || page.ids[node] !== page.ids[nodes[index - 1] as number]).length;
}

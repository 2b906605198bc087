/**
 * Makes trees beside the page, which draws the one before meanwhile: it folds the cut once, then answers each source. It is
 * started from a text in the page itself.
 */

import { type Ask, type Begin, Maker } from "./maker.ts";

let maker: Maker | null = null;

self.addEventListener("message", ({ data }: MessageEvent<Begin | Ask>) => {
  try {
    if ("lines" in data) {
      const start = performance.now();
      maker = new Maker(data);
      postMessage({ ready: performance.now() - start });
    } else if (maker) {
      const answer = maker.answer(data);
      const { distance, parent, way, levels } = answer;
      postMessage(answer, { transfer: [distance, parent, way, levels].map((array) => array.buffer) });
    }
  } catch (problem) {
    postMessage({ problem: String(problem) }); // a cut that is none, or too little memory, as on a phone
  }
});

// Builds what pages bring: page.js and page.css in the assets of the window. Run by tools/page.sh.
import { build } from "esbuild";

const script = {
  absWorkingDir: import.meta.dirname,
  outdir: "../gui/wayfront_gui/assets/page",
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: ["chrome103", "firefox113", "safari16.4"], // the first that unpack by DecompressionStream
  legalComments: "none",
  logLevel: "warning",
};
// A page is one file, so its worker is a text in its script.
const worker = await build({ ...script, entryPoints: ["src/worker.ts"], write: false });
await build({
  ...script,
  entryPoints: { page: "src/main.ts" },
  define: { WORKER: JSON.stringify(worker.outputFiles[0].text) },
});
await build({
  entryPoints: { page: "src/all.css" },
  absWorkingDir: import.meta.dirname,
  outdir: "../gui/wayfront_gui/assets/page",
  bundle: true,
  minify: true,
  target: ["chrome111", "firefox113", "safari16.4"],
  logLevel: "warning",
});

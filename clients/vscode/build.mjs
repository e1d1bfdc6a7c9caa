// Bundles the extension (for Node) and the chat view (for the browser) into dist/.
//
//   node build.mjs [--production] [--watch]    the extension
//   node build.mjs --tests                     the tests that run inside the extension host
import { context } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");
const shared = { bundle: true, minify: production, sourcemap: !production, logLevel: "warning" };

const node = { ...shared, platform: "node", target: "node20", format: "cjs", external: ["vscode"] };
const extension = [
  {
    ...node,
    entryPoints: { extension: "src/extension.ts" },
    // Some of the language client's parts are published twice; the ones for bundlers load faster.
    mainFields: ["module", "main"],
    outdir: "dist",
  },
  {
    ...shared,
    entryPoints: { chat: "webview/main.ts" },
    platform: "browser",
    target: "es2022",
    format: "iife",
    outdir: "dist",
  },
];
const tests = [{ ...node, entryPoints: { "host-tests": "test/host/index.ts" }, outdir: "dist" }];

await mkdir("dist", { recursive: true });
await copyFile("webview/style.css", "dist/chat.css");
for (const options of process.argv.includes("--tests") ? tests : extension) {
  const bundle = await context(options);
  if (watch) await bundle.watch();
  else {
    await bundle.rebuild();
    await bundle.dispose();
  }
}

// Bundles the extension (for Node) and the chat view (for the browser) into dist/.
import { context } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");
const shared = { bundle: true, minify: production, sourcemap: !production, logLevel: "warning" };

const bundles = [
  {
    ...shared,
    entryPoints: { extension: "src/extension.ts" },
    platform: "node",
    target: "node20",
    format: "cjs",
    // Some of the language client's parts are published twice; the ones for bundlers load faster.
    mainFields: ["module", "main"],
    external: ["vscode"],
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
if (!production) {
  bundles.push({
    ...shared,
    entryPoints: { "host-tests": "test/host/index.ts" },
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
    outdir: "dist",
  });
}

await mkdir("dist", { recursive: true });
await copyFile("webview/style.css", "dist/chat.css");
for (const options of bundles) {
  const bundle = await context(options);
  if (watch) await bundle.watch();
  else {
    await bundle.rebuild();
    await bundle.dispose();
  }
}

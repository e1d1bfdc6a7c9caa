// Which files the user's patterns keep to themselves.
import * as path from "node:path";
import { minimatch } from "minimatch";

/** Whether a pattern covers the file, or one of the folders it is in. */
export function isExcluded(folder: string, file: string, patterns: string[]): boolean {
  const parts = path.relative(folder, file).split(path.sep);
  const names = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  const options = { dot: true, nocase: process.platform === "win32" };
  return patterns.some((pattern) => names.some((name) => minimatch(name, pattern, options)));
}

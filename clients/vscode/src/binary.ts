// Where the server's program is: what the user set, else the one that came with the extension, else
// the one on the PATH. Nothing is ever downloaded.
import { access, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import * as path from "node:path";

export interface Places {
  /** The setting; empty when there is none. */
  configured: string;
  extensionFolder: string;
  /** The environment's PATH. */
  searchPath: string;
  /** What `~` and `${workspaceFolder}` stand for. */
  workspaceFolder?: string;
}

export type Found = { path: string } | { problem: string };

const NAME = process.platform === "win32" ? "bowline.exe" : "bowline";

export async function findBinary(places: Places): Promise<Found> {
  if (places.configured !== "") {
    const configured = expand(places.configured, places.workspaceFolder);
    if (await isProgram(configured)) return { path: configured };
    return {
      problem: `The setting bowline.server.path names ${configured}, which cannot be run. Correct it, or clear it to use the program that came with the extension.`,
    };
  }
  const folders = places.searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const candidates = [path.join(places.extensionFolder, "bin"), ...folders];
  for (const folder of candidates) {
    const candidate = path.join(folder, NAME);
    if (await isProgram(candidate)) return { path: candidate };
  }
  return {
    problem:
      "The program bowline was not found. Install it so that it is on the PATH, or name it in the setting bowline.server.path.",
  };
}

function expand(configured: string, workspaceFolder: string | undefined): string {
  const folder = workspaceFolder ?? homedir();
  const named = configured
    .replaceAll("${workspaceFolder}", folder)
    .replace(/^~(?=$|[/\\])/, homedir());
  return path.isAbsolute(named) ? named : path.resolve(folder, named);
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

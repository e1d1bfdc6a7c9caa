// What the server is started with: the user's own arguments, and what they keep back or share, as
// settings that are stronger than every file. So it holds from the first moment and for every session,
// whoever begins it.
import { readFile } from "node:fs/promises";

export interface Wishes {
  /** Patterns of files that the agent's tools shall not touch either. */
  exclude: string[];
  /** The model may be told what the user looks at. */
  followEditor: boolean;
}

const FLAG = "--settings";

interface Settings {
  permissions?: { deny?: string[] };
  shareEditorFocus?: boolean;
}

export async function serverArguments(given: string[], wishes: Wishes): Promise<string[]> {
  const { rest, settings } = await takeSettings(given);
  const rules = wishes.exclude.flatMap((pattern) => [`Read(${pattern})`, `Edit(${pattern})`]);
  const deny = [...(settings.permissions?.deny ?? []), ...rules];
  if (deny.length > 0) settings.permissions = { ...settings.permissions, deny };
  if (wishes.followEditor) settings.shareEditorFocus = true;
  const ours = Object.keys(settings).length === 0 ? [] : [FLAG, JSON.stringify(settings)];
  return ["serve", ...rest, ...ours];
}

/** The user's own settings among the arguments; the server takes one set of them. */
async function takeSettings(given: string[]): Promise<{ rest: string[]; settings: Settings }> {
  const at = given.findIndex((argument) => argument === FLAG || argument.startsWith(`${FLAG}=`));
  if (at < 0) return { rest: given, settings: {} };
  const isOne = given[at] !== FLAG;
  const named = isOne ? given[at]?.slice(FLAG.length + 1) : given[at + 1];
  const rest = given.filter((_, index) => index !== at && (isOne || index !== at + 1));
  const text = named?.trimStart().startsWith("{") ? named : await fileOf(named);
  try {
    return { rest, settings: JSON.parse(text) as Settings };
  } catch {
    throw new Error(
      `What ${FLAG} names in bowline.server.arguments cannot be read as JSON (comments are not taken here).`,
    );
  }
}

async function fileOf(name: string | undefined): Promise<string> {
  try {
    return await readFile(name ?? "", "utf8");
  } catch {
    throw new Error(
      `The file ${name ?? ""} of ${FLAG} in bowline.server.arguments cannot be read.`,
    );
  }
}

// Changes in VS Code's own diff editor: what the server asks to show, and what a permission request is
// about. Both sides are read-only documents made from the texts of the request. The keyboard stays
// where the user types.
import * as vscode from "vscode";
import type { Attention } from "./attention.ts";
import { fileName } from "./model/format.ts";
import type { Server } from "./server.ts";
import { settings } from "./settings.ts";
import type { DiffShowParams, FileDiff, PermissionRequestParams } from "./wire.ts";

const SCHEME = "bowline-diff";
/** Texts of so many diffs are kept; older tabs become empty. */
const KEPT = 50;

interface Shown {
  files: FileDiff[];
  /** What its tab is called. */
  label: string;
  /** Done when it is on the screen. */
  there: Promise<unknown>;
}

const diffs = new Map<string, Shown>();
/** A tab that is still open shows the new texts. */
const renewed = new vscode.EventEmitter<vscode.Uri>();

export function registerDiffs(server: Server, attention: Attention): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: renewed.event,
      provideTextDocumentContent,
    }),
    server.handle("agent/diff/show", async (params) => {
      if (!opensByItself(attention)) return { shown: false };
      return { shown: await show(params) };
    }),
  );
}

function opensByItself(attention: Attention): boolean {
  const when = settings().openDiffs;
  return when === "always" || (when === "whenIdle" && !attention.isInText);
}

/** The change that a permission request is about; false when it is about something else. */
export async function showSubject(request: PermissionRequestParams): Promise<boolean> {
  const { subject } = request;
  if (subject.kind !== "edit") return false;
  const files = [subject, ...(subject.others ?? [])];
  return show({ id: request.requestId, title: request.title, files, preserveFocus: true });
}

export async function show(
  diff: Pick<DiffShowParams, "id" | "title" | "files" | "preserveFocus">,
): Promise<boolean> {
  const [first, ...others] = diff.files;
  if (!first) return false;
  const label = others.length === 0 ? `${fileName(first.uri)}: ${diff.title}` : diff.title;
  const key = authority(diff.id);
  const shown: Shown = { files: diff.files, label, there: Promise.resolve() };
  remember(key, shown);
  shown.there = Promise.resolve(open(key, label, diff.files, diff.preserveFocus));
  await shown.there;
  return true;
}

/** Closes what was shown under this id, as soon as it is there. */
export async function closeDiff(id: string): Promise<void> {
  const shown = diffs.get(authority(id));
  if (!shown) return;
  await shown.there;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const ours = tabs.filter((tab) => isOf(tab, authority(id), shown));
  if (ours.length > 0) await vscode.window.tabGroups.close(ours, true);
}

/** Whether a document is a side of the diff with this id. */
export function isSideOf(uri: vscode.Uri, id: string): boolean {
  return uri.scheme === SCHEME && uri.authority === authority(id);
}

function open(
  key: string,
  label: string,
  files: FileDiff[],
  preserveFocus: boolean,
): Thenable<unknown> {
  const sides = files.map((file, at) => [
    vscode.Uri.parse(file.uri),
    side(key, at, "old", file),
    side(key, at, "new", file),
  ]);
  const [first] = sides;
  if (first && sides.length === 1) {
    const options = { preserveFocus, preview: true };
    return vscode.commands.executeCommand("vscode.diff", first[1], first[2], label, options);
  }
  return vscode.commands.executeCommand("vscode.changes", label, sides);
}

/** Tabs of several files say nothing about themselves but their name. */
function isOf(tab: vscode.Tab, key: string, { files, label }: Shown): boolean {
  if (tab.input instanceof vscode.TabInputTextDiff) {
    return tab.input.modified.scheme === SCHEME && tab.input.modified.authority === key;
  }
  return files.length > 1 && tab.label === label;
}

function side(key: string, at: number, which: "old" | "new", file: FileDiff): vscode.Uri {
  // The file's own name at the end gives the document its language.
  const path = `/${at}/${which}/${fileName(file.uri)}`;
  return vscode.Uri.from({ scheme: SCHEME, authority: key, path });
}

function authority(id: string): string {
  return id.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
}

function remember(key: string, shown: Shown): void {
  if (diffs.delete(key)) {
    for (const [at, file] of shown.files.entries()) {
      renewed.fire(side(key, at, "old", file));
      renewed.fire(side(key, at, "new", file));
    }
  }
  diffs.set(key, shown);
  for (const oldest of diffs.keys()) {
    if (diffs.size <= KEPT) break;
    diffs.delete(oldest);
  }
}

function provideTextDocumentContent(uri: vscode.Uri): string {
  const [, at, which] = uri.path.split("/");
  const file = diffs.get(uri.authority)?.files[Number(at)];
  return (which === "old" ? file?.oldText : file?.newText) ?? "";
}

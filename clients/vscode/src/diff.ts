// Changes in VS Code's own diff editor: what the server asks to show, and what a permission request is
// about. Both sides are read-only documents made from the texts of the request. The keyboard stays
// where the user types.
import * as vscode from "vscode";
import { fileName } from "./model/format.ts";
import type { Server } from "./server.ts";
import type { DiffShowParams, FileDiff, PermissionRequestParams } from "./wire.ts";

const SCHEME = "bowline-diff";
/** Texts of so many diffs are kept; older tabs become empty. */
const KEPT = 50;

const texts = new Map<string, FileDiff[]>();

export function registerDiffs(server: Server): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, { provideTextDocumentContent }),
    server.handle("agent/diff/show", async (params) => ({ shown: await show(params) })),
  );
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
  remember(diff.id, diff.files);
  const pairs = diff.files.map((file, at) => [
    vscode.Uri.parse(file.uri),
    side(diff.id, at, "old", file),
    side(diff.id, at, "new", file),
  ]);
  const [first] = pairs;
  if (!first) return false;
  const options = { preserveFocus: diff.preserveFocus, preview: true };
  if (pairs.length === 1) {
    const title = `${fileName(diff.files[0]?.uri ?? "")}: ${diff.title}`;
    await vscode.commands.executeCommand("vscode.diff", first[1], first[2], title, options);
  } else {
    await vscode.commands.executeCommand("vscode.changes", diff.title, pairs);
  }
  return true;
}

/** Closes what was shown under this id. */
export async function closeDiff(id: string): Promise<void> {
  const isOurs = (input: unknown) =>
    input instanceof vscode.TabInputTextDiff &&
    input.modified.scheme === SCHEME &&
    input.modified.authority === authority(id);
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const ours = tabs.filter((tab) => isOurs(tab.input));
  if (ours.length > 0) await vscode.window.tabGroups.close(ours, true);
}

function side(id: string, at: number, which: "old" | "new", file: FileDiff): vscode.Uri {
  // The file's own name at the end gives the document its language.
  const path = `/${at}/${which}/${fileName(file.uri)}`;
  return vscode.Uri.from({ scheme: SCHEME, authority: authority(id), path });
}

function authority(id: string): string {
  return id.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
}

function remember(id: string, files: FileDiff[]): void {
  const key = authority(id);
  texts.delete(key);
  texts.set(key, files);
  for (const oldest of texts.keys()) {
    if (texts.size <= KEPT) break;
    texts.delete(oldest);
  }
}

function provideTextDocumentContent(uri: vscode.Uri): string {
  const [, at, which] = uri.path.split("/");
  const file = texts.get(uri.authority)?.[Number(at)];
  return (which === "old" ? file?.oldText : file?.newText) ?? "";
}

// `agent/editor/reveal`: shows a place. The caret stays where the user types, unless the server was
// told otherwise by the user.
import * as vscode from "vscode";
import type { Server } from "../server.ts";
import type { Range } from "../wire.ts";
import { asRange } from "./apply.ts";

export function registerReveal(server: Server): vscode.Disposable {
  return server.handle("agent/editor/reveal", async ({ uri, range, preserveFocus }) => {
    await reveal(uri, range, preserveFocus);
    return {};
  });
}

export async function reveal(uri: string, range?: Range, preserveFocus = true): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const editor = await vscode.window.showTextDocument(document, { preserveFocus, preview: true });
  if (!range) return;
  const place = asRange(range);
  editor.revealRange(place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  if (!preserveFocus) editor.selection = new vscode.Selection(place.start, place.start);
}

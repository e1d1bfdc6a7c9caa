// `agent/editor/reveal`: shows a place, and following the agent with it. The caret stays where the user
// types, and nothing opens over a text that they are at work in.
import * as vscode from "vscode";
import type { Attention } from "../attention.ts";
import type { Server } from "../server.ts";
import { onSettings, settings } from "../settings.ts";
import type { Range } from "../wire.ts";
import { asRange, isSame } from "./apply.ts";

export function registerReveal(server: Server, attention: Attention): vscode.Disposable {
  const follow = () => server.notify("agent/editor/follow", { on: settings().followAgent });
  return vscode.Disposable.from(
    server.handle("agent/editor/reveal", async ({ uri, range, preserveFocus }) => {
      const seen = vscode.window.visibleTextEditors.find(({ document }) => isSame(document, uri));
      if (seen && preserveFocus) {
        if (range && seen !== inUse(attention)) scrollTo(seen, range);
      } else if (!preserveFocus || !attention.isInText) {
        await reveal(uri, range, preserveFocus);
      }
      return {};
    }),
    vscode.commands.registerCommand("bowline.follow", toggleFollowing),
    onSettings(["review.followAgent"], follow),
    server.onDidChange(({ status }) => {
      if (status === "running" && settings().followAgent) follow();
    }),
  );
}

export async function reveal(uri: string, range?: Range, preserveFocus = true): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const editor = await vscode.window.showTextDocument(document, { preserveFocus, preview: true });
  if (!range) return;
  scrollTo(editor, range);
  if (!preserveFocus) {
    const { start } = asRange(range);
    editor.selection = new vscode.Selection(start, start);
  }
}

function inUse(attention: Attention): vscode.TextEditor | undefined {
  return attention.isInText ? vscode.window.activeTextEditor : undefined;
}

function scrollTo(editor: vscode.TextEditor, range: Range): void {
  const { InCenterIfOutsideViewport } = vscode.TextEditorRevealType;
  editor.revealRange(asRange(range), InCenterIfOutsideViewport);
}

async function toggleFollowing(): Promise<void> {
  const on = !settings().followAgent;
  const all = vscode.workspace.getConfiguration("bowline");
  // Where it was set it is changed; else it is the user's own.
  const inWorkspace = all.inspect("review.followAgent")?.workspaceValue !== undefined;
  const { Global, Workspace } = vscode.ConfigurationTarget;
  await all.update("review.followAgent", on, inWorkspace ? Workspace : Global);
  const said = on ? "shows where the agent works" : "no longer follows the agent";
  void vscode.window.setStatusBarMessage(`Bowline ${said}.`, 4000);
}

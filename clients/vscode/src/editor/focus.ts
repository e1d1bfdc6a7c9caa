// `agent/editor/focus`: what the user looks at, told only while they share it.
import * as vscode from "vscode";
import { mayShare } from "../consent.ts";
import type { Server } from "../server.ts";
import { onSettings, settings } from "../settings.ts";
import type { Range } from "../wire.ts";

/** Moving the caret with a key held down is one move. */
const PAUSE_MS = 150;

export function registerFocus(server: Server): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => tell(server), PAUSE_MS);
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(later),
    vscode.window.onDidChangeTextEditorSelection(later),
    onSettings(["context.followEditor"], later),
    new vscode.Disposable(() => clearTimeout(timer)),
  );
}

function tell(server: Server): void {
  const editor = vscode.window.activeTextEditor;
  if (!settings().followEditor || !editor || !mayShare(editor.document.uri)) return;
  server.notify("agent/editor/focus", {
    uri: editor.document.uri.toString(),
    version: editor.document.version,
    selections: editor.selections.map(wireRange),
    visible: editor.visibleRanges[0] && wireRange(editor.visibleRanges[0]),
  });
}

export function wireRange(range: vscode.Range): Range {
  const { start, end } = range;
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

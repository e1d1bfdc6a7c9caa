// The agent's changes in the editor: new lines are marked in the gutter and the ruler, the hover shows
// what was there before with links to decide. (The words Accept and Reject above each change are the
// server's code lenses.)
import * as vscode from "vscode";
import { asRange } from "../editor/apply.ts";
import { onSettings, settings } from "../settings.ts";
import type { Hunk } from "../wire.ts";
import type { Hunks } from "./hunks.ts";

/** The old text in a hover is cut here. */
const HOVER_LINES = 30;

export function registerDecorations(hunks: Hunks, extensionUri: vscode.Uri): vscode.Disposable {
  const icon = (name: string) => vscode.Uri.joinPath(extensionUri, "media", `${name}.svg`);
  const ruler = new vscode.ThemeColor("editorOverviewRuler.addedForeground");
  const added = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
    gutterIconPath: icon("changed"),
    gutterIconSize: "contain",
    overviewRulerColor: ruler,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  const removed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderColor: new vscode.ThemeColor("editorGutter.deletedBackground"),
    borderStyle: "dashed",
    borderWidth: "1px 0 0 0",
    gutterIconPath: icon("removed"),
    gutterIconSize: "contain",
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  const paint = (editor: vscode.TextEditor) => {
    const shown = settings().highlightChanges ? hunks.of(editor.document.uri) : [];
    const marks = (wanted: Hunk[]) => wanted.map((hunk) => decoration(editor.document, hunk));
    editor.setDecorations(added, marks(shown.filter(({ newText }) => newText !== "")));
    editor.setDecorations(removed, marks(shown.filter(({ newText }) => newText === "")));
    if (editor === vscode.window.activeTextEditor) tellContext(shown.length);
  };
  const all = () => {
    vscode.window.visibleTextEditors.forEach(paint);
    if (!vscode.window.activeTextEditor) tellContext(0);
  };
  return vscode.Disposable.from(
    added,
    removed,
    hunks.onDidChange(all),
    vscode.window.onDidChangeVisibleTextEditors(all),
    vscode.window.onDidChangeActiveTextEditor(all),
    onSettings(["review.highlight"], all),
  );
}

/** For key bindings and menus. */
function tellContext(count: number): void {
  void vscode.commands.executeCommand("setContext", "bowline.fileHasChanges", count > 0);
}

/** The lines of the new text: a text that ends with a newline does not reach into the next line. */
function linesOf(hunk: Hunk): vscode.Range {
  const range = asRange(hunk.range);
  const last = range.end.character === 0 && range.end.line > range.start.line ? 1 : 0;
  return new vscode.Range(range.start.line, 0, range.end.line - last, 0);
}

function decoration(document: vscode.TextDocument, hunk: Hunk): vscode.DecorationOptions {
  return { range: document.validateRange(linesOf(hunk)), hoverMessage: hoverOf(document, hunk) };
}

function hoverOf(document: vscode.TextDocument, hunk: Hunk): vscode.MarkdownString {
  const hover = new vscode.MarkdownString();
  hover.isTrusted = { enabledCommands: ["bowline.change.accept", "bowline.change.reject"] };
  const link = (label: string, command: string) =>
    `[${label}](command:${command}?${encodeURIComponent(JSON.stringify([{ hunkIds: [hunk.id] }]))})`;
  hover.appendMarkdown(
    `**Bowline** changed this · ${link("Accept", "bowline.change.accept")} · ${link("Reject", "bowline.change.reject")}\n`,
  );
  if (hunk.oldText === "") return hover.appendMarkdown("\nThese lines are new.");
  const lines = hunk.oldText.split("\n");
  const cut = lines.length > HOVER_LINES ? "\n…" : "";
  return hover.appendCodeblock(lines.slice(0, HOVER_LINES).join("\n") + cut, document.languageId);
}

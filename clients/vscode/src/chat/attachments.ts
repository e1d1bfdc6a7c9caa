// What of the editor goes along with a prompt: the selection and the open file, each only as the user
// set, each shown as a chip that can be switched, and nothing that the user excluded.
import * as vscode from "vscode";
import { mayShare } from "../consent.ts";
import { wireRange } from "../editor/focus.ts";
import { fileName } from "../model/format.ts";
import { onSettings, settings, type Attach } from "../settings.ts";
import type { Block } from "../wire.ts";
import type { Chip } from "./messages.ts";

export class Attachments implements vscode.Disposable {
  private editor: vscode.TextEditor | undefined = vscode.window.activeTextEditor;
  /** What the user said about a chip; it holds until the prompt is sent. */
  private readonly chosen = new Map<Chip["id"], boolean>();
  private readonly changed = new vscode.EventEmitter<Chip[]>();
  readonly onDidChange = this.changed.event;
  private readonly parts: vscode.Disposable[];

  constructor() {
    const tell = () => this.changed.fire(this.chips());
    this.parts = [
      this.changed,
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        // The chat itself takes the focus from the editor; what was selected there still is.
        if (editor || vscode.window.visibleTextEditors.length === 0) this.editor = editor;
        tell();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === this.editor) tell();
      }),
      onSettings(["context.selection", "context.openFile", "context.exclude"], tell),
    ];
  }

  chips(): Chip[] {
    const editor = this.shared();
    if (!editor) return [];
    const { attachSelection, attachOpenFile } = settings();
    const name = fileName(editor.document.uri.toString());
    const chips: Chip[] = [];
    const add = (id: Chip["id"], attach: Attach, label: string) => {
      if (attach === "never") return;
      chips.push({ id, label, on: this.chosen.get(id) ?? attach === "always" });
    };
    const { selection } = editor;
    if (!selection.isEmpty) {
      const lines =
        selection.start.line === selection.end.line
          ? `line ${selection.start.line + 1}`
          : `lines ${selection.start.line + 1}–${selection.end.line + 1}`;
      add("selection", attachSelection, `${name}, ${lines}`);
    }
    add("file", attachOpenFile, name);
    return chips;
  }

  choose(id: Chip["id"], on: boolean): void {
    this.chosen.set(id, on);
    this.changed.fire(this.chips());
  }

  /** The blocks of the chips that are on; after this the settings decide again. */
  take(): Block[] {
    const editor = this.shared();
    const chips = this.chips().filter(({ on }) => on);
    this.chosen.clear();
    this.changed.fire(this.chips());
    if (!editor) return [];
    const { document, selection } = editor;
    const uri = document.uri.toString();
    const { version } = document;
    return chips.map(({ id }): Block =>
      id === "selection"
        ? { type: "selection", uri, version, range: wireRange(selection), text: document.getText(selection) }
        : { type: "file", uri, version },
    );
  }

  /** The editor that the user was in last. */
  shared(): vscode.TextEditor | undefined {
    const editor = this.editor;
    return editor && mayShare(editor.document.uri) ? editor : undefined;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }
}

// Inline edits: the user says what shall become of the selection, sees the new text as it is written,
// and decides about it when it has landed. Also how a quick fix of the server begins.
import * as vscode from "vscode";
import { mayShare } from "./consent.ts";
import { asRange } from "./editor/apply.ts";
import { wireDiagnostic } from "./editor/diagnostics.ts";
import { wireRange } from "./editor/focus.ts";
import type { Server } from "./server.ts";
import type { Sessions } from "./sessions.ts";
import type { EditDeltaParams, Event, Range } from "./wire.ts";

interface Preview {
  uri: string;
  sessionId: string;
  /** What will be replaced, as far as that is known. */
  range?: Range;
  text: string;
}

export class InlineEdits implements vscode.Disposable {
  private readonly running = new Map<string, Preview>();
  private lastId: string | undefined;
  private readonly old = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    opacity: "0.45",
    backgroundColor: new vscode.ThemeColor("diffEditor.removedLineBackground"),
  });
  private readonly fresh = vscode.window.createTextEditorDecorationType({});
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
  ) {
    this.parts = [
      this.old,
      this.fresh,
      server.on("agent/edit/delta", (delta) => this.grow(delta)),
      server.on("agent/event", (event) => this.receive(event)),
      vscode.commands.registerCommand("bowline.inline.edit", () => this.ask()),
      vscode.commands.registerCommand("bowline.inline.fix", () => this.fix()),
      vscode.commands.registerCommand("bowline.inline.stop", () => this.stop()),
      vscode.commands.registerCommand("bowline.inline.accept", () => this.resolve("accept")),
      vscode.commands.registerCommand("bowline.inline.reject", () => this.resolve("reject")),
      vscode.window.onDidChangeVisibleTextEditors(() => this.paint()),
    ];
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private async ask(): Promise<void> {
    const editor = this.target();
    if (!editor) return;
    const { document, selection } = editor;
    const instruction = await vscode.window.showInputBox({
      title: selection.isEmpty ? "Bowline: insert or change here" : "Bowline: change the selection",
      prompt: "What shall become of it?",
      placeHolder: "for example: handle the empty list",
    });
    if (!instruction?.trim()) return;
    const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
    const { editId, sessionId } = await this.server.request("agent/edit/inline", {
      textDocument: { uri: document.uri.toString(), version: document.version },
      range: wireRange(range),
      instruction,
      sessionId: this.sessions.current?.sessionId,
    });
    this.begin(editId, { uri: document.uri.toString(), sessionId, range: wireRange(range), text: "" });
  }

  /** Mends what is wrong at the caret, or in the selection. */
  private async fix(): Promise<void> {
    const editor = this.target();
    if (!editor) return;
    const { document, selection } = editor;
    const here = vscode.languages
      .getDiagnostics(document.uri)
      .filter(({ range }) => range.intersection(selection) ?? range.start.line === selection.active.line);
    if (here.length === 0) {
      void vscode.window.showInformationMessage("Bowline: no problem is reported here.");
      return;
    }
    const { editId, sessionId } = await this.server.request("agent/fix/diagnostics", {
      textDocument: { uri: document.uri.toString(), version: document.version },
      diagnostics: here.map(wireDiagnostic),
      sessionId: this.sessions.current?.sessionId,
    });
    this.begin(editId, { uri: document.uri.toString(), sessionId, text: "" });
  }

  private target(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    if (editor && mayShare(editor.document.uri)) return editor;
    void vscode.window.showInformationMessage(
      "Bowline: open a file of the workspace that is not excluded.",
    );
    return undefined;
  }

  private begin(editId: string, preview: Preview): void {
    this.lastId = editId;
    const known = this.running.get(editId);
    // Events may have come before the answer.
    this.running.set(editId, { ...preview, range: known?.range ?? preview.range, text: known?.text ?? "" });
    this.paint();
  }

  private grow({ editId, uri, text }: EditDeltaParams): void {
    const preview = this.running.get(editId);
    if (!preview) return;
    preview.uri = uri;
    preview.text += text;
    this.paint();
  }

  private receive(event: Event): void {
    if (event.type === "tool.started" && event.name === "InlineEdit") {
      this.lastId = event.toolCallId;
      const known = this.running.get(event.toolCallId);
      if (!known) {
        this.running.set(event.toolCallId, { uri: "", sessionId: event.sessionId, text: "" });
      }
    } else if (event.type === "tool.updated") {
      const preview = this.running.get(event.toolCallId);
      const place = event.locations?.[0];
      if (preview && place) {
        preview.uri = place.uri;
        preview.range = place.range ?? preview.range;
        this.paint();
      }
    } else if (event.type === "tool.ended" && this.running.delete(event.toolCallId)) {
      this.paint();
      this.report(event);
    }
  }

  /** A change that landed is seen in the text; whatever else became of it is said. */
  private report(event: Extract<Event, { type: "tool.ended" }>): void {
    if (event.status === "completed" && event.diff) return;
    const text = event.content.find((part) => part.type === "text");
    const said = text?.type === "text" ? text.text : `The edit was ${event.status}.`;
    void vscode.window.setStatusBarMessage(`Bowline: ${said}`, 8000);
  }

  private async stop(): Promise<void> {
    for (const [toolCallId, { sessionId }] of this.running) {
      await this.server.request("agent/session/cancel", { sessionId, toolCallId });
    }
  }

  private resolve(action: "accept" | "reject"): void {
    if (this.lastId) this.server.notify("agent/inline/resolved", { editId: this.lastId, action });
  }

  private paint(): void {
    void vscode.commands.executeCommand("setContext", "bowline.inlineRunning", this.running.size > 0);
    for (const editor of vscode.window.visibleTextEditors) {
      const name = editor.document.uri.toString();
      const shown = [...this.running.values()].filter(
        ({ uri, range }) => range && uri !== "" && vscode.Uri.parse(uri).toString() === name,
      );
      editor.setDecorations(this.old, shown.flatMap(({ range }) => (range ? [asRange(range)] : [])));
      editor.setDecorations(this.fresh, shown.flatMap((preview) => ghosts(editor.document, preview)));
    }
  }
}

/** The new lines beside the old ones, as far as there are lines to stand beside. */
function ghosts(document: vscode.TextDocument, { range, text }: Preview): vscode.DecorationOptions[] {
  if (!range) return [];
  const lines = withoutFence(text).split("\n");
  const first = range.start.line;
  const last = Math.min(range.end.line, document.lineCount - 1);
  const options: vscode.DecorationOptions[] = [];
  for (let line = first; line <= last && line - first < lines.length; line += 1) {
    const more = line === last ? lines.length - (last - first + 1) : 0;
    const rest = more > 0 ? `  (+${more} lines)` : "";
    options.push({
      range: document.lineAt(line).range,
      renderOptions: {
        after: {
          contentText: ` → ${(lines[line - first] ?? "").trim()}${rest}`,
          color: new vscode.ThemeColor("editor.foreground"),
          backgroundColor: new vscode.ThemeColor("diffEditor.insertedTextBackground"),
          margin: "0 0 0 2ch",
        },
      },
    });
  }
  return options;
}

/** Models like to put a fence around code; the server takes it off in the end. */
function withoutFence(text: string): string {
  return text.replace(/^```[^\n]*\n/, "").replace(/\n?```\s*$/, "");
}

// `agent/editor/apply`: the agent's edit in the user's buffer, as one step of undo. All or nothing:
// when a document is not at the version the edit was made for, nothing is changed, and the server tries
// again with what the user typed meanwhile.
import * as vscode from "vscode";
import type { Server } from "../server.ts";
import type {
  EditorApplyParams,
  EditorApplyResult,
  FileOperation,
  Range,
  TextDocumentEdit,
} from "../wire.ts";

/** The last edit of each document: a second one of the same group joins its step of undo. */
const last = new Map<string, { group: string; version: number }>();

export function registerApply(server: Server): vscode.Disposable {
  return vscode.Disposable.from(
    server.handle("agent/editor/apply", apply),
    vscode.workspace.onDidCloseTextDocument((document) => last.delete(document.uri.toString())),
  );
}

async function apply(params: EditorApplyParams): Promise<EditorApplyResult> {
  const edit = new vscode.WorkspaceEdit();
  const documents: vscode.TextDocument[] = [];
  for (const change of params.edit.documentChanges) {
    if (!("edits" in change)) {
      addOperation(edit, change);
      continue;
    }
    const document = opened(change.textDocument.uri);
    if (!document) {
      return { applied: false, reason: "The document is not open." };
    }
    const { version } = change.textDocument;
    if (version !== null && document.version !== version) {
      return { applied: false, reason: "The text has changed." };
    }
    for (const { range, newText } of change.edits) {
      edit.replace(document.uri, asRange(range), newText);
    }
    documents.push(document);
  }
  const applied = (await joinLastStep(params)) ?? (await vscode.workspace.applyEdit(edit));
  if (!applied) return { applied, reason: "The editor refused the edit." };
  const versions: Record<string, number> = {};
  for (const document of documents) {
    const uri = document.uri.toString();
    versions[uri] = document.version;
    last.set(uri, { group: params.undoGroup, version: document.version });
  }
  return { applied, versions };
}

/**
 * Undone together means one step of undo. The editor joins an edit to the one before it when told so,
 * and that is right only when nobody typed in between.
 */
async function joinLastStep(params: EditorApplyParams): Promise<boolean | undefined> {
  const [change, ...more] = params.edit.documentChanges;
  if (!change || more.length > 0 || !("edits" in change)) return undefined;
  const editor = vscode.window.visibleTextEditors.find((shown) =>
    isSame(shown.document, change.textDocument.uri),
  );
  const before = editor && last.get(editor.document.uri.toString());
  if (!before || before.group !== params.undoGroup) return undefined;
  if (before.version !== editor.document.version) return undefined;
  return editor.edit((builder) => replaceAll(builder, change), {
    undoStopBefore: false,
    undoStopAfter: true,
  });
}

function replaceAll(builder: vscode.TextEditorEdit, change: TextDocumentEdit): void {
  for (const { range, newText } of change.edits) builder.replace(asRange(range), newText);
}

function addOperation(edit: vscode.WorkspaceEdit, operation: FileOperation): void {
  switch (operation.kind) {
    case "create":
      edit.createFile(vscode.Uri.parse(operation.uri), operation.options);
      break;
    case "rename":
      edit.renameFile(
        vscode.Uri.parse(operation.oldUri),
        vscode.Uri.parse(operation.newUri),
        operation.options,
      );
      break;
    case "delete":
      edit.deleteFile(vscode.Uri.parse(operation.uri), operation.options);
      break;
  }
}

/** The open document that the server means; it may write the URI a little differently. */
export function opened(uri: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => isSame(document, uri));
}

export function isSame(document: vscode.TextDocument, uri: string): boolean {
  return document.uri.toString() === vscode.Uri.parse(uri).toString();
}

/** Positions are in UTF-16 on both sides. */
export function asRange(range: Range): vscode.Range {
  const { start, end } = range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

// `agent/editor/dirty`: told when a document gets unsaved changes, and when it has none any more.
import * as vscode from "vscode";
import { mayShare } from "../consent.ts";
import type { Server } from "../server.ts";

export function registerDirty(server: Server): vscode.Disposable {
  const known = new Set<string>();
  const look = (document: vscode.TextDocument) => {
    const uri = document.uri.toString();
    if (!mayShare(document.uri) || known.has(uri) === document.isDirty) return;
    if (document.isDirty) known.add(uri);
    else known.delete(uri);
    server.notify("agent/editor/dirty", { uri, dirty: document.isDirty });
  };
  const all = () => {
    known.clear();
    for (const document of vscode.workspace.textDocuments) look(document);
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
    vscode.workspace.onDidSaveTextDocument(look),
    vscode.workspace.onDidCloseTextDocument((document) => known.delete(document.uri.toString())),
    server.onDidChange(({ status }) => {
      if (status === "running") all();
    }),
  );
}

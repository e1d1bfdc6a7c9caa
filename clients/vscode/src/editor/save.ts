// `agent/editor/save`: documents are saved as the user saves them, with formatters and other save
// actions, before a command looks at the disk.
import * as vscode from "vscode";
import type { Server } from "../server.ts";
import type { EditorSaveParams, EditorSaveResult } from "../wire.ts";
import { opened } from "./apply.ts";

export function registerSave(server: Server): vscode.Disposable {
  return server.handle("agent/editor/save", save);
}

async function save({ uris }: EditorSaveParams): Promise<EditorSaveResult> {
  const result: EditorSaveResult = { saved: [], failed: [] };
  for (const uri of uris) {
    const document = opened(uri);
    if (!document) result.failed.push({ uri, reason: "The document is not open." });
    else if (!document.isDirty || (await document.save())) result.saved.push(uri);
    else result.failed.push({ uri, reason: "The editor could not save it." });
  }
  return result;
}

// What may leave the editor. Everything that goes to the server passes here: documents, selections,
// diagnostics and attachments.
import * as vscode from "vscode";
import { isExcluded } from "./model/exclude.ts";
import { settings } from "./settings.ts";

/** Files of the open folders that no pattern of the user excludes. */
export function mayShare(uri: vscode.Uri): boolean {
  if (uri.scheme !== "file") return false;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder !== undefined && !isExcluded(folder.uri.fsPath, uri.fsPath, settings().exclude);
}

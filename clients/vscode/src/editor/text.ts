// `agent/editor/text`: the whole text of a document, asked for when the server's copy no longer fits.
import type * as vscode from "vscode";
import { mayShare } from "../consent.ts";
import type { Server } from "../server.ts";
import { opened } from "./apply.ts";

export function registerText(server: Server): vscode.Disposable {
  return server.handle("agent/editor/text", ({ uri }) => {
    const document = opened(uri);
    if (!document || !mayShare(document.uri)) throw new Error("The document is not open.");
    return { version: document.version, text: document.getText() };
  });
}

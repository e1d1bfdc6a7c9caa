// A client for any language server, as extensions for languages have one: so that the proofs have real
// findings of real servers beside ours. The setting `peer.servers` says which.
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

interface Peer {
  language: string;
  command: string;
  args: string[];
}

export function activate(context: vscode.ExtensionContext): void {
  const peers = vscode.workspace.getConfiguration("peer").get<Peer[]>("servers", []);
  for (const { language, command, args } of peers) {
    const client = new LanguageClient(
      `peer-${language}`,
      `Peer for ${language}`,
      { command, args },
      { documentSelector: [{ scheme: "file", language }] },
    );
    context.subscriptions.push({ dispose: () => void client.dispose() });
    void client.start();
  }
}

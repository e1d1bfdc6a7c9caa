// The page of the chat view: no content of its own, and a policy that lets nothing in but our script,
// our style and pictures that are part of a message.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

export function page(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const file = (name: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", name)).toString();
  const policy = [
    "default-src 'none'",
    "img-src data:",
    `style-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Bowline</title>
    <link rel="stylesheet" href="${file("chat.css")}">
  </head>
  <body>
    <script nonce="${nonce}" src="${file("chat.js")}"></script>
  </body>
</html>`;
}

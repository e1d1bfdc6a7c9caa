// Tests that run inside VS Code's extension host, with the real server and the rehearsal model. What
// they print is read by the proof that started the editor.
import * as path from "node:path";
import * as vscode from "vscode";
import type { Api } from "../../src/extension.ts";
import { tests } from "./tests.ts";
import { views } from "./views.ts";

export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension<Api>("bowline.bowline");
  if (!extension) throw new Error("The extension is not there.");
  const api = await extension.activate();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (!folder) throw new Error("No folder is open.");
  const failures: string[] = [];
  for (const [name, test] of Object.entries({ ...tests, ...views })) {
    try {
      await test({ api, folder, open: (file) => open(path.join(folder, file)) });
      console.log(`ok ${name}`);
    } catch (error) {
      failures.push(name);
      console.error(`FAILED ${name}: ${error instanceof Error ? error.stack : String(error)}`);
    }
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  }
  if (failures.length > 0) throw new Error(`failed: ${failures.join("; ")}`);
}

async function open(file: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(vscode.Uri.file(file));
}

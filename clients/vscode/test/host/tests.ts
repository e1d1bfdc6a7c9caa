// One entry, one test. They share a server, so each uses a file of its own.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { turn, until, type Tests } from "./room.ts";

export const tests: Tests = {
  "the server runs, and activation took little": async ({ api }) => {
    await until(() => api.server.connection.status === "running", "the server runs");
    assert.equal(api.server.offer?.version, 1);
    console.log(`figure activate() ${api.activationMs.toFixed(1)} ms`);
  },

  "every command of the manifest is there": async () => {
    const manifest = vscode.extensions.getExtension("bowline.bowline")?.packageJSON as {
      contributes: { commands: { command: string }[] };
    };
    const there = new Set(await vscode.commands.getCommands(true));
    const missing = manifest.contributes.commands.filter(({ command }) => !there.has(command));
    assert.deepEqual(missing, []);
  },

  "an edit lands in the unsaved buffer, as one step of undo": async ({ api, open, folder }) => {
    const { document } = await open("apply.txt");
    const before = document.getText();
    await (
      await open("apply.txt")
    ).edit((edit) => edit.insert(new vscode.Position(0, 0), "mine\n"));
    const { asked } = await turn(api, 'replace "one" with "two" in apply.txt');
    assert.equal(asked[0]?.subject.kind, "edit");
    assert.equal(document.getText(), `mine\n${before.replace("one", "two")}`);
    assert.equal(document.isDirty, true);
    assert.equal(await readFile(path.join(folder, "apply.txt"), "utf8"), before);
    assert.equal(api.hunks.of(document.uri).length, 1);
    // The diff of the question is gone, and the file is in front again.
    await until(() => vscode.window.activeTextEditor?.document === document, "the file is back");
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), `mine\n${before}`);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },

  "what is denied is not done": async ({ api, open }) => {
    const { document } = await open("deny.txt");
    const before = document.getText();
    const { events } = await turn(api, 'replace "one" with "two" in deny.txt', "deny");
    assert.ok(events.some((event) => event.type === "tool.ended" && event.status === "denied"));
    assert.equal(document.getText(), before);
  },

  "changes are decided one by one, and a decision is taken back": async ({ api, open }) => {
    const editor = await open("hunks.txt");
    const { document } = editor;
    await turn(
      api,
      'replace "one" with "1" in hunks.txt then replace "nine" with "9" in hunks.txt',
    );
    await until(() => api.hunks.of(document.uri).length === 2, "two changes wait");
    await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await vscode.commands.executeCommand("bowline.change.next");
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, 8);
    await vscode.commands.executeCommand("bowline.change.reject");
    await until(() => document.getText().includes("nine"), "the second is taken back");
    assert.ok(document.getText().startsWith("1\n"));
    await vscode.commands.executeCommand("bowline.change.undo");
    await until(() => document.getText().includes("9"), "the decision is taken back");
    await vscode.commands.executeCommand("bowline.change.acceptFile");
    await until(() => api.hunks.of(document.uri).length === 0, "nothing waits");
    assert.ok(document.getText().startsWith("1\n"));
  },

  "a command sees what the agent wrote: it is saved first": async ({ api, open, folder }) => {
    const { document } = await open("saved.txt");
    await turn(api, 'replace "one" with "two" in saved.txt then run `cat saved.txt`');
    await until(() => !document.isDirty, "the document is saved");
    assert.ok((await readFile(path.join(folder, "saved.txt"), "utf8")).includes("two"));
  },

  "an inline edit lands and is rejected": async ({ api, open }) => {
    const editor = await open("inline.txt");
    const { document } = editor;
    const before = document.getText();
    const { editId } = await api.server.request("agent/edit/inline", {
      textDocument: { uri: document.uri.toString(), version: document.version },
      range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
      instruction: 'replace "one" with "ONE"',
    });
    await until(() => document.getText().startsWith("ONE"), "the edit lands");
    await until(() => api.hunks.of(document.uri).length === 1, "it waits for a decision");
    api.server.notify("agent/inline/resolved", { editId, action: "reject" });
    await until(() => document.getText() === before, "it is taken back");
  },

  "a session is forked, and the one before is found again": async ({ api }) => {
    const first = (await api.sessions.ensure()).sessionId;
    await vscode.commands.executeCommand("bowline.session.fork");
    await until(() => api.sessions.current?.sessionId !== first, "the copy is shown");
    assert.ok((api.sessions.current?.items.length ?? 0) > 0);
    await api.sessions.attach(first);
    assert.equal(api.sessions.current?.sessionId, first);
  },

  "a server that could not be started is, once the setting is right": async ({ api }) => {
    const { sessionId } = await api.sessions.ensure();
    const all = vscode.workspace.getConfiguration("bowline");
    const { Workspace } = vscode.ConfigurationTarget;
    await all.update("server.path", "/nowhere/bowline", Workspace);
    try {
      await until(() => api.server.connection.status === "stopped", "it cannot be started");
      const { connection } = api.server;
      assert.match(
        "problem" in connection ? connection.problem : "",
        /server\.path names \/nowhere/,
      );
      // A program that is there and is no server.
      await all.update("server.path", "/bin/false", Workspace);
      await until(
        () =>
          "problem" in api.server.connection && !api.server.connection.problem.includes("nowhere"),
        "another problem",
      );
    } finally {
      await all.update("server.path", undefined, Workspace);
    }
    await until(() => api.server.connection.status === "running", "it runs again");
    await until(() => api.sessions.current?.sessionId === sessionId, "the session goes on");
  },

  "the server is started again when it ends, and the session goes on": async ({ api }) => {
    const { sessionId, items } = await api.sessions.ensure();
    const said = items.length;
    await api.server.start();
    await until(
      () => api.server.connection.status === "running" && api.sessions.current !== undefined,
      "it is back",
    );
    assert.equal(api.sessions.current?.sessionId, sessionId);
    assert.ok((api.sessions.current?.items.length ?? 0) >= Math.min(1, said));
    const { events } = await turn(api, 'say "still here"');
    assert.ok(
      events.some((event) => event.type === "message.delta" && event.text.includes("still")),
    );
  },
};

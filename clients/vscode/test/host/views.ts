// What is shown and what is kept back: diffs of proposals, following, the list of sessions, the timeline,
// and where the server runs.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { turn, until, type Room, type Tests } from "./room.ts";

const diffTabs = () =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputTextDiff);

/** Waits for a question and gives its id. */
async function question({ api }: Room): Promise<string> {
  await until(() => api.questions.oldestPermission !== undefined, "a question");
  return api.questions.oldestPermission?.requestId ?? "";
}

function inFile(folder: string, name: string): string {
  return vscode.Uri.file(path.join(folder, name)).toString();
}

async function follow(on: boolean): Promise<void> {
  const { Global } = vscode.ConfigurationTarget;
  await vscode.workspace
    .getConfiguration("bowline")
    .update("review.followAgent", on || undefined, Global);
}

export const views: Tests = {
  "the change that is asked about is a diff of the editor, until there is an answer": async (
    room,
  ) => {
    const { api, open } = room;
    const { document } = await open("shown.txt");
    await api.inbox.prompt('replace "one" with "two" in shown.txt');
    await question(room);
    await until(() => diffTabs().length === 1, "the diff is open");
    const [tab] = diffTabs();
    assert.ok(tab?.input instanceof vscode.TabInputTextDiff);
    const sides = [tab.input.original, tab.input.modified];
    const texts = await Promise.all(sides.map((uri) => vscode.workspace.openTextDocument(uri)));
    assert.deepEqual(
      texts.map((side) => side.getText()),
      ["one\n", "two\n"],
    );
    assert.equal(document.getText(), "one\n", "nothing is changed yet");
    // The button in the diff's title answers what the diff is about.
    await vscode.commands.executeCommand("bowline.permission.deny", tab.input.modified);
    await until(() => diffTabs().length === 0, "the diff is closed");
    assert.equal(api.questions.all.length, 0);
    await until(() => api.sessions.current?.turnId === undefined, "the end of the turn");
    assert.equal(document.getText(), "one\n");
  },

  "a diff of somebody else's question answers nothing": async (room) => {
    const { api, open } = room;
    await open("shown.txt");
    await api.inbox.prompt('replace "one" with "two" in shown.txt');
    const requestId = await question(room);
    const other = vscode.Uri.parse("bowline-diff://another/0/new/shown.txt");
    await vscode.commands.executeCommand("bowline.permission.allow", other);
    assert.equal(api.questions.oldestPermission?.requestId, requestId, "it still waits");
    await vscode.commands.executeCommand("bowline.permission.deny");
    await until(() => api.sessions.current?.turnId === undefined, "the end of the turn");
  },

  "the agent is followed from file to file, when the user wants it": async ({ api, folder }) => {
    const shown = () => vscode.window.activeTextEditor?.document.uri.toString();
    await turn(api, "read followed.txt");
    assert.notEqual(shown(), inFile(folder, "followed.txt"), "nobody is followed unasked");
    await follow(true);
    try {
      await turn(api, "read followed.txt");
      await until(() => shown() === inFile(folder, "followed.txt"), "the file is shown");
    } finally {
      await follow(false);
    }
  },

  "sessions are listed, renamed, found by what was said, and deleted": async ({ api }) => {
    await vscode.commands.executeCommand("bowline.session.new");
    const { sessionId } = await api.sessions.ensure();
    await turn(api, 'say "a needle in here"');
    await api.server.request("agent/session/rename", { sessionId, title: "Haystack" });
    const rows = () => api.rows.getChildren();
    const [first, ...others] = await rows();
    assert.equal(first?.session?.sessionId, sessionId, "the latest is the first");
    assert.ok(others.length > 0, "the sessions of the tests before are there");
    const item = api.rows.getTreeItem(first);
    assert.equal(item.label, "Haystack");
    assert.match(String(item.description), /now · \d+ messages/);
    api.rows.find("needle");
    assert.deepEqual(
      (await rows()).map(({ session }) => session?.sessionId),
      [sessionId],
    );
    api.rows.find("nowhere to be found");
    assert.deepEqual(await rows(), []);
    api.rows.find("");
    const other = others[0];
    await vscode.commands.executeCommand("bowline.session.open", other);
    assert.equal(api.sessions.current?.sessionId, other?.session?.sessionId);
    await vscode.commands.executeCommand("bowline.session.fork", first);
    await until(() => api.sessions.current?.title.includes("Haystack") ?? false, "its copy");
    assert.notEqual(api.sessions.current?.sessionId, sessionId);
  },

  "the timeline has a point for every prompt, with the changes that followed": async ({
    api,
    open,
  }) => {
    await open("timed.txt");
    await vscode.commands.executeCommand("bowline.session.new");
    await turn(api, 'say "first"');
    await turn(api, 'replace "one" with "two" in timed.txt');
    const points = api.timeline.getChildren();
    assert.deepEqual(
      points.map(({ label, changes }) => [label, changes]),
      [
        ['replace "one" with "two" in timed.txt', 1],
        ['say "first"', 0],
      ],
    );
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },

  "what is excluded is kept from the agent's own tools": async ({ api }) => {
    const { events } = await turn(api, "read private.key");
    const said = JSON.stringify(events);
    assert.ok(events.some((event) => event.type === "tool.ended" && event.status === "denied"));
    assert.ok(!said.includes("the-private-words"), "its text is nowhere");
  },

  "the extension and its server run where the files are": async ({ api, folder }) => {
    const extension = vscode.extensions.getExtension("bowline.bowline");
    assert.equal(extension?.extensionKind, vscode.ExtensionKind.Workspace);
    // The server is a child of this extension host, which is on the machine with the folder.
    assert.ok((await readdir(folder)).includes("private.key"));
    await until(() => api.server.connection.status === "running", "the server runs");
    const parents = await Promise.all(
      (await readdir("/proc"))
        .filter((name) => /^\d+$/.test(name))
        .map(async (pid) => {
          const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
          return status.includes(`PPid:\t${process.pid}\n`) && status.includes("Name:\tbowline");
        }),
    );
    assert.ok(parents.includes(true), "a child of the extension host");
  },
};

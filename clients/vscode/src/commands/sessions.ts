// The list of sessions with search, and what can be done with one: open, fork, rename, export, delete.
import * as vscode from "vscode";
import { ago } from "../model/format.ts";
import type { Server } from "../server.ts";
import type { Sessions } from "../sessions.ts";
import type { Row, SessionList } from "../views/sessionList.ts";
import type { SessionInfo } from "../wire.ts";

type Entry = vscode.QuickPickItem & { session?: SessionInfo; next?: string };

const FORK = { iconPath: new vscode.ThemeIcon("repo-forked"), tooltip: "Fork" };
const RENAME = { iconPath: new vscode.ThemeIcon("edit"), tooltip: "Rename" };
const EXPORT = { iconPath: new vscode.ThemeIcon("markdown"), tooltip: "Open as Markdown" };
const DELETE = { iconPath: new vscode.ThemeIcon("trash"), tooltip: "Delete" };
/** Typing asks the server when the user pauses. */
const PAUSE_MS = 150;

/** What a command is about: a message of the session that is shown, a row of the list, or its marked one. */
type Argument = string | Row | { selected: true } | undefined;

export class SessionCommands {
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly rows: SessionList,
    private readonly showChat: () => Promise<void>,
  ) {}

  register(): vscode.Disposable {
    const commands: Record<string, (argument: Argument) => unknown> = {
      "bowline.session.new": async () => {
        await this.sessions.begin();
        await this.showChat();
      },
      "bowline.session.list": () => this.list(),
      "bowline.session.open": async (argument) => {
        const { id } = this.meant(argument);
        if (!id) return;
        // The keyboard stays in the list.
        await this.sessions.attach(id);
        await vscode.commands.executeCommand("bowline.chat.focus", { preserveFocus: true });
      },
      "bowline.session.fork": (argument) =>
        this.fork(this.meant(argument).id, typeof argument === "string" ? argument : undefined),
      "bowline.session.rename": (argument) => {
        const { id, title } = this.meant(argument);
        return this.rename(id, title);
      },
      "bowline.session.export": (argument) => this.exportMarkdown(this.meant(argument).id),
      "bowline.session.delete": (argument) => this.remove(this.meant(argument).id),
    };
    const registered = Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(name, run),
    );
    return vscode.Disposable.from(...registered);
  }

  private meant(argument: Argument): { id?: string; title?: string } {
    if (typeof argument === "object") {
      const row = "selected" in argument ? this.rows.selected : argument.session;
      return { id: row?.sessionId, title: row?.title };
    }
    const shown = this.sessions.current;
    return { id: shown?.sessionId, title: shown?.title };
  }

  private async list(): Promise<void> {
    const pick = vscode.window.createQuickPick<Entry>();
    pick.title = "Sessions";
    pick.placeholder = "Search in titles and in what was said";
    pick.matchOnDescription = true;
    let wanted = 0;
    const load = async (query: string, cursor?: string) => {
      wanted += 1;
      const mine = wanted;
      pick.busy = true;
      const found = await this.page(query, cursor);
      // An answer to what was typed before is of no use.
      if (mine !== wanted) return;
      const before = cursor ? pick.items.filter(({ next }) => !next) : [];
      pick.items = [...before, ...found];
      pick.busy = false;
    };
    let timer: NodeJS.Timeout | undefined;
    pick.onDidChangeValue((value) => {
      clearTimeout(timer);
      timer = setTimeout(() => void load(value), PAUSE_MS);
    });
    pick.onDidAccept(async () => {
      const [entry] = pick.selectedItems;
      if (entry?.next) return load(pick.value, entry.next);
      pick.hide();
      if (entry?.session) await this.open(entry.session.sessionId);
    });
    pick.onDidTriggerItemButton(async ({ button, item }) => {
      const id = item.session?.sessionId;
      if (button === DELETE) {
        if (await this.remove(id)) await load(pick.value);
        return;
      }
      pick.hide();
      if (button === FORK) await this.fork(id);
      else if (button === RENAME) await this.rename(id, item.session?.title);
      else await this.exportMarkdown(id);
    });
    pick.onDidHide(() => pick.dispose());
    pick.show();
    await load("");
  }

  private async page(query: string, cursor?: string): Promise<Entry[]> {
    const cwd = this.sessions.folders()?.cwd;
    const answer = await this.server.request("agent/session/list", {
      cwd,
      query: query || undefined,
      cursor,
    });
    const now = Date.now();
    const current = this.sessions.current?.sessionId;
    const entries = answer.sessions.map((session): Entry => {
      const details = [ago(session.updatedAt, now), `${session.messages} messages`];
      if (session.branch) details.push(session.branch);
      if (session.live) details.push(session.status);
      return {
        label: `${session.sessionId === current ? "$(check) " : ""}${session.title || "Untitled"}`,
        description: details.join(" · "),
        // The server searched in what was said, which the list does not show.
        alwaysShow: true,
        buttons: [FORK, RENAME, EXPORT, DELETE],
        session,
      };
    });
    if (answer.next)
      entries.push({ label: "$(ellipsis) Older sessions", alwaysShow: true, next: answer.next });
    return entries;
  }

  private async open(sessionId: string): Promise<void> {
    await this.sessions.attach(sessionId);
    await this.showChat();
  }

  private async fork(sessionId: string | undefined, atMessage?: string): Promise<void> {
    if (!sessionId) return;
    const copy = await this.server.request("agent/session/fork", { sessionId, atMessage });
    await this.open(copy.sessionId);
  }

  private async rename(sessionId: string | undefined, value?: string): Promise<void> {
    if (!sessionId) return;
    const name = await vscode.window.showInputBox({ title: "Rename the session", value });
    if (!name?.trim()) return;
    await this.server.request("agent/session/rename", { sessionId, title: name.trim() });
    this.rows.later();
  }

  private async exportMarkdown(sessionId: string | undefined): Promise<void> {
    if (!sessionId) return;
    const { content, path } = await this.server.request("agent/session/export", {
      sessionId,
      format: "markdown",
    });
    const document = path
      ? await vscode.workspace.openTextDocument(path)
      : await vscode.workspace.openTextDocument({ language: "markdown", content });
    await vscode.window.showTextDocument(document);
  }

  private async remove(sessionId: string | undefined): Promise<boolean> {
    if (!sessionId) return false;
    const question = "Delete this session for good? Files stay as they are.";
    const answer = await vscode.window.showWarningMessage(question, { modal: true }, "Delete");
    if (answer !== "Delete") return false;
    await this.server.request("agent/session/delete", { sessionId });
    if (sessionId === this.sessions.current?.sessionId) await this.sessions.begin();
    this.rows.later();
    return true;
  }
}

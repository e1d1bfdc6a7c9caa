// The view "Sessions": all sessions of the folder, the latest first, with search in titles and in what
// was said. It asks the server only while it is in sight.
import * as vscode from "vscode";
import { ago } from "../model/format.ts";
import type { Server } from "../server.ts";
import type { Sessions } from "../sessions.ts";
import type { SessionInfo } from "../wire.ts";

/** A row: a session, or the way to older ones. */
export interface Row {
  session?: SessionInfo;
  next?: string;
}

/** Several things that happen at once are one reason to look again. */
const PAUSE_MS = 300;

export class SessionList implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  static readonly id = "bowline.sessions";
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Row>;
  private readonly parts: vscode.Disposable[];
  private query = "";
  /** How many pages are shown; each is asked for behind the last one. */
  private pages = 1;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
  ) {
    this.view = vscode.window.createTreeView(SessionList.id, { treeDataProvider: this });
    this.parts = [
      this.changed,
      this.view,
      // What happened out of sight.
      this.view.onDidChangeVisibility(() => this.later()),
      server.onDidChange(() => this.later()),
      sessions.onDidReplace(() => this.later()),
      server.on("agent/event", ({ type }) => {
        if (type === "session.updated" || type === "turn.ended") this.later();
      }),
      vscode.commands.registerCommand("bowline.sessions.search", () => this.search()),
      vscode.commands.registerCommand("bowline.sessions.clear", () => this.find("")),
      vscode.commands.registerCommand("bowline.sessions.refresh", () => this.changed.fire()),
      vscode.commands.registerCommand("bowline.sessions.older", () => {
        this.pages += 1;
        this.changed.fire();
      }),
      new vscode.Disposable(() => clearTimeout(this.timer)),
    ];
  }

  /** The session that is marked in the view. */
  get selected(): SessionInfo | undefined {
    return this.view.selection[0]?.session;
  }

  /** Looks again, soon, if anybody can see it. */
  later(): void {
    clearTimeout(this.timer);
    if (this.view.visible) this.timer = setTimeout(() => this.changed.fire(), PAUSE_MS);
  }

  async getChildren(parent?: Row): Promise<Row[]> {
    if (parent || this.server.connection.status !== "running") return [];
    const rows: Row[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < this.pages; page += 1) {
      const { sessions, next } = await this.server.request("agent/session/list", {
        cwd: this.sessions.folders()?.cwd,
        query: this.query || undefined,
        cursor,
      });
      rows.push(...sessions.map((session) => ({ session })));
      cursor = next;
      if (!next) break;
    }
    if (cursor) rows.push({ next: cursor });
    return rows;
  }

  getTreeItem({ session }: Row): vscode.TreeItem {
    if (!session) {
      const item = new vscode.TreeItem("Older sessions");
      item.iconPath = new vscode.ThemeIcon("ellipsis");
      item.command = { command: "bowline.sessions.older", title: "Older sessions" };
      return item;
    }
    const isShown = session.sessionId === this.sessions.current?.sessionId;
    const item = new vscode.TreeItem(session.title || "Untitled");
    item.id = session.sessionId;
    item.description = details(session);
    item.tooltip = `${session.title || "Untitled"}\n${item.description}\n${session.cwd}`;
    item.accessibilityInformation = {
      label: `${isShown ? "shown in the chat: " : ""}${session.title || "Untitled"}, ${item.description}`,
    };
    item.iconPath = new vscode.ThemeIcon(icon(session, isShown));
    item.contextValue = "session";
    item.command = {
      command: "bowline.session.open",
      title: "Open the session",
      arguments: [{ session }],
    };
    return item;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private async search(): Promise<void> {
    const query = await vscode.window.showInputBox({
      title: "Search sessions",
      prompt: "In titles and in what was said; empty for all",
      value: this.query,
    });
    if (query !== undefined) this.find(query.trim());
  }

  find(query: string): void {
    this.query = query;
    this.pages = 1;
    this.view.description = query ? `“${query}”` : undefined;
    void vscode.commands.executeCommand("setContext", "bowline.sessionsFiltered", query !== "");
    this.changed.fire();
  }
}

function details({ updatedAt, messages, branch, live, status }: SessionInfo): string {
  const parts = [ago(updatedAt, Date.now()), `${messages} messages`];
  if (branch) parts.push(branch);
  if (live && status !== "idle") parts.push(status);
  return parts.join(" · ");
}

function icon({ live, status }: SessionInfo, isShown: boolean): string {
  if (live && status === "waiting") return "bell-dot";
  if (live && status === "running") return "loading~spin";
  return isShown ? "check" : "comment-discussion";
}

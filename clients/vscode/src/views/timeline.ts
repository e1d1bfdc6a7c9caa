// The view "Timeline": the prompts of the session, the latest first. Each is a point to go back to, and
// a click shows it in the chat.
import * as vscode from "vscode";
import { ago } from "../model/format.ts";
import { points, type Point } from "../model/points.ts";
import type { Sessions } from "../sessions.ts";

const PAUSE_MS = 300;

export class Timeline implements vscode.TreeDataProvider<Point>, vscode.Disposable {
  static readonly id = "bowline.timeline";
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Point>;
  private readonly parts: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly sessions: Sessions) {
    this.view = vscode.window.createTreeView(Timeline.id, { treeDataProvider: this });
    this.parts = [
      this.changed,
      this.view,
      // What happened out of sight.
      this.view.onDidChangeVisibility(() => this.later()),
      sessions.onDidReplace(() => this.later()),
      sessions.onEvent(({ type }) => {
        if (MATTERS.has(type)) this.later();
      }),
      new vscode.Disposable(() => clearTimeout(this.timer)),
    ];
  }

  getChildren(parent?: Point): Point[] {
    if (parent) return [];
    const state = this.sessions.current;
    return state ? points(state).reverse() : [];
  }

  getTreeItem(point: Point): vscode.TreeItem {
    const item = new vscode.TreeItem(point.label);
    item.id = `${this.sessions.current?.sessionId ?? ""}/${point.id}`;
    item.description = details(point);
    item.tooltip = `${point.label}\n${item.description}`;
    item.iconPath = new vscode.ThemeIcon(point.changes > 0 ? "git-commit" : "circle-small-filled");
    item.contextValue = "point";
    item.command = {
      command: "bowline.timeline.show",
      title: "Show in the chat",
      arguments: [point],
    };
    return item;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private later(): void {
    clearTimeout(this.timer);
    if (this.view.visible) this.timer = setTimeout(() => this.changed.fire(), PAUSE_MS);
  }
}

/** The events that change what is in the list. */
const MATTERS = new Set(["message.started", "tool.ended", "turn.ended", "session.rewound"]);

function details({ at, changes }: Point): string {
  const parts = at === undefined ? [] : [ago(at, Date.now())];
  if (changes > 0) parts.push(changes === 1 ? "1 change" : `${changes} changes`);
  return parts.join(" · ");
}

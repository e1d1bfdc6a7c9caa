// The agent's changes that still wait for a decision, in all files and of all sessions of this window.
import * as vscode from "vscode";
import type { Server } from "../server.ts";
import type { Event, Hunk } from "../wire.ts";

export class Hunks implements vscode.Disposable {
  private readonly byId = new Map<string, Hunk>();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly parts: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.parts = [
      this.changed,
      server.on("agent/event", (event) => this.receive(event)),
      server.onDidChange(({ status }) => {
        // A server that ends again right away has nothing to tell.
        if (status === "running") this.load().catch(() => undefined);
      }),
    ];
  }

  /** Those of a file in the order of their places; all of them without one. */
  of(uri?: vscode.Uri): Hunk[] {
    const all = [...this.byId.values()];
    const name = uri?.toString();
    const wanted = all.filter((hunk) => !name || vscode.Uri.parse(hunk.uri).toString() === name);
    return wanted.sort(
      (one, other) =>
        one.uri.localeCompare(other.uri) || one.range.start.line - other.range.start.line,
    );
  }

  /** What the server knows, after a start or when a session is joined. */
  async load(): Promise<void> {
    const { hunks } = await this.server.request("agent/review/list", {});
    this.byId.clear();
    for (const hunk of hunks) if (hunk.state === "pending") this.byId.set(hunk.id, hunk);
    this.changed.fire();
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private receive(event: Event): void {
    if (
      event.type !== "hunk.added" &&
      event.type !== "hunk.updated" &&
      event.type !== "hunk.resolved"
    ) {
      return;
    }
    const { hunk } = event;
    if (hunk.state === "pending") this.byId.set(hunk.id, hunk);
    else this.byId.delete(hunk.id);
    this.changed.fire();
  }
}

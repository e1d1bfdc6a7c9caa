// The agent's changes that still wait for a decision, in all files and of all sessions of this window.
import * as vscode from "vscode";
import { History, shiftAll, type Replacement } from "../model/places.ts";
import type { Server } from "../server.ts";
import type { Event, Hunk, Range } from "../wire.ts";

export class Hunks implements vscode.Disposable {
  /** With their ranges in the present text of the documents that are open. */
  private readonly byId = new Map<string, Hunk>();
  private readonly histories = new Map<string, History>();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly parts: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.parts = [
      this.changed,
      vscode.workspace.onDidOpenTextDocument((document) => this.follow(document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.shift(event)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.histories.delete(uri.toString())),
      server.on("agent/event", (event) => this.receive(event)),
      server.onDidChange(({ status }) => {
        // A server that ends again right away has nothing to tell.
        if (status === "running") this.load().catch(() => undefined);
      }),
    ];
    vscode.workspace.textDocuments.forEach((document) => this.follow(document));
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
    for (const hunk of hunks) if (hunk.state === "pending") this.put(hunk);
    this.changed.fire();
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private receive(event: Event): void {
    switch (event.type) {
      case "hunk.added":
      case "hunk.updated":
      case "hunk.resolved":
        if (event.hunk.state === "pending") this.put(event.hunk);
        else this.byId.delete(event.hunk.id);
        break;
      case "hunks.moved":
        for (const { id, range } of event.hunks) {
          const known = this.byId.get(id);
          if (known) this.put({ ...known, version: event.version, range });
        }
        break;
      default:
        return;
    }
    this.changed.fire();
  }

  /** What the server says about an older text is brought to the present one. */
  private put(hunk: Hunk): void {
    const history = this.histories.get(vscode.Uri.parse(hunk.uri).toString());
    const range = history ? history.present(hunk.range, hunk.version) : hunk.range;
    this.byId.set(hunk.id, { ...hunk, range });
  }

  private follow(document: vscode.TextDocument): void {
    this.histories.set(document.uri.toString(), new History(document.version));
  }

  /** Ranges move with the text at once; the server tells its own when the typing pauses. */
  private shift({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    const step = { version: document.version, changes: contentChanges.map(asReplacement) };
    const history = this.histories.get(document.uri.toString());
    history?.push(step);
    const here = this.of(document.uri);
    let moved = false;
    for (const hunk of here) {
      const range = shiftAll(hunk.range, step.changes);
      moved ||= !isSame(range, hunk.range);
      this.byId.set(hunk.id, { ...hunk, version: document.version, range });
    }
    if (moved) this.changed.fire();
  }
}

function asReplacement({ range, text }: vscode.TextDocumentContentChangeEvent): Replacement {
  const { start, end } = range;
  return {
    range: {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    },
    text,
  };
}

function isSame(one: Range, other: Range): boolean {
  return (
    one.start.line === other.start.line &&
    one.start.character === other.start.character &&
    one.end.line === other.end.line &&
    one.end.character === other.end.character
  );
}

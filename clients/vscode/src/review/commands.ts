// Deciding about the agent's changes: at the caret, in a file, in all files, and taking a decision
// back; and walking from one change to the next. Which change is at the caret is for the server to say:
// it knows the text of the version that the caret is in.
import * as vscode from "vscode";
import { reveal } from "../editor/reveal.ts";
import { show } from "../diff.ts";
import type { Server } from "../server.ts";
import type { Hunk, ReviewAction, ReviewResolveParams } from "../wire.ts";
import type { Hunks } from "./hunks.ts";

/** What a menu, a hover or a key gives along. */
type Target =
  | {
      hunkIds?: string[];
      lineNumber?: number;
      uri?: vscode.Uri;
      /** All of a session, or of one call of it. */
      sessionId?: string;
      toolCallId?: string;
    }
  | undefined;
type Which = Omit<ReviewResolveParams, "action">;

export class Review {
  /** Takes the last decision back; one about several files has a token for each. */
  private undoTokens: string[] = [];

  constructor(
    private readonly server: Server,
    private readonly hunks: Hunks,
  ) {}

  register(): vscode.Disposable {
    const commands: Record<string, (target: Target) => unknown> = {
      "bowline.change.accept": (target) => this.decideHere("accept", target),
      "bowline.change.reject": (target) => this.decideHere("reject", target),
      "bowline.change.acceptFile": () => this.decideFile("accept"),
      "bowline.change.rejectFile": () => this.decideFile("reject"),
      "bowline.change.acceptAll": () => this.decideAll("accept"),
      "bowline.change.rejectAll": () => this.decideAll("reject"),
      "bowline.change.next": () => this.step(1),
      "bowline.change.previous": () => this.step(-1),
      "bowline.change.undo": () => this.takeBack(),
      "bowline.change.diff": () => this.showFile(),
    };
    const registered = Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(name, run),
    );
    return vscode.Disposable.from(...registered);
  }

  private async decide(action: ReviewAction, ...which: Which[]): Promise<void> {
    const tokens: string[] = [];
    const reasons = new Set<string>();
    let decided = 0;
    for (const one of which) {
      const { results, undoToken } = await this.server.request("agent/review/resolve", {
        ...one,
        action,
      });
      tokens.push(undoToken);
      decided += results.length;
      for (const { reason } of results) if (reason) reasons.add(reason);
    }
    if (decided === 0) return nothingHere();
    this.undoTokens = tokens;
    for (const reason of reasons) void vscode.window.showWarningMessage(`Bowline: ${reason}`);
  }

  private async decideHere(action: ReviewAction, target: Target): Promise<void> {
    if (target?.hunkIds) return this.decide(action, { hunkIds: target.hunkIds });
    if (target?.sessionId) {
      const { sessionId, toolCallId } = target;
      return this.decide(action, { sessionId, toolCallId });
    }
    const editor = vscode.window.activeTextEditor;
    if (!editor) return;
    const { document, selection } = editor;
    // The menu of the line numbers counts from one.
    const { line, character } = target?.lineNumber
      ? new vscode.Position(target.lineNumber - 1, 0)
      : selection.active;
    if (this.hunks.of(document.uri).length === 0) return nothingHere();
    const at = {
      uri: document.uri.toString(),
      version: document.version,
      position: { line, character },
    };
    try {
      await this.decide(action, { at });
    } catch (error) {
      // Nothing was changed, and the server says why.
      const why = error instanceof Error ? error.message : String(error);
      void vscode.window.setStatusBarMessage(`Bowline: ${why}`, 6000);
    }
  }

  private async decideFile(action: ReviewAction): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri) await this.decide(action, { uri: uri.toString() });
  }

  private async decideAll(action: ReviewAction): Promise<void> {
    const files = new Set(this.hunks.of().map(({ uri }) => uri));
    await this.decide(action, ...[...files].map((uri) => ({ uri })));
  }

  private async takeBack(): Promise<void> {
    const undoTokens = this.undoTokens;
    if (undoTokens.length === 0) {
      void vscode.window.setStatusBarMessage("Bowline: no decision to take back.", 4000);
      return;
    }
    this.undoTokens = [];
    for (const undoToken of undoTokens) {
      await this.server.request("agent/session/unrewind", { undoToken });
    }
  }

  /** The next change after the caret, in this file and then in the others, around and around. */
  private async step(direction: 1 | -1): Promise<void> {
    const all = this.hunks.of();
    const next = all.at(this.indexOfNext(all, direction));
    if (next) await reveal(next.uri, next.range, false);
    else void vscode.window.setStatusBarMessage("Bowline: no change waits.", 4000);
  }

  private indexOfNext(all: Hunk[], direction: 1 | -1): number {
    const editor = vscode.window.activeTextEditor;
    const uri = editor?.document.uri.toString();
    const line = editor?.selection.active.line ?? -1;
    const isHere = (hunk: Hunk) => vscode.Uri.parse(hunk.uri).toString() === uri;
    const inFile = (hunk: Hunk) =>
      isHere(hunk) && (direction > 0 ? hunk.range.start.line > line : hunk.range.start.line < line);
    const found = direction > 0 ? all.findIndex(inFile) : all.findLastIndex(inFile);
    if (found >= 0) return found;
    const edge = direction > 0 ? all.findLastIndex(isHere) : all.findIndex(isHere);
    return edge < 0 ? (direction > 0 ? 0 : -1) : (edge + direction + all.length) % all.length;
  }

  /** The file as it would be with everything rejected, beside the file as it is; the server has both. */
  private async showFile(): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    if (!uri) return;
    const { diff } = await this.server.request("agent/review/diff", { uri });
    if (!diff) return nothingHere();
    const id = `review-${uri}`;
    await show({ id, title: "changes of the agent", files: [diff], preserveFocus: false });
  }
}

function nothingHere(): void {
  void vscode.window.setStatusBarMessage("Bowline: no change waits here.", 4000);
}

// Deciding about the agent's changes: at the caret, in a file, in all files, and taking a decision
// back; and walking from one change to the next.
import * as vscode from "vscode";
import { reveal } from "../editor/reveal.ts";
import { show } from "../diff.ts";
import type { Server } from "../server.ts";
import type { Hunk, ReviewAction } from "../wire.ts";
import { linesOf } from "./decorations.ts";
import type { Hunks } from "./hunks.ts";

/** What a menu, a hover or a key gives along. */
type Target = { hunkIds?: string[]; lineNumber?: number; uri?: vscode.Uri } | undefined;

export class Review {
  private undoToken: string | undefined;

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
      "bowline.change.acceptAll": () => this.decide("accept", this.hunks.of()),
      "bowline.change.rejectAll": () => this.decide("reject", this.hunks.of()),
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

  async decide(action: ReviewAction, hunks: Hunk[]): Promise<void> {
    if (hunks.length === 0) {
      void vscode.window.setStatusBarMessage("Bowline: no change waits here.", 4000);
      return;
    }
    const hunkIds = hunks.map(({ id }) => id);
    const { results, undoToken } = await this.server.request("agent/review/resolve", { hunkIds, action });
    this.undoToken = undoToken;
    const reasons = new Set(results.flatMap(({ reason }) => (reason ? [reason] : [])));
    for (const reason of reasons) void vscode.window.showWarningMessage(`Bowline: ${reason}`);
  }

  private async decideHere(action: ReviewAction, target: Target): Promise<void> {
    const ids = target?.hunkIds;
    if (ids) return this.decide(action, this.hunks.of().filter(({ id }) => ids.includes(id)));
    const editor = vscode.window.activeTextEditor;
    if (!editor) return;
    // The menu of the line numbers counts from one.
    const line = target?.lineNumber ? target.lineNumber - 1 : editor.selection.active.line;
    const here = this.hunks.of(editor.document.uri).filter((hunk) => {
      const lines = linesOf(hunk);
      return lines.start.line <= line && line <= lines.end.line;
    });
    return this.decide(action, here);
  }

  private async decideFile(action: ReviewAction): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri) await this.decide(action, this.hunks.of(uri));
  }

  private async takeBack(): Promise<void> {
    const undoToken = this.undoToken;
    if (!undoToken) {
      void vscode.window.setStatusBarMessage("Bowline: no decision to take back.", 4000);
      return;
    }
    this.undoToken = undefined;
    await this.server.request("agent/session/unrewind", { undoToken });
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
      isHere(hunk) &&
      (direction > 0 ? hunk.range.start.line > line : hunk.range.start.line < line);
    const found = direction > 0 ? all.findIndex(inFile) : all.findLastIndex(inFile);
    if (found >= 0) return found;
    const edge = direction > 0 ? all.findLastIndex(isHere) : all.findIndex(isHere);
    return edge < 0 ? (direction > 0 ? 0 : -1) : (edge + direction + all.length) % all.length;
  }

  /** The file as it would be with everything rejected, beside the file as it is. */
  private async showFile(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const hunks = document ? this.hunks.of(document.uri) : [];
    if (!document || hunks.length === 0) return;
    const newText = document.getText();
    const oldText = [...hunks].reverse().reduce((text, hunk) => {
      const start = document.offsetAt(new vscode.Position(hunk.range.start.line, hunk.range.start.character));
      const end = document.offsetAt(new vscode.Position(hunk.range.end.line, hunk.range.end.character));
      return text.slice(0, start) + hunk.oldText + text.slice(end);
    }, newText);
    const uri = document.uri.toString();
    const files = [{ uri, version: document.version, oldText, newText }];
    await show({ id: `review-${uri}`, title: "changes of the agent", files, preserveFocus: false });
  }
}

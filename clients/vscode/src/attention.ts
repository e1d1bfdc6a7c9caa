// Whether the user is at work in a text. While they are, nothing opens over it by itself: a diff or a
// place that the agent wants to show waits until it is asked for.
import * as vscode from "vscode";

/** Who has not touched a text for so long is looking at something else. */
const REST_MS = 5000;

export class Attention implements vscode.Disposable {
  private used = Number.NEGATIVE_INFINITY;
  private readonly part: vscode.Disposable;

  constructor(private readonly now: () => number = Date.now) {
    this.part = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
      const { Keyboard, Mouse } = vscode.TextEditorSelectionChangeKind;
      if (kind === Keyboard || kind === Mouse) this.used = this.now();
    });
  }

  get isInText(): boolean {
    return this.now() - this.used < REST_MS;
  }

  /** The user turned to the chat. */
  left(): void {
    this.used = Number.NEGATIVE_INFINITY;
  }

  dispose(): void {
    this.part.dispose();
  }
}

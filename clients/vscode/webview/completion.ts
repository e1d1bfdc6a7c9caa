// Proposals for `/commands`, `@files` and `#memory` below the caret's word: a list that the arrow keys
// walk through while the focus stays in the input.
import type { CompletionItem } from "../src/wire.ts";
import { isCompletable } from "./completable.ts";
import { h, patchChildren } from "./vdom.ts";

const PAUSE_MS = 40;

export class Completion {
  readonly element = document.createElement("div");
  private items: CompletionItem[] = [];
  private active = 0;
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly input: HTMLTextAreaElement,
    private readonly ask: (id: number, text: string, offset: number) => void,
  ) {
    this.element.id = "proposals";
    this.element.className = "proposals";
    this.element.setAttribute("role", "listbox");
    this.element.setAttribute("aria-label", "Proposals");
    this.element.hidden = true;
    input.setAttribute("aria-controls", this.element.id);
    input.setAttribute("aria-autocomplete", "list");
  }

  /** The text changed: ask when the caret is in a word that can be completed. */
  changed(): void {
    clearTimeout(this.timer);
    const before = this.input.value.slice(0, this.input.selectionStart);
    if (!isCompletable(before)) {
      this.close();
      return;
    }
    this.timer = setTimeout(() => {
      this.asked += 1;
      this.ask(this.asked, this.input.value, this.input.selectionStart);
    }, PAUSE_MS);
  }

  /** The server's answer; one to a question of before is dropped. */
  answer(id: number, items: CompletionItem[]): void {
    if (id !== this.asked) return;
    this.items = items.slice(0, 50);
    this.active = 0;
    this.paint();
  }

  close(): void {
    clearTimeout(this.timer);
    this.asked += 1;
    this.items = [];
    this.paint();
  }

  /** True when the key was for the list. */
  key(event: KeyboardEvent): boolean {
    if (this.items.length === 0) return false;
    switch (event.key) {
      case "ArrowDown":
        this.move(1);
        return true;
      case "ArrowUp":
        this.move(-1);
        return true;
      case "Enter":
      case "Tab":
        this.take(this.items[this.active]);
        return true;
      case "Escape":
        this.close();
        return true;
      default:
        return false;
    }
  }

  private move(by: number): void {
    this.active = (this.active + by + this.items.length) % this.items.length;
    this.paint();
  }

  private take(item: CompletionItem | undefined): void {
    if (!item) return;
    const space = /\s$|\/$/.test(item.insertText) ? "" : " ";
    this.input.setRangeText(item.insertText + space, item.start, item.end, "end");
    this.close();
    this.input.dispatchEvent(new Event("input"));
    this.input.focus();
  }

  private paint(): void {
    this.element.hidden = this.items.length === 0;
    const rows = this.items.map((item, at) =>
      h(
        "div",
        {
          id: `proposal-${at}`,
          role: "option",
          "aria-selected": at === this.active ? "true" : "false",
          // Before the input would lose the focus.
          onmousedown: (event: MouseEvent) => {
            event.preventDefault();
            this.take(item);
          },
        },
        h("span", { class: "proposal-label" }, item.label),
        item.detail !== undefined && h("span", { class: "muted" }, item.detail),
      ),
    );
    patchChildren(this.element, rows);
    if (this.items.length > 0) {
      this.input.setAttribute("aria-activedescendant", `proposal-${this.active}`);
      this.element.children[this.active]?.scrollIntoView({ block: "nearest" });
    } else {
      this.input.removeAttribute("aria-activedescendant");
    }
  }
}

// The input: keys, history, pictures by paste and drop, and the text that stays when the view closes.
import type { Picture } from "../src/chat/messages.ts";
import type { Completion } from "./completion.ts";

const PICTURE_CAP = 20 * 1024 * 1024;
const HISTORY = 100;

export interface ComposerEvents {
  submit: (delivery: "auto" | "queue" | "steer") => void;
  stop: () => void;
  isRunning: () => boolean;
  changed: () => void;
  problem: (text: string) => void;
}

export class Composer {
  pictures: Picture[] = [];
  private history: string[] = [];
  /** How far back in the history the input is; 0 is the text being written. */
  private back = 0;

  constructor(
    readonly input: HTMLTextAreaElement,
    private readonly completion: Completion,
    private readonly events: ComposerEvents,
  ) {
    input.addEventListener("input", () => {
      this.grow();
      this.completion.changed();
      this.events.changed();
    });
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.completion.close());
    input.addEventListener("paste", (event) => void this.take(event, event.clipboardData));
    for (const type of ["dragover", "drop"] as const) {
      document.addEventListener(type, (event) => {
        event.preventDefault();
        if (type === "drop") void this.take(event, event.dataTransfer);
      });
    }
  }

  get text(): string {
    return this.input.value;
  }

  set text(text: string) {
    this.input.value = text;
    this.grow();
    this.events.changed();
  }

  insert(text: string): void {
    this.input.setRangeText(text, this.input.selectionStart, this.input.selectionEnd, "end");
    this.input.dispatchEvent(new Event("input"));
  }

  /** The prompt was accepted: it is remembered, and the input is empty again. */
  sent(text: string): void {
    this.history = [...this.history.filter((known) => known !== text), text].slice(-HISTORY);
    this.back = 0;
    this.pictures = [];
    this.text = "";
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (this.completion.key(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      const running = this.events.isRunning();
      this.events.submit(!running ? "auto" : event.altKey ? "queue" : "steer");
    } else if (event.key === "Escape" && this.events.isRunning()) {
      event.preventDefault();
      this.events.stop();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      this.recall(event, event.key === "ArrowUp" ? 1 : -1);
    }
  }

  /** Earlier prompts, while the input is empty or shows one of them. */
  private recall(event: KeyboardEvent, by: 1 | -1): void {
    const shown = this.history.at(-this.back);
    if (this.back === 0 ? this.text !== "" : this.text !== shown) return;
    const back = this.back + by;
    if (back < 0 || back > this.history.length) return;
    event.preventDefault();
    this.back = back;
    this.text = back === 0 ? "" : (this.history.at(-back) ?? "");
  }

  private grow(): void {
    this.input.style.height = "auto";
    this.input.style.height = `${Math.min(this.input.scrollHeight, window.innerHeight * 0.4)}px`;
  }

  private async take(event: Event, data: DataTransfer | null): Promise<void> {
    const files = [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
    if (files.length === 0) return;
    event.preventDefault();
    for (const file of files) {
      if (file.size > PICTURE_CAP) {
        this.events.problem(`${file.name} is larger than 20 MB; send a smaller picture.`);
        continue;
      }
      const picture = { mimeType: file.type, data: await base64(file), name: file.name || "picture" };
      this.pictures = [...this.pictures, picture];
    }
    this.events.changed();
  }
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}

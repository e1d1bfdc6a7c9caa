// The chat view: receives what happens from the extension, keeps it, and shows it.
import type { Chip, FromView, ToView } from "../src/chat/messages.ts";
import { applyEvent } from "../src/model/events.ts";
import type { SessionState } from "../src/model/state.ts";
import type { Delivery, Event, ModelInfo, Pending } from "../src/wire.ts";
import { actionsOver } from "./actions.ts";
import { Announcer } from "./announce.ts";
import { Completion } from "./completion.ts";
import { Composer } from "./composer.ts";
import { dock } from "./dock/dock.ts";
import { chips as chipRow, controls } from "./footer.ts";
import { header, type ConnectionState } from "./header.ts";
import { renderItem } from "./items/item.ts";
import { VirtualList } from "./list.ts";
import { touched } from "./touched.ts";
import { h, patchChildren } from "./vdom.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: FromView): void;
  getState(): { draft?: string } | undefined;
  setState(state: { draft: string }): void;
};

const vscode = acquireVsCodeApi();
const actions = actionsOver((message) => vscode.postMessage(message));

/** An element of the page's frame. */
function part(tag: string, name: string, label?: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  if (label) element.setAttribute("aria-label", label);
  document.body.append(element);
  return element;
}

class Chat {
  private state: SessionState | undefined;
  private pending: Pending[] = [];
  private chips: Chip[] = [];
  private models: ModelInfo[] = [];
  private connection: ConnectionState = { status: "starting" };
  private sending: string | undefined;
  private problem: string | undefined;
  private scheduled = false;
  /** A question came that was not in sight yet. */
  private isAsked = false;

  private readonly header = part("header", "header");
  private readonly transcript = part("main", "transcript", "Conversation");
  private readonly dock = part("div", "dock");
  private readonly form = part("div", "composer");
  private readonly chipRow = document.createElement("div");
  private readonly footer = document.createElement("div");
  private readonly input = document.createElement("textarea");
  private readonly completion: Completion;
  private readonly composer: Composer;
  private readonly announcer = new Announcer();
  private readonly list: VirtualList;

  constructor() {
    this.transcript.tabIndex = 0;
    this.transcript.setAttribute("role", "log");
    // Screen readers are told by the announcer, not by every word that streams in.
    this.transcript.setAttribute("aria-live", "off");
    this.list = new VirtualList(this.transcript, (at) => this.item(at));
    this.chipRow.className = "chips";
    this.footer.className = "footer";
    this.input.rows = 1;
    this.input.placeholder = "Ask, or type / for commands and @ for files";
    this.input.setAttribute("aria-label", "Message to Bowline");
    this.completion = new Completion(this.input, (id, text, offset) =>
      vscode.postMessage({ type: "complete", id, text, offset }),
    );
    this.composer = new Composer(this.input, this.completion, {
      submit: (delivery) => this.submit(delivery),
      stop: () => vscode.postMessage({ type: "cancel" }),
      isRunning: () => this.state?.turnId !== undefined,
      changed: () => {
        vscode.setState({ draft: this.input.value });
        this.schedule();
      },
      problem: (text) => this.complain(text),
    });
    this.form.append(this.completion.element, this.chipRow, this.input, this.footer);
    this.composer.text = vscode.getState()?.draft ?? "";
    this.schedule();
  }

  receive(message: ToView): void {
    switch (message.type) {
      case "state":
        this.replace(message.state);
        break;
      case "event":
        this.apply(message.event);
        break;
      case "connection":
        this.connection = { status: message.status, problem: message.problem };
        break;
      case "models":
        this.models = message.models;
        break;
      case "pending":
        this.isAsked ||= message.pending.length > this.pending.length;
        this.pending = message.pending;
        this.announcer.pending(message.pending);
        break;
      case "chips":
        this.chips = message.chips;
        break;
      case "completions":
        this.completion.answer(message.id, message.items);
        break;
      case "sent":
        this.sent(message.ok, message.problem);
        break;
      case "insert":
        this.composer.insert(message.text);
        break;
      case "focus":
        this.input.focus();
        break;
      case "show":
        this.list.reveal(this.indexOf(message.messageId));
        break;
    }
    this.schedule();
  }

  private replace(state: SessionState | undefined): void {
    const isOther =
      state?.sessionId !== this.state?.sessionId ||
      state?.items.length !== this.state?.items.length;
    this.state = state;
    const length = state?.items.length ?? 0;
    if (isOther) this.list.reset(length);
    else this.list.touchAll();
  }

  private apply(event: Event): void {
    if (!this.state || event.sessionId !== this.state.sessionId || event.seq <= this.state.seq)
      return;
    applyEvent(this.state, event);
    this.announcer.event(this.state, event);
    const changed = touched(this.state, event);
    this.list.resize(this.state.items.length);
    if (changed === "all") this.list.touchAll();
    else if (changed !== undefined) this.list.touch(changed);
  }

  private submit(delivery: Delivery): void {
    const text = this.composer.text.trim() || (this.state?.suggestion ?? "");
    if (this.sending !== undefined || (text === "" && this.composer.pictures.length === 0)) return;
    this.sending = text;
    this.problem = undefined;
    this.list.toEnd();
    vscode.postMessage({ type: "prompt", text, pictures: this.composer.pictures, delivery });
  }

  private sent(ok: boolean, problem: string | undefined): void {
    if (ok && this.sending !== undefined) this.composer.sent(this.sending);
    this.sending = undefined;
    if (!ok) this.complain(problem ?? "The prompt was not accepted.");
  }

  private complain(problem: string): void {
    this.problem = problem;
    this.announcer.say(problem);
    this.schedule();
  }

  private indexOf(messageId: string): number {
    const items = this.state?.items ?? [];
    return items.findIndex((item) => item.kind === "message" && item.id === messageId);
  }

  private item(at: number) {
    const item = this.state?.items[at];
    return item ? renderItem(item, actions) : h("div");
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.paint();
    });
  }

  private paint(): void {
    patchChildren(this.header, header(this.state, this.connection, actions));
    const problem =
      this.problem === undefined
        ? []
        : [h("div", { class: "note error", role: "alert" }, this.problem)];
    const wasInDock = this.dock.contains(document.activeElement);
    patchChildren(this.dock, [...dock(this.state, this.pending, actions), ...problem]);
    // In a low view the end of the dock, where the answers are, is what has to be seen.
    if (this.isAsked) this.dock.scrollTop = this.dock.scrollHeight;
    this.isAsked = false;
    // A question that was answered takes the keyboard along; one writes on.
    if (wasInDock && !this.dock.contains(document.activeElement)) this.input.focus();
    const dropPicture = (at: number) => {
      this.composer.pictures = this.composer.pictures.filter((_, index) => index !== at);
      this.schedule();
    };
    patchChildren(this.chipRow, chipRow(this.chips, this.composer.pictures, actions, dropPicture));
    patchChildren(
      this.footer,
      controls(this.state, this.models, actions, (delivery) => this.submit(delivery)),
    );
    this.input.placeholder = this.state?.suggestion
      ? `${this.state.suggestion} (Enter)`
      : "Ask, or type / for commands and @ for files";
  }
}

const chat = new Chat();
window.addEventListener("message", ({ data }: MessageEvent<ToView>) => chat.receive(data));
vscode.postMessage({ type: "ready" });

// What the user does in the chat view, carried out.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { show, showSubject } from "../diff.ts";
import { reveal } from "../editor/reveal.ts";
import type { Questions } from "../questions.ts";
import type { Server } from "../server.ts";
import type { Sessions } from "../sessions.ts";
import type { Block, Delivery } from "../wire.ts";
import type { Attachments } from "./attachments.ts";
import { VIEW_COMMANDS, type FromView, type Picture } from "./messages.ts";
import type { ChatView } from "./view.ts";

type Message<T extends FromView["type"]> = Extract<FromView, { type: T }>;
type Handlers = { [T in FromView["type"]]: (message: Message<T>) => unknown };

export class Inbox {
  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly questions: Questions,
    private readonly attachments: Attachments,
    private readonly view: ChatView,
  ) {}

  async receive(message: FromView): Promise<void> {
    const handler = this.handlers[message.type] as ((message: FromView) => unknown) | undefined;
    try {
      await handler?.(message);
    } catch (error) {
      void vscode.window.showErrorMessage(`Bowline: ${explain(error)}`);
    }
  }

  /** Sends a prompt with what is attached; the view keeps the text until it was accepted. */
  async prompt(text: string, pictures: Picture[] = [], delivery: Delivery = "auto"): Promise<void> {
    const { sessionId } = await this.sessions.ensure();
    const images = pictures.map(({ mimeType, data }): Block => ({ type: "image", mimeType, data }));
    // A command is a command only while it stands alone.
    const along = text.startsWith("/") ? [] : this.attachments.take();
    const content: Block[] = [{ type: "text", text }, ...along, ...images];
    await this.server.request("agent/session/prompt", {
      sessionId,
      content,
      delivery,
      clientMessageId: randomUUID(),
    });
  }

  private readonly handlers: Handlers = {
    ready: () => undefined,
    prompt: async ({ text, pictures, delivery }) => {
      try {
        await this.prompt(text, pictures, delivery);
        this.view.send({ type: "sent", ok: true });
      } catch (error) {
        this.view.send({ type: "sent", ok: false, problem: explain(error) });
      }
    },
    cancel: async ({ toolCallId, taskId }) => {
      const sessionId = this.sessions.current?.sessionId;
      if (sessionId)
        await this.server.request("agent/session/cancel", { sessionId, toolCallId, taskId });
    },
    complete: async ({ id, text, offset }) => {
      const { sessionId } = await this.sessions.ensure();
      const { items } = await this.server.request("agent/complete", { text, offset, sessionId });
      this.view.send({ type: "completions", id, items });
    },
    chip: ({ id, on }) => this.attachments.choose(id, on),
    permission: ({ requestId, optionId, feedback, editedInput }) =>
      this.questions.close(requestId, { optionId, feedback, editedInput }),
    ask: ({ requestId, result }) => this.questions.close(requestId, result),
    subject: async ({ requestId }) => {
      const found = this.questions.all.find(({ request }) => request.requestId === requestId);
      if (found?.type === "permission") await showSubject(found.request);
    },
    config: async ({ set }) => {
      const { sessionId } = await this.sessions.ensure();
      await this.server.request("agent/session/config", { sessionId, set });
    },
    open: ({ uri, range }) => reveal(uri, range, false),
    link: ({ href }) => openLink(href),
    diff: ({ file, title }) =>
      show({ id: `chat-${file.uri}`, title, files: [file], preserveFocus: true }),
    copy: ({ text }) => vscode.env.clipboard.writeText(text),
    apply: ({ text }) => this.apply(text),
    queue: async ({ op, messageId, to }) => {
      const sessionId = this.sessions.current?.sessionId;
      if (sessionId)
        await this.server.request("agent/session/queue", { sessionId, op, messageId, to });
    },
    review: async ({ action, toolCallId }) => {
      const sessionId = this.sessions.current?.sessionId;
      const command = `bowline.change.${action === "accept" ? "accept" : "reject"}`;
      if (sessionId) await vscode.commands.executeCommand(command, { sessionId, toolCallId });
    },
    rewind: ({ messageId }) => vscode.commands.executeCommand("bowline.session.rewind", messageId),
    fork: ({ messageId }) => vscode.commands.executeCommand("bowline.session.fork", messageId),
    command: ({ name }) => {
      if (VIEW_COMMANDS.includes(name)) return vscode.commands.executeCommand(name);
      return undefined;
    },
  };

  /** Puts code where the caret is, or in place of the selection: one step of undo. */
  private async apply(text: string): Promise<void> {
    const editor = this.attachments.shared();
    if (!editor) {
      void vscode.window.showInformationMessage("Bowline: put the caret where the code shall go.");
      return;
    }
    const edit = new vscode.WorkspaceEdit();
    edit.replace(editor.document.uri, editor.selection, text);
    await vscode.workspace.applyEdit(edit);
  }
}

/** Pages are opened in a browser, after VS Code asked about hosts it does not know; nothing else is. */
async function openLink(href: string): Promise<void> {
  const uri = vscode.Uri.parse(href, true);
  if (uri.scheme === "https" || uri.scheme === "http" || uri.scheme === "mailto") {
    await vscode.env.openExternal(uri);
  }
}

export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

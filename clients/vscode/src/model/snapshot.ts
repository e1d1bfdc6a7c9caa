// A session as the server tells it when one joins: its snapshot turned into the items of the chat.
import type {
  FileDiff,
  SessionAttachResult,
  SnapshotBlock,
  SnapshotMessage,
  ToolCallState,
} from "../wire.ts";
import { emptyState, freshId, type Item, type SessionState, type ToolItem } from "./state.ts";

/** The session after `agent/session/attach`, without the events that it may bring. */
export function fromAttach(answer: SessionAttachResult): SessionState {
  const state = emptyState(answer);
  state.pending = answer.pending;
  const snapshot = answer.snapshot;
  if (!snapshot) return state;
  state.title = snapshot.title ?? "";
  state.todos = snapshot.todos;
  state.usage = snapshot.usage;
  state.turnId = snapshot.turnId;
  state.status = snapshot.turnId ? "running" : "idle";
  for (const message of snapshot.messages) {
    for (const item of items(state, message)) state.items.push(item);
  }
  return state;
}

function items(state: SessionState, message: SnapshotMessage): Item[] {
  const made: Item[] = [];
  const attachments = message.blocks.flatMap((block) =>
    block.type === "attachment" ? [block.block] : [],
  );
  for (const block of message.blocks) {
    const item = itemOf(state, message, block);
    const last = made.at(-1);
    // The pieces of one answer between two calls read as one text.
    if (item?.kind === "message" && last?.kind === "message") last.text += `\n\n${item.text}`;
    else if (item) made.push(item);
  }
  const first = made.find((item) => item.kind === "message");
  if (first?.kind === "message") first.attachments = attachments;
  else if (attachments.length > 0) made.push({ ...messageItem(message, ""), attachments });
  return made;
}

function itemOf(
  state: SessionState,
  message: SnapshotMessage,
  block: SnapshotBlock,
): Item | undefined {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? undefined : messageItem(message, block.text);
    case "thought": {
      const id = freshId(state);
      return {
        kind: "thought",
        id,
        messageId: message.messageId,
        text: block.text,
        streaming: false,
      };
    }
    case "toolCall":
      return toolItem(block.call);
    case "summary":
      return { kind: "summary", id: freshId(state), text: block.text };
    default:
      return undefined;
  }
}

function messageItem(message: SnapshotMessage, text: string): Extract<Item, { kind: "message" }> {
  return {
    kind: "message",
    id: message.messageId,
    role: message.role,
    text,
    streaming: false,
    attachments: [],
    checkpoint: message.role === "user",
    at: message.at,
  };
}

function toolItem(call: ToolCallState): ToolItem {
  return {
    kind: "tool",
    id: call.toolCallId,
    name: call.name,
    title: call.title,
    toolKind: call.kind,
    status: call.status,
    output: "",
    content: call.content,
    input: call.input,
    diff: call.diff ?? proposed(call),
    locations: call.locations,
    parent: call.parentToolCallId,
  };
}

/** What an edit of before changed, as far as its input tells: a stored session keeps no whole texts. */
function proposed(call: ToolCallState): FileDiff | undefined {
  if (call.kind !== "edit" || call.status !== "completed") return undefined;
  const input = (call.input ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof input[name] === "string" ? input[name] : undefined);
  const [file, oldText] = [text("file_path"), text("old_string")];
  const newText = text("new_string") ?? text("content");
  if (file === undefined || newText === undefined) return undefined;
  const path = file.split("/").map(encodeURIComponent).join("/");
  return { uri: `file://${path}`, version: null, oldText: oldText ?? "", newText };
}

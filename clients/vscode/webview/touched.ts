// Which item of the conversation an event changed, so that only that one is drawn again.
import type { SessionState } from "../src/model/state.ts";
import type { Event } from "../src/wire.ts";

/** Its index after the event was applied; `all` when the list itself is another. */
export function touched(state: SessionState, event: Event): number | "all" | undefined {
  switch (event.type) {
    case "message.delta":
    case "message.ended":
      return last(state, "message", event.messageId);
    case "thought.delta":
    case "thought.ended":
      return state.items.findLastIndex(
        (item) => item.kind === "thought" && item.messageId === event.messageId,
      );
    case "tool.updated":
    case "tool.ended":
      return last(state, "tool", event.toolCallId);
    case "hunk.added":
    case "hunk.resolved":
      return last(state, "tool", event.hunk.toolCallId);
    case "message.retracted":
    case "session.rewound":
    case "turn.ended":
      return "all";
    default:
      return undefined;
  }
}

function last(state: SessionState, kind: string, id: string): number {
  return state.items.findLastIndex((item) => item.kind === kind && item.id === id);
}

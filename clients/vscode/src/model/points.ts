// The points of a session that it can go back to: one before each prompt.
import { oneLine } from "./format.ts";
import type { SessionState } from "./state.ts";

export interface Point {
  /** The message that would be the first to go. */
  id: string;
  label: string;
  at?: number;
  /** How many changes of files followed, up to the next point. */
  changes: number;
}

/** The oldest first. */
export function points(state: SessionState): Point[] {
  const found: Point[] = [];
  for (const item of state.items) {
    if (item.kind === "message" && item.role === "user" && item.checkpoint) {
      const label = oneLine(item.text) || "(no words)";
      found.push({ id: item.id, label, at: item.at, changes: 0 });
    } else if (item.kind === "tool" && item.status === "completed" && changes(item) > 0) {
      const last = found.at(-1);
      if (last) last.changes += changes(item);
    }
  }
  return found;
}

function changes(item: Extract<SessionState["items"][number], { kind: "tool" }>): number {
  const parts = item.content.filter(({ type }) => type === "diff").length;
  return parts > 0 ? parts : item.diff ? 1 : 0;
}

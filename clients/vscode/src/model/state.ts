// What the chat shows of one session: plain data, so that it can be kept by the extension, sent to the
// chat view whole, and brought forward by the same events on both sides.
import type {
  AgentInfo,
  Block,
  Command,
  Config,
  ContentPart,
  ContextUsage,
  FileDiff,
  Hunk,
  Location,
  Pending,
  PlanEntry,
  QueuedPrompt,
  Task,
  Todo,
} from "../wire.ts";

/** Something said, by the user or the model. */
export interface MessageItem {
  kind: "message";
  id: string;
  role: string;
  text: string;
  streaming: boolean;
  attachments: Block[];
  /** The session can go back to before this message. */
  checkpoint: boolean;
  at?: number;
  /** The call whose agent writes it. */
  parent?: string;
}

/** What the model thought; folded away until somebody wants to read it. */
export interface ThoughtItem {
  kind: "thought";
  id: string;
  messageId: string;
  text: string;
  streaming: boolean;
}

/** A call of a tool, from its first word to its result. */
export interface ToolItem {
  kind: "tool";
  id: string;
  name: string;
  title: string;
  toolKind: string;
  status: string;
  /** What it printed so far. */
  output: string;
  content: ContentPart[];
  input?: unknown;
  diff?: FileDiff;
  locations?: Location[];
  progress?: string;
  durationMs?: number;
  parent?: string;
  /** A change that it made waits for a decision, so it can be taken back. */
  isUndoable?: boolean;
}

/** A line that nobody said: a notice, the output of a command, the end of a turn that went wrong. */
export interface NoteItem {
  kind: "note";
  id: string;
  severity: string;
  title?: string;
  text: string;
}

/** Everything before it was summed up. */
export interface SummaryItem {
  kind: "summary";
  id: string;
  text: string;
}

export type Item = MessageItem | ThoughtItem | ToolItem | NoteItem | SummaryItem;

export interface SessionState {
  sessionId: string;
  title: string;
  seq: number;
  /** The turn that runs. */
  turnId?: string;
  status: string;
  config: Config;
  commands: Command[];
  agents: AgentInfo[];
  items: Item[];
  todos: Todo[];
  plan: PlanEntry[];
  queue: QueuedPrompt[];
  usage: ContextUsage;
  pending: Pending[];
  hunks: Hunk[];
  tasks: Task[];
  suggestion?: string;
  /** Takes the last rewind back. */
  undoToken?: string;
  /** How many items were made, for the ids of those that have none of their own. */
  made: number;
}

export interface Opening {
  sessionId: string;
  seq: number;
  config: Config;
  commands: Command[];
  agents: AgentInfo[];
}

export function emptyState(opening: Opening): SessionState {
  const { sessionId, seq, config, commands, agents } = opening;
  return {
    sessionId,
    seq,
    config,
    commands,
    agents,
    title: "",
    status: "idle",
    items: [],
    todos: [],
    plan: [],
    queue: [],
    usage: { used: 0, window: 0, costUsd: 0 },
    pending: [],
    hunks: [],
    tasks: [],
    made: 0,
  };
}

/** The newest item with this id: what changes is nearly always at the end. */
export function findItem<K extends Item["kind"]>(
  state: SessionState,
  kind: K,
  id: string,
): Extract<Item, { kind: K }> | undefined {
  const found = state.items.findLast((item) => item.kind === kind && item.id === id);
  return found as Extract<Item, { kind: K }> | undefined;
}

/** An id for an item that the server gave none. */
export function freshId(state: SessionState): string {
  state.made += 1;
  return `local-${state.made}`;
}

// What the extension and the chat view say to each other. The view shows and collects; everything that
// touches files, the server or the user's settings happens in the extension.
import type { SessionState } from "../model/state.ts";
import type {
  AskResult,
  CompletionItem,
  ConfigChange,
  Delivery,
  Event,
  FileDiff,
  ModelInfo,
  Pending,
  Range,
  ReviewAction,
} from "../wire.ts";

/** Something of the editor that can go along with a prompt. */
export interface Chip {
  id: "selection" | "file";
  label: string;
  /** Whether it goes along. */
  on: boolean;
}

/** A picture that the user pasted or dropped. */
export interface Picture {
  mimeType: string;
  /** Base64. */
  data: string;
  name: string;
}

export type ToView =
  | { type: "state"; state: SessionState | undefined }
  | { type: "event"; event: Event }
  | { type: "connection"; status: string; problem?: string }
  | { type: "models"; models: ModelInfo[] }
  | { type: "pending"; pending: Pending[] }
  | { type: "chips"; chips: Chip[] }
  | { type: "completions"; id: number; items: CompletionItem[] }
  | { type: "sent"; ok: boolean; problem?: string }
  | { type: "insert"; text: string }
  | { type: "show"; messageId: string }
  | { type: "focus" };

export type FromView =
  | { type: "ready" }
  | { type: "prompt"; text: string; pictures: Picture[]; delivery: Delivery }
  | { type: "cancel"; toolCallId?: string; taskId?: string }
  | { type: "complete"; id: number; text: string; offset: number }
  | { type: "chip"; id: Chip["id"]; on: boolean }
  | {
      type: "permission";
      requestId: string;
      optionId: string;
      feedback?: string;
      editedInput?: unknown;
    }
  | { type: "ask"; requestId: string; result: AskResult }
  | { type: "subject"; requestId: string }
  | { type: "config"; set: ConfigChange }
  | { type: "open"; uri: string; range?: Range }
  | { type: "link"; href: string }
  | { type: "diff"; file: FileDiff; title: string }
  | { type: "copy"; text: string }
  | { type: "apply"; text: string }
  | { type: "queue"; op: "remove" | "move"; messageId: string; to?: number }
  /** All changes of the session, or those of one call. */
  | { type: "review"; action: ReviewAction; toolCallId?: string }
  | { type: "rewind"; messageId: string }
  | { type: "fork"; messageId: string }
  | { type: "command"; name: ViewCommand };

/** The commands that buttons of the view stand for. */
export const VIEW_COMMANDS = [
  "bowline.session.new",
  "bowline.session.list",
  "bowline.session.rename",
  "bowline.session.rewind",
  "bowline.session.unrewind",
  "bowline.session.context",
  "bowline.session.compact",
  "bowline.server.restart",
  "bowline.settings",
  "bowline.change.next",
] as const;
export type ViewCommand = (typeof VIEW_COMMANDS)[number];

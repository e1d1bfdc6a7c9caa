// Generated from the protocol crate, do not edit: BOWLINE_BLESS=1 cargo test -p protocol
//
// Enums are open and unions list what this version knows: keep a default branch.

/** Another agent ended. */
export interface AgentEnded {
  /** The agent. */
  agentId: string;
  /** Which agent it is. */
  agentType: string;
  /** How long it worked. */
  durationMs?: number;
  /** The call that started it. */
  parentToolCallId: string;
  /** How it ended. */
  status?: ToolStatus;
  /** How many tokens it took. */
  tokens?: number;
  /** How many calls it made. */
  toolCalls?: number;
  type: "agent.ended";
}

/** An agent that a session can start. */
export interface AgentInfo {
  /** What it is for. */
  description: string;
  /** Its name. */
  name: string;
}

/** Another agent began. */
export interface AgentStarted {
  /** The agent. */
  agentId: string;
  /** Which agent it is, for example `Explore`. (`type` is the event's own.) */
  agentType: string;
  /**
   * The colour that its file wants it to be shown in: red, blue, green, yellow, purple,
   * orange, pink or cyan.
   */
  color?: string;
  /** What it was asked, in one line. */
  description?: string;
  /** The name by which others write to it. */
  name?: string;
  /** The call that started it. */
  parentToolCallId: string;
  type: "agent.started";
}

/** What the user did with a question. */
export type AskAction = "accept" | "decline" | "cancel" | (string & {});

/** Exactly one of `questions`, `form` and `url` is present. */
export interface AskParams {
  /** A form. */
  form?: Form;
  /** One or two sentences above the questions, the form or the link. */
  message?: string;
  /** Questions with choices. */
  questions?: Question[];
  /** The id that `agent/ask/respond` and `agent/request/resolved` name. */
  requestId: string;
  /** The session that asks. */
  sessionId: string;
  /** A page to open in a browser, for example to sign in. */
  url?: string;
}

/** The same from a door that was not asked. */
export interface AskRespondParams {
  /** Whether there is an answer. */
  action: AskAction;
  /** As in the answer to `agent/ask`. */
  content?: Record<string, unknown>;
  /** The question's id. */
  requestId: string;
}

/** What the user did. */
export interface AskResult {
  /** Whether there is an answer. */
  action: AskAction;
  /**
   * With `accept`: question id or form field → answer. A question's answer is a string, or
   * a list of strings when several choices were allowed.
   */
  content?: Record<string, unknown>;
}

/** Who wrote a hunk. */
export type Author = "agent" | (string & {});

/** What happened while nobody listened, for the client that is back. */
export interface AwaySummarized {
  /** A few sentences. */
  text: string;
  type: "away.summarized";
}

/** One part of a prompt. */
export type Block = TextBlock | ImageBlock | DocumentBlock | FileBlock | SelectionBlock | DiagnosticsBlock | ResourceBlock;

/** Where a session stands after a cancel. */
export type CancelState = "cancelled" | "idle" | "running" | (string & {});

/** A point to rewind to. */
export interface CheckpointCreated {
  /** The user's message it stands before. */
  messageId: string;
  type: "checkpoint.created";
}

/** A process the server started. */
export interface ChildProcess {
  /** Its process id. */
  pid: number;
  /** What it is, for example `shell: cargo test` or `mcp: github`. */
  what: string;
}

/** One choice of a question. */
export interface Choice {
  /** What taking it means. */
  description?: string;
  /** What the user sees, and what the answer holds. */
  label: string;
}

/** What a client can do. Each flag says: you may send me that family of requests. */
export interface ClientCapabilities {
  /** `agent/ask`. */
  ask?: boolean;
  /** `agent/diff/show`. */
  diff?: boolean;
  /** `agent/editor/…`, one flag for each request or notification. */
  editor?: EditorCapabilities;
  /** `agent/permission/request`. */
  permission?: boolean;
  /** The client shows what the event `status.line` says; without it no command is run for it. */
  statusLine?: boolean;
  /** The client offers what the event `suggestion` says; without it nothing is guessed. */
  suggestion?: boolean;
  /** `agent/terminal/run`. */
  terminal?: boolean;
  /**
   * The client shows what the event `tools.summarized` says; it costs a question for every
   * few calls.
   */
  toolSummaries?: boolean;
  /** The version of the contract the client speaks. */
  version: number;
}

/** A `/command`. */
export interface Command {
  /** What may follow it, for example `[file]`. */
  argumentHint?: string;
  /** What it does. */
  description: string;
  /** Its name, without the slash. */
  name: string;
  /** Where it comes from: `built-in`, `managed`, `user`, `project`, `plugin` or `bundled`. */
  source?: string;
}

/** A prompt that was a `/command` was carried out, without the model. */
export interface CommandOutput {
  /** The command as the user wrote it, for example `/cost`. */
  command: string;
  /** The prompt. */
  messageId: string;
  /** What it says, as plain text. */
  text: string;
  type: "command.output";
}

/** One command of a command line, with its words as they will be. */
export interface CommandPart {
  /** Files it names to be read, as paths. */
  reads: string[];
  /** The program and its arguments. */
  words: string[];
  /** Files it names to be written, as paths. */
  writes: string[];
}

/** Running a command. */
export interface CommandSubject {
  /** The command line. */
  command: string;
  /** The folder it runs in, as a path. */
  cwd: string;
  kind: "command";
  /** How many more commands it consists of than `parts` names. */
  moreParts?: number;
  /** What it consists of, as far as that is known before it runs. */
  parts?: CommandPart[];
  /**
   * How it would be kept in, for example `bubblewrap, network off`; absent when nothing
   * keeps it in.
   */
  sandbox?: string;
}

/** The commands or agents of the session changed. */
export interface CommandsUpdated {
  /** All agents; absent when they are as before. */
  agents?: AgentInfo[];
  /** All commands. */
  commands: Command[];
  type: "commands.updated";
}

/** The conversation was summed up, or that failed. */
export interface CompactionEnded {
  /** Tokens in the context after. */
  after: number;
  /** Tokens in the context before. */
  before: number;
  /** What went wrong; the conversation is then as before. */
  error?: Problem;
  /** The summary. */
  summary?: string;
  /** Why. */
  trigger: CompactionTrigger;
  type: "compaction.ended";
}

/** The conversation is being summed up. */
export interface CompactionStarted {
  /** Tokens in the context before. */
  before: number;
  /** Why. */
  trigger: CompactionTrigger;
  type: "compaction.started";
}

/** Why a conversation is summed up. */
export type CompactionTrigger = "manual" | "auto" | (string & {});

/** The prompt so far and the place of the caret. */
export interface CompleteParams {
  /** The caret, counted from the start of `text` in the negotiated position encoding. */
  offset: number;
  /** The session whose commands, files and servers are meant. */
  sessionId?: string;
  /** The whole text of the prompt. */
  text: string;
}

/** What fits, the best first. */
export interface CompleteResult {
  /** The proposals. */
  items: CompletionItem[];
}

/** One proposal. */
export interface CompletionItem {
  /** A short explanation beside the label. */
  detail?: string;
  /** Where it ends. */
  end: number;
  /** What replaces the text from `start` to `end`. */
  insertText: string;
  /** What it stands for. */
  kind: CompletionKind;
  /** What the list shows. */
  label: string;
  /** Where the replaced text starts, counted like `offset`. */
  start: number;
}

/** What a proposal stands for. */
export type CompletionKind = "command" | "file" | "folder" | "agent" | "resource" | "memory" | (string & {});

/** The settings of a session. */
export interface Config {
  /** How hard the model works; absent for the model's own way. */
  effort?: Effort;
  /** With `budget`: how many tokens it may think. */
  maxThinkingTokens?: number;
  /** The permission mode. */
  mode: Mode;
  /** The model's id. */
  model: string;
  /** The output style; absent for the default one. */
  outputStyle?: string;
  /** Whether the model thinks, where somebody chose; absent for the model's own way. */
  thinking?: Thinking;
}

/** Settings to change; a setting that is absent stays. */
export interface ConfigChange {
  /** How hard the model works. */
  effort?: Effort;
  /** Tokens that a model with a budget may think; 0 for none. Stronger than `thinking`. */
  maxThinkingTokens?: number;
  /** The permission mode. */
  mode?: Mode;
  /** The model's id. */
  model?: string;
  /** The output style. */
  outputStyle?: string;
  /** Whether the model thinks. */
  thinking?: Thinking;
}

/** The settings of the session changed. */
export interface ConfigUpdated {
  /** All of them. */
  config: Config;
  type: "config.updated";
}

/** One part of what a tool call gave. */
export type ContentPart = TextPart | DiffPart | OutputPart | ImagePart | LinkPart;

/** A part of the context. */
export type ContextKind = "system" | "tools" | "mcpTools" | "memory" | "agents" | "messages" | "reserved" | "free" | (string & {});

/** A part of the context. */
export interface ContextShare {
  /** What it is. */
  kind: ContextKind;
  /** How many tokens it takes. */
  tokens: number;
}

/** How full the context is and what the session has cost. */
export interface ContextUsage {
  /** What the session has cost so far, in US dollars. */
  costUsd: number;
  /** Tokens in the context. */
  used: number;
  /** Tokens that fit. */
  window: number;
}

/** Creates a file. */
export interface CreateFile {
  kind: "create";
  /** What to do when it exists. */
  options?: FileOptions;
  /** The new file. */
  uri: string;
}

/** Deletes a file. */
export interface DeleteFile {
  kind: "delete";
  /** What to do when it is missing. */
  options?: FileOptions;
  /** The file. */
  uri: string;
}

/** What to do with a prompt while a turn runs. */
export type Delivery = "auto" | "queue" | "steer" | (string & {});

/** What a language server or a linter found. */
export interface Diagnostic {
  /** The rule, a string or a number. */
  code?: unknown;
  /** Kept for the server that found it, when its quick fixes are asked for. */
  data?: unknown;
  /** What is wrong. */
  message: string;
  /** Where. */
  range: Range;
  /** Places that explain it, as LSP's `DiagnosticRelatedInformation`. */
  relatedInformation?: unknown[];
  /** 1 error, 2 warning, 3 information, 4 hint. */
  severity?: number;
  /** Who found it. */
  source?: string;
  /** 1 unnecessary, 2 deprecated. */
  tags?: number[];
}

/** Diagnostics that the prompt is about. */
export interface DiagnosticsBlock {
  /** The diagnostics. */
  items: Diagnostic[];
  type: "diagnostics";
  /** The document. */
  uri: string;
  /** The version the diagnostics belong to; null when the file is not open. */
  version: number | null;
}

/** A change of a file. */
export interface DiffPart {
  /** The text after; null for a deleted file. */
  newText: string | null;
  /** The text before; null for a new file. */
  oldText: string | null;
  type: "diff";
  /** The file. */
  uri: string;
  /** The version of `oldText`; null when the file is not open in the editor. */
  version: number | null;
}

/** A change of one or several files. */
export interface DiffShowParams {
  /** The files. */
  files: FileDiff[];
  /** The id of the diff; showing the same id again replaces it. */
  id: string;
  /** True: the caret stays where the user types. */
  preserveFocus: boolean;
  /** The session that made the change. */
  sessionId: string;
  /** The title of the view. */
  title: string;
}

/** Whether the change is on the screen. */
export interface DiffShowResult {
  /** False when the editor could not show it. */
  shown: boolean;
}

/** What became of a prompt. */
export type Disposition = "started" | "queued" | "steered" | "handled" | (string & {});

/** A PDF, either inline or by reference. */
export interface DocumentBlock {
  /** The bytes in Base64. */
  data?: string;
  /** `application/pdf`. */
  mimeType: string;
  /** Its name for people. */
  title?: string;
  type: "document";
  /** The file, when `data` is absent. */
  uri?: string;
}

/** One step of a workspace edit. */
export type DocumentChange = TextDocumentEdit | FileOperation;

/** A position in one version of a document. */
export interface DocumentPosition {
  /** The position. */
  position: Position;
  /** The document. */
  uri: string;
  /** The version that `position` belongs to; null when the file is not open in the editor. */
  version: number | null;
}

/** A piece of new text. */
export interface EditDeltaParams {
  /** The edit. */
  editId: string;
  /** What to append to the new text so far. */
  text: string;
  /** The document. */
  uri: string;
  /** The version that the edited range belongs to; null when the file is not open. */
  version: number | null;
}

/** What to change and how. */
export interface EditInlineParams {
  /** What the user wants. */
  instruction: string;
  /** What to change; empty to insert. */
  range: Range;
  /** The session to use; a new one without it. */
  sessionId?: string;
  /** The document as the user sees it. */
  textDocument: VersionedDocument;
}

/** An edit has begun. */
export interface EditStarted {
  /** The id of the edit in `agent/edit/delta` and `agent/inline/resolved`. */
  editId: string;
  /** The session that works on it. */
  sessionId: string;
}

/** Changing a file. */
export interface EditSubject {
  kind: "edit";
  /** The text after; null for a deleted file. */
  newText: string | null;
  /** The text before; null for a new file. */
  oldText: string | null;
  /** Other files that the same call changes, as with a rename. */
  others?: FileDiff[];
  /** Where the file really is, as a path, when links lead there. */
  target?: string;
  /** The file. */
  uri: string;
  /** The version of `oldText`; null when the file is not open in the editor. */
  version: number | null;
}

/** A change to make in the editor. */
export interface EditorApplyParams {
  /** The change; nothing of it may be applied when a version does not match. */
  edit: WorkspaceEdit;
  /** The name of the change in the editor's undo list. */
  label: string;
  /** Changes with the same group are undone together. */
  undoGroup: string;
}

/** What became of a change. */
export interface EditorApplyResult {
  /** True when all of it was applied. */
  applied: boolean;
  /** Why it was not applied. */
  reason?: string;
  /** The versions of the changed documents afterwards. */
  versions?: Record<string, number>;
}

/** Which part of the `agent/editor/…` family a client has. */
export interface EditorCapabilities {
  /** `agent/editor/apply`. */
  apply?: boolean;
  /** The client sends `agent/editor/diagnostics`. */
  diagnostics?: boolean;
  /** The client sends `agent/editor/focus`. */
  focus?: boolean;
  /** `agent/editor/languageServer`. */
  languageServer?: boolean;
  /** `agent/editor/reveal`. */
  reveal?: boolean;
  /** `agent/editor/save`. */
  save?: boolean;
  /** `agent/editor/text`. */
  text?: boolean;
}

/** Everything one source found in one document; replaces what it said before. */
export interface EditorDiagnosticsParams {
  /** The diagnostics; empty when all is well. */
  items: Diagnostic[];
  /** Who found them, for example `rust-analyzer`. */
  source: string;
  /** The document. */
  uri: string;
  /** The version the diagnostics belong to; null when the file is not open. */
  version: number | null;
}

/** Whether a document has unsaved changes. */
export interface EditorDirtyParams {
  /** True when it has. */
  dirty: boolean;
  /** The document. */
  uri: string;
}

/** What the user looks at. */
export interface EditorFocusParams {
  /** The selections, the main one first; a caret is an empty range. */
  selections: Range[];
  /** The document. */
  uri: string;
  /** The version the selections belong to; null when the file is not open. */
  version: number | null;
  /** The part on the screen. */
  visible?: Range;
}

/** Whether the user follows the agent. */
export interface EditorFollowParams {
  /** True from now on; nobody is followed before it is said. */
  on: boolean;
}

/** A place to show. */
export interface EditorRevealParams {
  /** True: the caret stays where the user types. */
  preserveFocus: boolean;
  /** The place; absent for just the document. */
  range?: Range;
  /** The document. */
  uri: string;
}

/** Documents to save. */
export interface EditorSaveParams {
  /** The documents. */
  uris: string[];
}

/** What became of the documents to save. */
export interface EditorSaveResult {
  /** Not saved. */
  failed: SaveFailure[];
  /** Saved. */
  saved: string[];
}

/** The document whose text is wanted. */
export interface EditorTextParams {
  /** The document. */
  uri: string;
}

/** A document as the user sees it. */
export interface EditorTextResult {
  /** All of it. */
  text: string;
  /** The version of the text. */
  version: number;
}

/** How hard a model works. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max" | (string & {});

/**
 * Parameters or a result without content: written as `{}`, read from anything.
 *
 * Editors answer such requests with null as often as with an object, and both mean "done".
 */
export type Empty = Record<string, never>;

/** One event of a session: the header, then the fields of its type beside it. */
export type Event = {
  /** When, in milliseconds since 1970 UTC. */
  at: number;
  /** Its number in the session: one more than the event before, no gaps. */
  seq: number;
  /** The session it happened in. */
  sessionId: string;
} & EventBody;

/** What happened, told apart by `type`. */
export type EventBody = TurnStarted | TurnEnded | MessageStarted | MessageDelta | MessageEnded | MessageRetracted | ThoughtStarted | ThoughtDelta | ThoughtEnded | ToolStarted | ToolInputDelta | ToolUpdated | ToolEnded | PlanUpdated | TodosUpdated | QueueUpdated | ConfigUpdated | CommandsUpdated | McpUpdated | CommandOutput | UsageUpdated | CompactionStarted | CompactionEnded | Retry | Notice | HookStarted | HookEnded | TaskStarted | TaskUpdated | TaskEnded | AgentStarted | AgentEnded | HunkAdded | HunkUpdated | HunkResolved | HunksMoved | CheckpointCreated | SessionRewound | SessionUnrewound | SessionUpdated | Suggestion | StatusLineUpdated | ToolsSummarized | AwaySummarized;

/** How a session is written out. */
export type ExportFormat = "markdown" | "jsonl" | (string & {});

/** Reading a page. */
export interface FetchSubject {
  kind: "fetch";
  /** The page. */
  url: string;
}

/** A file, or a part of one, that the model shall see. */
export interface FileBlock {
  /** The part; absent for the whole file. */
  range?: Range;
  type: "file";
  /** The file. */
  uri: string;
  /** The version the client saw; absent or null when the file is not open. */
  version?: number;
}

/** A change of one file. */
export interface FileDiff {
  /** The text after; null for a deleted file. */
  newText: string | null;
  /** The text before; null for a new file. */
  oldText: string | null;
  /** The file. */
  uri: string;
  /** The version of `oldText`; null when the file is not open in the editor. */
  version: number | null;
}

/** Creating, renaming or deleting a file. */
export type FileOperation = CreateFile | RenameFile | DeleteFile;

/** What a file operation does when the target exists or is missing. */
export interface FileOptions {
  /** Do nothing when the target exists. */
  ignoreIfExists?: boolean;
  /** Do nothing when the source is missing. */
  ignoreIfNotExists?: boolean;
  /** Replace what exists. */
  overwrite?: boolean;
  /** Delete a folder with its content. */
  recursive?: boolean;
}

/** What to fix. */
export interface FixDiagnosticsParams {
  /** The diagnostics. */
  diagnostics: Diagnostic[];
  /** The session to use; a new one without it. */
  sessionId?: string;
  /** The document the diagnostics belong to. */
  textDocument: VersionedDocument;
}

/** A form to fill in. */
export interface Form {
  /** A JSON Schema of one flat object. */
  schema: unknown;
}

/** A hook ended. */
export interface HookEnded {
  /** How long it ran. */
  durationMs: number;
  /** What it hooks. */
  event: string;
  /** This run of the hook. */
  hookId: string;
  /** How it ended. */
  outcome: HookOutcome;
  /** What it said to the user. */
  text?: string;
  type: "hook.ended";
}

/** How a hook ended. */
export type HookOutcome = "success" | "blocked" | "failed" | "cancelled" | (string & {});

/** A hook began. */
export interface HookStarted {
  /** What it hooks, for example `PreToolUse`. */
  event: string;
  /** This run of the hook. */
  hookId: string;
  /** The hook for people, for example its command. */
  title: string;
  /** The call it looks at. */
  toolCallId?: string;
  type: "hook.started";
}

/** A command in the sandbox reaching out to a host. */
export interface HostSubject {
  /** The host's name or address. */
  host: string;
  kind: "host";
  /** The port. */
  port: number;
}

/** One change of the agent in one place. */
export interface Hunk {
  /** Who wrote it. */
  author: Author;
  /** Its id. */
  id: string;
  /** The text after. */
  newText: string;
  /** The text before. */
  oldText: string;
  /** Where `newText` is now. */
  range: Range;
  /** The session that made it. */
  sessionId: string;
  /** Where the review stands. */
  state: HunkState;
  /** The call that made it. */
  toolCallId: string;
  /** The turn that made it. */
  turnId: string;
  /** The document. */
  uri: string;
  /** The version that `range` belongs to; null when the file is not open in the editor. */
  version: number | null;
}

/** The agent changed a text. */
export interface HunkAdded {
  /** The change. */
  hunk: Hunk;
  type: "hunk.added";
}

/** A hunk was accepted, rejected or superseded. */
export interface HunkResolved {
  /** The change as it is now. */
  hunk: Hunk;
  type: "hunk.resolved";
}

/** What became of one hunk. */
export interface HunkResult {
  /** The hunk. */
  hunkId: string;
  /** Why nothing was done, for example because the user has changed the same text since. */
  reason?: string;
  /** Where its review stands now. */
  state: HunkState;
}

/** Where the review of a hunk stands. */
export type HunkState = "pending" | "accepted" | "rejected" | "superseded" | (string & {});

/** A hunk looks different, because somebody wrote in it. */
export interface HunkUpdated {
  /** The change as it is now. */
  hunk: Hunk;
  type: "hunk.updated";
}

/** Pending hunks of one document are at other places, because the text around them changed. */
export interface HunksMoved {
  /** The hunks whose range is not the one that was sent last. */
  hunks: MovedHunk[];
  type: "hunks.moved";
  /** The document. */
  uri: string;
  /** The version the ranges belong to; null when the file is not open in the editor. */
  version: number | null;
}

/** A picture, either inline or by reference. */
export interface ImageBlock {
  /** The bytes in Base64. */
  data?: string;
  /** In pixels, where the server shows what was attached. */
  height?: number;
  /** For example `image/png`. */
  mimeType: string;
  type: "image";
  /** Where the picture is, when `data` is absent: a file, or a page of the web. */
  uri?: string;
  /** In pixels, where the server shows what was attached. */
  width?: number;
}

/** A picture. */
export interface ImagePart {
  /** The bytes in Base64; absent when there are many, and in a snapshot. */
  data?: string;
  /** In pixels. */
  height?: number;
  /** For example `image/png`. */
  mimeType: string;
  /** How many bytes there are. */
  size?: number;
  type: "image";
  /** In pixels. */
  width?: number;
}

/** The outcome of an inline edit. */
export interface InlineResolvedParams {
  /** What the user did. */
  action: ReviewAction;
  /** The edit. */
  editId: string;
}

/** A question to the other language servers of a document. */
export interface LanguageServerParams {
  /** The LSP method, for example `textDocument/definition`. */
  method: string;
  /** Its parameters. */
  params: unknown;
  /** The document that decides which servers are asked. */
  uri: string;
}

/** Some lines, counted from zero; `end` is not part of them. */
export interface LineSpan {
  /** The line after the last one. */
  end: number;
  /** The first line. */
  start: number;
}

/** A pointer to a file, a page or an MCP resource. */
export interface LinkPart {
  /** The name for people. */
  title?: string;
  type: "link";
  /** Where it points. */
  uri: string;
}

/** A loaded session. */
export interface LiveSession {
  /** The session. */
  sessionId: string;
  /** Where it stands. */
  status: SessionStatus;
}

/** A place in a document. */
export interface Location {
  /** The place; absent for the whole document. */
  range?: Range;
  /** The document's URI. */
  uri: string;
  /** The version the range belongs to; null when the file is not open in the editor. */
  version: number | null;
}

/** What to do with an MCP server. */
export type McpOp = "list" | "reconnect" | "authenticate" | "enable" | "disable" | "approve" | "set" | (string & {});

/** What to do with which server. */
export interface McpParams {
  /** What to do. */
  op: McpOp;
  /** The server; needed by every operation but `list`. */
  server?: string;
  /** With `set`: name → configuration, as in an MCP settings file. */
  servers?: Record<string, unknown>;
  /** The session whose servers are meant. */
  sessionId?: string;
}

/** The servers after the operation. */
export interface McpResult {
  /** All of them. */
  servers: McpServer[];
}

/** An MCP server. */
export interface McpServer {
  /** The page to open to sign in, after `authenticate`. */
  authUrl?: string;
  /**
   * Tools that are not what they were when the user agreed to them; they are not used until
   * `approve`.
   */
  changed?: McpToolChange[];
  /** Why it is not connected, in one sentence. */
  error?: string;
  /** What happened with it lately, the oldest line first; only of a server that `list` names. */
  log?: string[];
  /** The name it has in the settings. */
  name: string;
  /** Its prompts, as commands without the slash. */
  prompts?: string[];
  /** How many resources it has. */
  resources?: number;
  /**
   * What keeps its program in: `user` (as the user's own program), `strict` (as a command),
   * `off` (nothing, as its configuration says) or `none` (there is no sandbox).
   */
  sandbox?: string;
  /** Which settings name it: `user`, `project`, `local`, `session` … */
  scope?: string;
  /** Where it stands. */
  status: McpStatus;
  /** The names of its tools, as the model calls them. */
  tools: string[];
  /** How it is reached: `stdio`, `http`, `sse` … */
  transport: string;
}

/** Where an MCP server stands. */
export type McpStatus = "connected" | "connecting" | "failed" | "needsAuth" | "untrusted" | "disabled" | (string & {});

/** Calling a tool of an MCP server. */
export interface McpSubject {
  /** The tool's input. */
  input: unknown;
  kind: "mcp";
  /** The server. */
  server: string;
  /** The tool. */
  tool: string;
}

/** A tool that its server describes otherwise than before. */
export interface McpToolChange {
  /** What is different, as a unified diff of the description and the schema. */
  diff: string;
  /** As the model calls it. */
  tool: string;
}

/** An MCP server connected, failed, wants a sign-in, or has other tools. */
export interface McpUpdated {
  /** All servers, without their logs. */
  servers: McpServer[];
  type: "mcp.updated";
}

/** A note. */
export interface MemoryAddParams {
  /** Whose memory. */
  scope: MemoryScope;
  /** The session whose project is meant; needed unless `scope` is `user`. */
  sessionId?: string;
  /** The note. */
  text: string;
}

/** Where the note went. */
export interface MemoryAddResult {
  /** The file, as a path. */
  path: string;
}

/** A memory file. */
export interface MemoryFile {
  /** The file that imports it. */
  importedBy?: string;
  /** The file, as a path; `claudeMd` for what the managed settings say. */
  path: string;
  /** Whose memory it is. */
  scope: MemoryScope;
  /** What it says, when that was asked for. */
  text?: string;
}

/** Which memory files are asked about. */
export interface MemoryListParams {
  /** The file whose text is wanted too. */
  path?: string;
  /** The session. */
  sessionId: string;
}

/** What a session goes by. */
export interface MemoryListResult {
  /** The files, in the order in which the model reads them. */
  files: MemoryFile[];
}

/** Whose memory it is. */
export type MemoryScope = "user" | "project" | "local" | "managed" | "auto" | (string & {});

/** More text of a message. */
export interface MessageDelta {
  /** The message. */
  messageId: string;
  /** Who writes it. */
  role: Role;
  /** What to append. */
  text: string;
  type: "message.delta";
}

/** A message is complete. */
export interface MessageEnded {
  /** The message. */
  messageId: string;
  /** Who wrote it. */
  role: Role;
  /** The whole text, when it is not just the deltas one after the other. */
  text?: string;
  type: "message.ended";
}

/** The request is sent again: what was shown of this message, thoughts too, never was. */
export interface MessageRetracted {
  /** The message. */
  messageId: string;
  type: "message.retracted";
}

/** A message began. */
export interface MessageStarted {
  /** What came with it besides words, such as a selection; pictures without their bytes. */
  attachments?: Block[];
  /** The message. */
  messageId: string;
  /** The call that started the agent which writes it. */
  parentToolCallId?: string;
  /** Who writes it. */
  role: Role;
  /** The whole text, for a message that does not stream, such as the user's. */
  text?: string;
  type: "message.started";
}

/** What the agent may do without asking. */
export type Mode = "default" | "acceptEdits" | "plan" | "auto" | "bypassPermissions" | "dontAsk" | (string & {});

/** Choosing a mode that asks nothing any more. Asked once on a machine. */
export interface ModeSubject {
  kind: "mode";
  /** The mode. */
  mode: string;
}

/** A model that a session can use. */
export interface ModelInfo {
  /** How many tokens fit into its context. */
  contextWindow?: number;
  /** One sentence for a picker. */
  description?: string;
  /** The efforts it accepts; absent when it has none. */
  efforts?: Effort[];
  /** The id to use in `config.model`. */
  id: string;
  /** True for the model that a session gets when none is named. */
  isDefault?: boolean;
  /** The name for people. */
  name: string;
  /** Who serves it: `anthropic`, `bedrock`, `vertex`, `openai`, `rehearsal` … */
  provider: string;
  /** True when thinking can be switched on or off. */
  thinking?: boolean;
}

/** The model a new session gets. */
export interface ModelStatus {
  /** Its id. */
  id: string;
  /** What is wrong, in one sentence that says what to do. */
  problem?: string;
  /** Who serves it. */
  provider: string;
}

/** What one model has cost. */
export interface ModelUsage {
  /** In US dollars; 0 for a model without a known price. */
  costUsd: number;
  /** Tokens that an answer may have. */
  maxOutput: number;
  /** Its id. */
  model: string;
  /** The tokens. */
  usage: Usage;
  /** Searches of the web that the provider ran. */
  webSearches?: number;
  /** Tokens that fit. */
  window: number;
}

/** Where a hunk is now. */
export interface MovedHunk {
  /** The hunk's id. */
  id: string;
  /** Its range. */
  range: Range;
}

/** Something the user should know. */
export interface Notice {
  /** How bad it is. */
  severity: Severity;
  /** What it is, and what to do. */
  text: string;
  type: "notice";
}

/** Whether an option allows. */
export type OptionKind = "allow" | "deny" | (string & {});

/** How long an answer holds. */
export type OptionScope = "once" | "turn" | "session" | "project" | "user" | (string & {});

/** What a command printed. */
export interface OutputPart {
  /** The exit code; absent when it was killed or still runs. */
  exitCode?: number;
  /** Standard output and standard error as they came. */
  text: string;
  /** How many bytes were left out, when the output was cut. */
  truncatedBytes?: number;
  type: "output";
}

/** A request that still waits for an answer. */
export type Pending = PendingPermission | PendingAsk;

/** A question. */
export interface PendingAsk {
  /** The question. */
  request: AskParams;
  type: "ask";
}

/** A permission request. */
export interface PendingPermission {
  /** The request. */
  request: PermissionRequestParams;
  type: "permission";
}

/** The user's answer. */
export interface PermissionAnswer {
  /** The input to use instead of the model's. */
  editedInput?: unknown;
  /** What the agent shall do instead; it reads this with the denial. */
  feedback?: string;
  /** The chosen option. */
  optionId: string;
}

/** One answer to choose. */
export interface PermissionOption {
  /** What the answer names. */
  id: string;
  /** Whether it allows. */
  kind: OptionKind;
  /** What the user sees. */
  label: string;
  /** The rule that choosing it adds, for example `Bash(cargo test:*)`. */
  rule?: string;
  /** How long it holds. */
  scope: OptionScope;
}

/** What the agent wants to do. */
export interface PermissionRequestParams {
  /** The agent that asks, where it is not the one that leads the session. */
  agent?: string;
  /** True when the answer may carry `editedInput`. */
  editable?: boolean;
  /** The answers to choose from, the safest "allow" first. */
  options: PermissionOption[];
  /** Why it is asked and not simply done, in one sentence. */
  reason: string;
  /** The id that `agent/permission/respond` and `agent/request/resolved` name. */
  requestId: string;
  /** The session that asks. */
  sessionId: string;
  /** What it is about. */
  subject: Subject;
  /** The question in one line, for example `Run cargo test?`. */
  title: string;
  /** The call that waits; absent when none does, as for `trust`. */
  toolCall?: ToolCall;
  /** The turn that asks; absent when no turn runs, as for `trust`. */
  turnId?: string;
}

/** The user's answer, from a door that did not get the request. */
export interface PermissionRespondParams {
  /** The input to use instead of the model's. */
  editedInput?: unknown;
  /** What the agent shall do instead; it reads this with the denial. */
  feedback?: string;
  /** The chosen option. */
  optionId: string;
  /** The request. */
  requestId: string;
}

/** A permission rule. */
export interface PermissionRule {
  /** What it says. */
  behavior: RuleBehavior;
  /** The rule. */
  rule: string;
  /** Where it is kept. */
  scope: RuleScope;
  /** Who set it, in words for people. */
  setBy?: string;
  /** The file it comes from, as a path; absent for a rule that lives in memory. */
  source?: string;
}

/** What to do with which rule. */
export interface PermissionRulesParams {
  /** What the rule says; needed by `add` and `remove`. */
  behavior?: RuleBehavior;
  /** What to do. */
  op: RuleOp;
  /** The rule, for example `Bash(cargo test:*)`; needed by `add` and `remove`. */
  rule?: string;
  /** Where the rule is kept; `session` without it. With `list`: only these. */
  scope?: RuleScope;
  /** The session whose project is meant; needed unless `scope` is `user`. */
  sessionId?: string;
}

/** The rules after the operation. */
export interface PermissionRulesResult {
  /** With `list`: what was refused lately in this session, the newest first. */
  denials?: RecentDenial[];
  /** All of them, in the order in which they are asked. */
  rules: PermissionRule[];
}

/** One step of a plan. */
export interface PlanEntry {
  /** What is to be done. */
  content: string;
  /** Where it stands. */
  status: TodoStatus;
}

/** Leaving plan mode to carry a plan out. */
export interface PlanSubject {
  kind: "plan";
  /** The plan in Markdown. */
  text: string;
}

/** The plan changed. */
export interface PlanUpdated {
  /** The whole plan. */
  entries: PlanEntry[];
  type: "plan.updated";
}

/** A place in a text, counted in the negotiated position encoding. */
export interface Position {
  /** Column, from zero, in code units of the negotiated encoding. */
  character: number;
  /** Line, from zero. */
  line: number;
}

/** What went wrong. */
export interface Problem {
  /** What kind of problem it is. */
  kind: ProblemKind;
  /** One sentence that says what to do. */
  message: string;
  /** The HTTP status, when there was one. */
  status?: number;
}

/** What kind of problem it is. */
export type ProblemKind = "authentication" | "billing" | "rateLimit" | "overloaded" | "network" | "invalidRequest" | "internal" | (string & {});

/** A question with choices. */
export interface Question {
  /** True when an answer beside the choices is welcome. */
  freeText?: boolean;
  /** A word or two, for a tab or a chip. */
  header?: string;
  /** The key of the answer in `content`. */
  id: string;
  /** True when several choices may be taken. */
  multiSelect?: boolean;
  /** The choices; empty means free text. */
  options: Choice[];
  /** The question. */
  text: string;
}

/** What to do with the prompts that wait. */
export type QueueOp = "list" | "remove" | "replace" | "move" | "start" | (string & {});

/** The prompts that wait changed. */
export interface QueueUpdated {
  /** All of them, the next one first. */
  queue: QueuedPrompt[];
  type: "queue.updated";
}

/** A prompt that waits. */
export interface QueuedPrompt {
  /** The prompt. */
  content: Block[];
  /** The id of the message it will become. */
  messageId: string;
}

/** A stretch of text; `end` is not part of it. */
export interface Range {
  /** Where it ends. */
  end: Position;
  /** Where it starts. */
  start: Position;
}

/** Reading a file outside the session's folders. */
export interface ReadSubject {
  kind: "read";
  /** Where it really is, as a path, when links lead there. */
  target?: string;
  /** The file or folder. */
  uri: string;
}

/** Something that was not allowed. */
export interface RecentDenial {
  /** When, in milliseconds since 1970. */
  at: number;
  /** Why not. */
  reason: string;
  /** What it was to do, in one line. */
  title: string;
  /** The tool. */
  tool: string;
}

/** Renames a file. */
export interface RenameFile {
  kind: "rename";
  /** What it will be called. */
  newUri: string;
  /** The file as it is called now. */
  oldUri: string;
  /** What to do when the new name exists. */
  options?: FileOptions;
}

/** A request that needs no answer any more. */
export interface RequestResolvedParams {
  /** Who settled it. */
  by: ResolvedBy;
  /** The `requestId` of `agent/permission/request` or `agent/ask`. */
  requestId: string;
}

/** Who settled a request. */
export type ResolvedBy = "client" | "hook" | "rule" | "timeout" | "cancelled" | (string & {});

/** A resource of an MCP server. */
export interface ResourceBlock {
  /** The server's name. */
  server: string;
  type: "resource";
  /** The resource's URI. */
  uri: string;
}

/** A request to the model failed and will be sent again. */
export interface Retry {
  /** Which attempt failed, from one. */
  attempt: number;
  /** How long until the next one. */
  delayMs: number;
  /** What went wrong. */
  error: Problem;
  type: "retry";
}

/** What the user did with a change. */
export type ReviewAction = "accept" | "reject" | (string & {});

/** Which file to compare. */
export interface ReviewDiffParams {
  /** The document. */
  uri: string;
}

/** Both sides of the comparison. */
export interface ReviewDiffResult {
  /**
   * The text with all pending hunks switched off, and the text as it is now; null when no hunk
   * of this file is pending.
   */
  diff: FileDiff | null;
}

/** Which hunks; all without any field. */
export interface ReviewListParams {
  /** Only those of this session. */
  sessionId?: string;
  /** Only those of this turn. */
  turnId?: string;
  /** Only those of this document. */
  uri?: string;
}

/** The hunks, in the order of their files and places. */
export interface ReviewListResult {
  /** The hunks. */
  hunks: Hunk[];
}

/**
 * What to do with which hunks: exactly one of `hunkIds`, `uri`, `turnId`, `sessionId` and `at` is
 * present, or `uri` with `sessionId`. Rejecting a whole document, turn, session or call takes earlier hunks of it along that a
 * later one replaced and that would be pending again.
 */
export interface ReviewResolveParams {
  /** What to do. */
  action: ReviewAction;
  /** The pending hunk at this position, as the server finds it in that version of the document. */
  at?: DocumentPosition;
  /** What the user wants instead; the agent reads it with the next prompt. */
  comment?: string;
  /** These hunks. */
  hunkIds?: string[];
  /** With one hunk: only these lines of its new text; the rest stays pending. */
  lines?: LineSpan[];
  /** All pending hunks of this session; with `uri`, only those of that document. */
  sessionId?: string;
  /** With `sessionId`: only those of this tool call. */
  toolCallId?: string;
  /** All pending hunks of this turn. */
  turnId?: string;
  /** All pending hunks of this document. */
  uri?: string;
}

/** What became of the hunks. */
export interface ReviewResolveResult {
  /** One entry for each hunk. */
  results: HunkResult[];
  /** Hand it to `agent/session/unrewind` to take this decision back. */
  undoToken: string;
}

/** What a rewind does to a file. */
export type RewindChange = "restored" | "created" | "deleted" | (string & {});

/** A place that a rewind leaves alone. */
export interface RewindConflict {
  /** The place; absent for the whole file. */
  range?: Range;
  /** Why, in one sentence. */
  reason: string;
  /** The file. */
  uri: string;
  /** The version `range` belongs to; null when the file is not open in the editor. */
  version: number | null;
}

/** What goes back in a rewind. */
export type RewindWhat = "conversation" | "files" | "both" | (string & {});

/** A file that a rewind changes. */
export interface RewoundFile {
  /** How many lines come back. */
  addedLines: number;
  /** What happens to it. */
  change: RewindChange;
  /** How many lines go. */
  removedLines: number;
  /** The file. */
  uri: string;
  /** The version it has now; null when the file is not open in the editor. */
  version: number | null;
}

/** Who wrote a message. */
export type Role = "user" | "assistant" | "system" | (string & {});

/** What a rule says. */
export type RuleBehavior = "allow" | "ask" | "deny" | (string & {});

/** What to do with rules. */
export type RuleOp = "list" | "add" | "remove" | (string & {});

/** Where a rule is kept. */
export type RuleScope = "turn" | "session" | "local" | "project" | "user" | "managed" | (string & {});

/** What keeps commands in on this machine. */
export interface SandboxStatus {
  /** `bubblewrap`, `landlock`, `seatbelt` or `none`. */
  kind: string;
  /** Why there is none, or what it cannot do, in one sentence. */
  problem?: string;
}

/** A document that could not be saved. */
export interface SaveFailure {
  /** Why. */
  reason: string;
  /** The document. */
  uri: string;
}

/** What is selected in the editor. */
export interface SelectionBlock {
  /** Where. */
  range: Range;
  /** The selected text. */
  text: string;
  type: "selection";
  /** The document. */
  uri: string;
  /** The version the selection belongs to; null when the file is not open. */
  version: number | null;
}

/** What a server can do. */
export interface ServerCapabilities {
  /** Optional parts of the server by name, for example `rewind`; a missing name is false. */
  features: Record<string, boolean>;
  /** The models a session can be started with, the default one first. */
  models: ModelInfo[];
  /** The folder, as a path, where the server keeps sessions and settings. */
  stateDir: string;
  /** The version of the contract the server speaks. */
  version: number;
}

/** Which session to join, and from where on. */
export interface SessionAttachParams {
  /** Where a stored session goes on when its own folder is gone, as an absolute path. */
  cwd?: string;
  /** The session. */
  sessionId: string;
  /** The `seq` of the last event the client has; a snapshot is sent without it. */
  since?: number;
}

/**
 * A session to show. With `since`: the missed events, each once. Without, or when those are
 * no longer kept: a snapshot.
 */
export interface SessionAttachResult {
  /** The agents it can start. */
  agents: AgentInfo[];
  /** The `/commands` it has. */
  commands: Command[];
  /** Its settings. */
  config: Config;
  /** The events after `since`. */
  events: Event[];
  /** Requests that still wait for an answer. */
  pending: Pending[];
  /** The `seq` up to which all is told; the next event has the next number. */
  seq: number;
  /** The session's whole id; a beginning that fits only one will do to ask for it. */
  sessionId: string;
  /** The session as of `seq`. */
  snapshot?: Snapshot;
}

/** What to stop: the running turn without any of the optional fields. */
export interface SessionCancelParams {
  /** The session. */
  sessionId: string;
  /** This background task. */
  taskId?: string;
  /** Only this call; the turn goes on. */
  toolCallId?: string;
  /** Only if this turn still runs. */
  turnId?: string;
}

/** The state after stopping. */
export interface SessionCancelResult {
  /** Where the session stands. */
  state: CancelState;
}

/** How to sum up. */
export interface SessionCompactParams {
  /** What the summary must keep. */
  instructions?: string;
  /** The session. */
  sessionId: string;
}

/** Settings to change; nothing is changed without `set`. */
export interface SessionConfigParams {
  /** The session. */
  sessionId: string;
  /** The changes. */
  set?: ConfigChange;
}

/** The settings after the change. */
export interface SessionConfigResult {
  /** All of them. */
  config: Config;
}

/** What fills the context. */
export interface SessionContextResult {
  /** What uses them. */
  breakdown: ContextShare[];
  /** True when the provider counted `used`; an estimate without it. */
  counted?: boolean;
  /** Tokens in use. */
  used: number;
  /** Tokens that fit. */
  window: number;
}

/** What a session has cost. */
export interface SessionCostResult {
  /** Why the provider's prompt cache was lost lately, a sentence each, the oldest first. */
  cacheLosses?: string[];
  /** In US dollars, with everything that was asked beside the conversation. */
  costUsd: number;
  /** The same model by model. */
  models: ModelUsage[];
  /** The tokens of all models. */
  usage: Usage;
}

/** How to write a session out. */
export interface SessionExportParams {
  /** Only what this agent of the session did. */
  agentId?: string;
  /** The format. */
  format: ExportFormat;
  /** A file to make for it, as an absolute path. One that is there already is left alone. */
  path?: string;
  /** The session. */
  sessionId: string;
  /** Without `path`: only the last so many bytes, from the beginning of a line on. */
  tail?: number;
}

/**
 * A session written out: `content`, or `path` when a file was asked for or it is too long for
 * one message.
 */
export interface SessionExportResult {
  /** The text. */
  content?: string;
  /** The file that holds it, as a path. */
  path?: string;
}

/** Which session to copy. */
export interface SessionForkParams {
  /** The last message to copy, with the results of its calls; all without it. */
  atMessage?: string;
  /** The session. */
  sessionId: string;
}

/** The copy. */
export interface SessionForkResult {
  /** Its id. */
  sessionId: string;
}

/** A session in a list. */
export interface SessionInfo {
  /** The branch that was checked out when it was last used. */
  branch?: string;
  /** The folder it works in, as a path. */
  cwd: string;
  /** True when it is loaded. */
  live: boolean;
  /** How many messages it has. */
  messages: number;
  /** Its id. */
  sessionId: string;
  /** Where it stands. */
  status: SessionStatus;
  /** Its title. */
  title: string;
  /** When it was last used, in milliseconds since 1970 UTC. */
  updatedAt: number;
}

/** Which sessions; all without any field. */
export interface SessionListParams {
  /** `next` of the page before. */
  cursor?: string;
  /** Only those of this folder. */
  cwd?: string;
  /** How many are on a page: 50 without it, 1000 at most. */
  limit?: number;
  /** Only those whose title or text has these words. */
  query?: string;
  /** With `cwd`, true: also those of the same folder in other worktrees of its repository. */
  worktrees?: boolean;
}

/** One page of sessions. */
export interface SessionListResult {
  /** The cursor of the next page; absent on the last one. */
  next?: string;
  /** The sessions, the one used last first. */
  sessions: SessionInfo[];
}

/** How to start a session. */
export interface SessionNewParams {
  /** The agent that leads the session. */
  agent?: string;
  /** The folder the session works in, as an absolute path. */
  cwd: string;
  /** True: nothing is stored. */
  ephemeral?: boolean;
  /** MCP servers for this session: name → configuration, as in an MCP settings file. */
  mcpServers?: Record<string, unknown>;
  /** The permission mode; the one of the settings without it. */
  mode?: Mode;
  /** The model; the default one without it. */
  model?: string;
  /** More folders it may work in, as absolute paths. */
  roots?: string[];
  /** The id it shall have, a UUID that no session has yet; made without it. */
  sessionId?: string;
  /** The title; made from the first prompt without it. */
  title?: string;
}

/** A session that has begun. */
export interface SessionNewResult {
  /** The agents it can start. */
  agents: AgentInfo[];
  /** The `/commands` it has. */
  commands: Command[];
  /** Its settings. */
  config: Config;
  /** The `seq` of the last event before the first that will be sent. */
  seq: number;
  /** Its id. */
  sessionId: string;
}

/** A prompt. */
export interface SessionPromptParams {
  /**
   * An id of the client's own: sending the same one again does nothing and gives the first
   * answer again.
   */
  clientMessageId?: string;
  /** The prompt. */
  content: Block[];
  /** What to do while a turn runs; `auto` without it. */
  delivery?: Delivery;
  /** The session. */
  sessionId: string;
}

/** A prompt was accepted. */
export interface SessionPromptResult {
  /** What became of it. */
  disposition: Disposition;
  /** The id of the message it became. */
  messageId: string;
  /** The turn it started or joined. */
  turnId?: string;
}

/** What to do with the prompts that wait. */
export interface SessionQueueParams {
  /** With `replace`: the new content. */
  content?: Block[];
  /** The prompt; needed by every operation but `list` and `start`. */
  messageId?: string;
  /** What to do. */
  op: QueueOp;
  /** The session. */
  sessionId: string;
  /** With `move`: the new place, from zero. */
  to?: number;
}

/** The prompts that wait, the next one first. */
export interface SessionQueueResult {
  /** The prompts. */
  queue: QueuedPrompt[];
}

/** Names a session. */
export interface SessionRef {
  /** The session. */
  sessionId: string;
}

/** A new title for a session. */
export interface SessionRenameParams {
  /** The session. */
  sessionId: string;
  /** The title. */
  title: string;
}

/** Where to go back to. */
export interface SessionRewindParams {
  /** True: only tell what would happen. */
  preview?: boolean;
  /** The session. */
  sessionId: string;
  /** The user's message before which things stood as they shall stand again. */
  toMessage: string;
  /** What goes back. */
  what: RewindWhat;
}

/** What a rewind did, or would do. */
export interface SessionRewindResult {
  /** Places that stay as they are, because the user has changed them since. */
  conflicts: RewindConflict[];
  /** The files that change. */
  files: RewoundFile[];
  /** The agent's hunks that are taken back. */
  hunks: Hunk[];
  /** Hand it to `agent/session/unrewind` to take the rewind back; absent for a preview. */
  undoToken?: string;
}

/** The session went back; unless only files did, clients drop the message and what follows. */
export interface SessionRewound {
  /** The user's message before which things stand again. */
  toMessage: string;
  type: "session.rewound";
  /** Hand it to `agent/session/unrewind` to take the rewind back. */
  undoToken?: string;
  /** What went back. */
  what: RewindWhat;
}

/** A command of the user's own. */
export interface SessionShellParams {
  /** The command, as it is written in a shell. */
  command: string;
  /** The session. */
  sessionId: string;
}

/** The command is on its way. */
export interface SessionShellResult {
  /** The call that shows it; `agent/session/cancel` stops it. */
  toolCallId: string;
}

/** Where a session stands. */
export type SessionStatus = "idle" | "running" | "waiting" | (string & {});

/** What to take back. */
export interface SessionUnrewindParams {
  /** The token of a rewind or a review decision. */
  undoToken: string;
}

/** A rewind of the conversation was taken back: clients attach again to see it. */
export interface SessionUnrewound {
  type: "session.unrewound";
}

/** The title or the state of the session changed. */
export interface SessionUpdated {
  /** The new state. */
  status?: SessionStatus;
  /** The new title. */
  title?: string;
  type: "session.updated";
}

/** How bad a notice is. */
export type Severity = "info" | "warning" | "error" | (string & {});

/** A session as it stands. */
export interface Snapshot {
  /** The conversation, the oldest message first. */
  messages: SnapshotMessage[];
  /** The session's title; absent while it has none. */
  title?: string;
  /** The todo list. */
  todos: Todo[];
  /** The turn that runs; absent when none does. */
  turnId?: string;
  /** How full the context is and what it has cost. */
  usage: ContextUsage;
}

/** Something the user added to a prompt. */
export interface SnapshotAttachment {
  /** What was added. */
  block: Block;
  type: "attachment";
}

/** One part of a message. */
export type SnapshotBlock = SnapshotText | SnapshotThought | SnapshotToolCall | SnapshotAttachment | SnapshotSummary;

/** One message of the conversation. */
export interface SnapshotMessage {
  /** When, in milliseconds since 1970 UTC. */
  at?: number;
  /** What it is made of, in order. */
  blocks: SnapshotBlock[];
  /** Its id. */
  messageId: string;
  /** Who wrote it. */
  role: Role;
}

/** Everything before this was summed up. */
export interface SnapshotSummary {
  /** The summary. */
  text: string;
  type: "summary";
}

/** Text. */
export interface SnapshotText {
  /** The text. */
  text: string;
  type: "text";
}

/** What the model thought. */
export interface SnapshotThought {
  /** The thought. */
  text: string;
  type: "thought";
}

/** A tool call with its outcome. */
export interface SnapshotToolCall {
  /** The call. */
  call: ToolCallState;
  type: "toolCall";
}

/** What the user's command for the status line printed. */
export interface StatusLineUpdated {
  /** Line by line; colours are written as a terminal reads them (SGR). */
  lines: string[];
  type: "status.line";
}

/** The server at this moment. */
export interface StatusResult {
  /** The processes it started and has not reaped. */
  children: ChildProcess[];
  /** Who gets metrics and traces, when the user named somebody. */
  collector?: string;
  /** Where the log is written, when there is one. */
  logFile?: string;
  /** The model a new session gets. */
  model: ModelStatus;
  /** Queue name → how many entries wait in it. */
  queues: Record<string, number>;
  /** How much memory it holds. */
  rssBytes: number;
  /** What keeps commands in. */
  sandbox?: SandboxStatus;
  /** The sessions that are loaded. */
  sessions: LiveSession[];
  /** How long it has run. */
  uptimeMs: number;
  /** The server's version. */
  version: string;
}

/** Why a turn ended. */
export type StopReason = "end_turn" | "max_tokens" | "max_turns" | "max_budget" | "refusal" | "cancelled" | "hook_stopped" | "tool_deferred" | "prompt_too_long" | "model_error" | "blocked" | (string & {});

/** What a permission request is about. */
export type Subject = CommandSubject | EditSubject | ReadSubject | FetchSubject | HostSubject | McpSubject | PlanSubject | ModeSubject | TrustSubject;

/** A guess at what the user will say next. The next prompt, whoever sends it, ends it. */
export interface Suggestion {
  /** The words to offer. */
  text: string;
  type: "suggestion";
}

/** A background task. */
export interface Task {
  /** When it ended, in milliseconds since 1970 UTC. */
  endedAt?: number;
  /** The exit code of a shell that ended by itself. */
  exitCode?: number;
  /** What it is. */
  kind: TaskKind;
  /** The file that holds what it printed. */
  outputFile?: string;
  /** The session that started it. */
  sessionId: string;
  /** When it started, in milliseconds since 1970 UTC. */
  startedAt: number;
  /** Where it stands. */
  status: TaskStatus;
  /** Its id. */
  taskId: string;
  /** One line for people: the command, or what the agent was asked. */
  title: string;
  /** The call that started it. */
  toolCallId?: string;
}

/** A background task ended. */
export interface TaskEnded {
  /** The task. */
  task: Task;
  type: "task.ended";
}

/** What a background task is. */
export type TaskKind = "shell" | "agent" | "mcp" | "monitor" | "cron" | (string & {});

/** What to do with background tasks. */
export type TaskOp = "list" | "output" | "stop" | (string & {});

/** A piece of a task's output. */
export interface TaskOutput {
  /** The offset to ask for next. */
  nextOffset: number;
  /** Where the task stood when this was read. */
  status: TaskStatus;
  /** The task. */
  taskId: string;
  /** The text from `offset` on. */
  text: string;
}

/** A background task began. */
export interface TaskStarted {
  /** The task. */
  task: Task;
  type: "task.started";
}

/** Where a background task stands. */
export type TaskStatus = "running" | "completed" | "failed" | "stopped" | (string & {});

/** A background task moved on. */
export interface TaskUpdated {
  /** The task. */
  task: Task;
  type: "task.updated";
}

/** What to do with which task. */
export interface TasksParams {
  /** With `output`: the byte to start from; the start without it. */
  offset?: number;
  /** What to do. */
  op: TaskOp;
  /** Only the tasks of this session. */
  sessionId?: string;
  /** The task; needed by `output` and `stop`. */
  taskId?: string;
}

/** `list` and `stop` give the tasks, `output` gives the output. */
export interface TasksResult {
  /** What the task printed. */
  output?: TaskOutput;
  /** The tasks, the newest first. */
  tasks?: Task[];
}

/** A command. */
export interface TerminalRunParams {
  /** The command line. */
  command: string;
  /** The folder to run it in, as a path. */
  cwd: string;
  /** The session that runs it. */
  sessionId: string;
  /** The call that it belongs to, so that the terminal can be shown there. */
  toolCallId?: string;
}

/** How the command ended. */
export interface TerminalRunResult {
  /** The exit code; null when it was killed. */
  exitCode: number | null;
  /** What it printed. */
  output: string;
}

/** What the user wrote. */
export interface TextBlock {
  /** The text. */
  text: string;
  type: "text";
}

/** Edits of one document at one version. */
export interface TextDocumentEdit {
  /** Edits that do not overlap, all in terms of that version. */
  edits: TextEdit[];
  /** The document; a client refuses the edit when it has another version. */
  textDocument: VersionedDocument;
}

/** Replaces a range by a text. */
export interface TextEdit {
  /** What comes instead. */
  newText: string;
  /** What is replaced. */
  range: Range;
}

/** Text. */
export interface TextPart {
  /** The text. */
  text: string;
  type: "text";
}

/** Whether a model thinks before it answers. */
export type Thinking = "adaptive" | "disabled" | "budget" | (string & {});

/** More text of a thought. */
export interface ThoughtDelta {
  /** The message it belongs to. */
  messageId: string;
  /** What to append. */
  text: string;
  type: "thought.delta";
}

/** A thought is complete. */
export interface ThoughtEnded {
  /** The message it belongs to. */
  messageId: string;
  /** The whole text, when it is not just the deltas one after the other. */
  text?: string;
  type: "thought.ended";
}

/** A thought began. */
export interface ThoughtStarted {
  /** The message it belongs to. */
  messageId: string;
  type: "thought.started";
}

/** One entry of the todo list. */
export interface Todo {
  /** The same, as it reads while it is being done. */
  activeForm?: string;
  /** What is to be done. */
  content: string;
  /** Where it stands. */
  status: TodoStatus;
}

/** Where an entry of a todo list or a plan stands. */
export type TodoStatus = "pending" | "in_progress" | "completed" | (string & {});

/** The todo list changed. */
export interface TodosUpdated {
  /** The whole list. */
  items: Todo[];
  type: "todos.updated";
}

/** A tool call, as far as a permission prompt needs it. */
export interface ToolCall {
  /** The input the model wrote. */
  input?: unknown;
  /** What the tool does. */
  kind: ToolKind;
  /** The tool's name. */
  name: string;
  /** The call that started the agent which makes this one. */
  parentToolCallId?: string;
  /** The call's id. */
  toolCallId: string;
}

/** A tool call with everything known about it, as a snapshot holds it. */
export interface ToolCallState {
  /** What came out. */
  content: ContentPart[];
  /** The change, when the call changed exactly one file. */
  diff?: FileDiff;
  /** The input the model wrote. */
  input?: unknown;
  /** What the tool does. */
  kind: ToolKind;
  /** Places the call touched. */
  locations?: Location[];
  /** The tool's name. */
  name: string;
  /** The call that started the agent which makes this one. */
  parentToolCallId?: string;
  /** Where it stands. */
  status: ToolStatus;
  /** One line for people, for example `Read src/main.rs`. */
  title: string;
  /** The call's id. */
  toolCallId: string;
}

/** A call ended. */
export interface ToolEnded {
  /** What came out. */
  content: ContentPart[];
  /** The change, when the call changed exactly one file. */
  diff?: FileDiff;
  /** How long it ran. */
  durationMs?: number;
  /** `completed`, `failed`, `denied` or `cancelled`. */
  status: ToolStatus;
  /** The call. */
  toolCallId: string;
  type: "tool.ended";
}

/** More of a call's input. */
export interface ToolInputDelta {
  /** A piece of JSON to append. */
  text: string;
  /** The call. */
  toolCallId: string;
  type: "tool.inputDelta";
}

/** What a tool does, for an icon and for grouping. */
export type ToolKind = "read" | "edit" | "execute" | "search" | "fetch" | "think" | "other" | (string & {});

/** How far a running call is. */
export interface ToolProgress {
  /** How much is done, in the unit of `total`. */
  done?: number;
  /** One line about what happens now. */
  message?: string;
  /** New output since the last update, to be appended. */
  output?: string;
  /** How much there is to do. */
  total?: number;
}

/** The model began a tool call. */
export interface ToolStarted {
  /** The input, when it is already complete. */
  input?: unknown;
  /** What the tool does. */
  kind: ToolKind;
  /** The tool's name. */
  name: string;
  /** The call that started the agent which makes this one. */
  parentToolCallId?: string;
  /** One line for people, for example `Read src/main.rs`. */
  title: string;
  /** The call. */
  toolCallId: string;
  type: "tool.started";
}

/** Where a tool call stands. */
export type ToolStatus = "pending" | "waiting" | "running" | "completed" | "failed" | "denied" | "cancelled" | (string & {});

/** A call moved on. */
export interface ToolUpdated {
  /** The input, once it is complete. */
  input?: unknown;
  /** The places it touches. */
  locations?: Location[];
  /** How far it is. */
  progress?: ToolProgress;
  /** `pending`, `waiting` or `running`. */
  status: ToolStatus;
  /** A better title, now that more is known. */
  title?: string;
  /** The call. */
  toolCallId: string;
  type: "tool.updated";
}

/** What a few calls did, in one line, for a short transcript. */
export interface ToolsSummarized {
  /** The line. */
  text: string;
  /** The calls, in their order. */
  toolCallIds: string[];
  type: "tools.summarized";
}

/** Whether a folder is trusted. */
export type TrustDecision = "trust" | "deny" | (string & {});

/** One thing that a folder's files switch on. */
export interface TrustItem {
  /** Whether it is used as it is. */
  approved: boolean;
  /** Changes with the thing. */
  hash: string;
  /** What it is, in one line. */
  what: string;
}

/** A decision about a folder. */
export interface TrustParams {
  /** The folder, as a path. */
  cwd: string;
  /** The decision. */
  decision: TrustDecision;
  /**
   * With `trust`: the hashes of everything that the user was shown. The folder is not trusted
   * when it brings anything else by now.
   */
  shown?: string[];
}

/** Asks about a folder. */
export interface TrustStateParams {
  /** The folder, as a path. */
  cwd: string;
}

/** What is known about a folder. */
export interface TrustStateResult {
  /** The folder, with all links followed. */
  cwd: string;
  /** The folder that was decided about: this one, or one above it. */
  decidedFor?: string;
  /** The decision that holds; absent while there is none. */
  decision?: TrustDecision;
  /** What the folder switches on. */
  items: TrustItem[];
  /** How many more there are, which cannot be approved. */
  more: number;
  /** What is wrong with the folder's files or with what was decided, in sentences. */
  problems: string[];
  /** When it was decided, in milliseconds since 1970. */
  since?: number;
}

/** Trusting a folder. */
export interface TrustSubject {
  /** The folder, as a path. */
  cwd: string;
  kind: "trust";
  /** What the folder would switch on, one line for each hook, server or setting. */
  what: string[];
}

/** A turn ended: exactly once for each turn, also after a cancel or an error. */
export interface TurnEnded {
  /** How many answers the model gave, each ended by tool calls or by the end of the turn. */
  answers?: number;
  /** What it cost, in US dollars. */
  costUsd: number;
  /** How long it took. */
  durationMs: number;
  /** What went wrong. */
  error?: Problem;
  /** Why it ended. */
  stopReason: StopReason;
  /** Why it ended, more precisely, for example `aborted_tools` or `budget_exhausted`. */
  terminalReason?: string;
  /** The turn. */
  turnId: string;
  type: "turn.ended";
  /** The tokens it took. */
  usage: Usage;
}

/** A turn began. */
export interface TurnStarted {
  /** The user's message that began it. */
  messageId: string;
  /** The turn. */
  turnId: string;
  type: "turn.started";
}

/** Tokens that a turn took. */
export interface Usage {
  /** Read from the cache. */
  cacheReadTokens: number;
  /** Written to the cache. */
  cacheWriteTokens: number;
  /** Read by the model, not from the cache. */
  inputTokens: number;
  /** Written by the model. */
  outputTokens: number;
}

/** The context filled, or the cost grew. */
export interface UsageUpdated {
  /** What the session has cost so far, in US dollars. */
  costUsd: number;
  type: "usage.updated";
  /** Tokens in the context. */
  used: number;
  /** Tokens that fit. */
  window: number;
}

/** A document at a version. */
export interface VersionedDocument {
  /** The document's URI. */
  uri: string;
  /** The version the sender saw; null when the file is not open in the editor. */
  version: number | null;
}

/** A change of several documents, as LSP's `WorkspaceEdit` with versions. */
export interface WorkspaceEdit {
  /** Edits and file operations, carried out in order. */
  documentChanges: DocumentChange[];
}

/** Event type → what its event carries beside the header. */
export interface Events {
  "agent.ended": AgentEnded;
  "agent.started": AgentStarted;
  "away.summarized": AwaySummarized;
  "checkpoint.created": CheckpointCreated;
  "command.output": CommandOutput;
  "commands.updated": CommandsUpdated;
  "compaction.ended": CompactionEnded;
  "compaction.started": CompactionStarted;
  "config.updated": ConfigUpdated;
  "hook.ended": HookEnded;
  "hook.started": HookStarted;
  "hunk.added": HunkAdded;
  "hunk.resolved": HunkResolved;
  "hunk.updated": HunkUpdated;
  "hunks.moved": HunksMoved;
  "mcp.updated": McpUpdated;
  "message.delta": MessageDelta;
  "message.ended": MessageEnded;
  "message.retracted": MessageRetracted;
  "message.started": MessageStarted;
  "notice": Notice;
  "plan.updated": PlanUpdated;
  "queue.updated": QueueUpdated;
  "retry": Retry;
  "session.rewound": SessionRewound;
  "session.unrewound": SessionUnrewound;
  "session.updated": SessionUpdated;
  "status.line": StatusLineUpdated;
  "suggestion": Suggestion;
  "task.ended": TaskEnded;
  "task.started": TaskStarted;
  "task.updated": TaskUpdated;
  "thought.delta": ThoughtDelta;
  "thought.ended": ThoughtEnded;
  "thought.started": ThoughtStarted;
  "todos.updated": TodosUpdated;
  "tool.ended": ToolEnded;
  "tool.inputDelta": ToolInputDelta;
  "tool.started": ToolStarted;
  "tool.updated": ToolUpdated;
  "tools.summarized": ToolsSummarized;
  "turn.ended": TurnEnded;
  "turn.started": TurnStarted;
  "usage.updated": UsageUpdated;
}

/** Method → who sends it, what is sent and what is answered. */
export interface Methods {
  /** Puts questions, a form or a link to the user. */
  "agent/ask": { direction: "serverToClient"; kind: "request"; params: AskParams; result: AskResult };
  /** Answers a question from a door that did not get it. */
  "agent/ask/respond": { direction: "clientToServer"; kind: "request"; params: AskRespondParams; result: Empty };
  /** Completes `/commands`, `@files`, `@agents`, `@mcp:resources` and `#memory` in a prompt. */
  "agent/complete": { direction: "clientToServer"; kind: "request"; params: CompleteParams; result: CompleteResult };
  /** Shows a change. The outcome arrives by `agent/review/resolve` or by the permission answer. */
  "agent/diff/show": { direction: "serverToClient"; kind: "request"; params: DiffShowParams; result: DiffShowResult };
  /** More of the new text of an inline edit. */
  "agent/edit/delta": { direction: "serverToClient"; kind: "notification"; params: EditDeltaParams };
  /** Edits a range as an instruction says. Answers at once; the text streams by `agent/edit/delta`. */
  "agent/edit/inline": { direction: "clientToServer"; kind: "request"; params: EditInlineParams; result: EditStarted };
  /** Changes documents as one step of undo. */
  "agent/editor/apply": { direction: "serverToClient"; kind: "request"; params: EditorApplyParams; result: EditorApplyResult };
  /** What the editor's other language servers found in a document. */
  "agent/editor/diagnostics": { direction: "clientToServer"; kind: "notification"; params: EditorDiagnosticsParams };
  /** Whether a document has unsaved changes. */
  "agent/editor/dirty": { direction: "clientToServer"; kind: "notification"; params: EditorDirtyParams };
  /** What the user looks at. Sent only while the user shares it. */
  "agent/editor/focus": { direction: "clientToServer"; kind: "notification"; params: EditorFocusParams };
  /** Whether the user wants to be shown where the agent works (`agent/editor/reveal`). */
  "agent/editor/follow": { direction: "clientToServer"; kind: "notification"; params: EditorFollowParams };
  /** Asks the editor's other language servers: definition, references, hover, symbols, rename, diagnostics. */
  "agent/editor/languageServer": { direction: "serverToClient"; kind: "request"; params: LanguageServerParams; result: unknown };
  /** Shows a place. */
  "agent/editor/reveal": { direction: "serverToClient"; kind: "request"; params: EditorRevealParams; result: Empty };
  /** Saves documents. */
  "agent/editor/save": { direction: "serverToClient"; kind: "request"; params: EditorSaveParams; result: EditorSaveResult };
  /** Asks for the whole text of a document, after a change that did not fit the server's text. */
  "agent/editor/text": { direction: "serverToClient"; kind: "request"; params: EditorTextParams; result: EditorTextResult };
  /** Something happened in a session. */
  "agent/event": { direction: "serverToClient"; kind: "notification"; params: Event };
  /** Fixes diagnostics of a document. Answers at once. */
  "agent/fix/diagnostics": { direction: "clientToServer"; kind: "request"; params: FixDiagnosticsParams; result: EditStarted };
  /** Tells what the user did with an inline edit. */
  "agent/inline/resolved": { direction: "clientToServer"; kind: "notification"; params: InlineResolvedParams };
  /** Lists MCP servers, or reconnects, signs in to, enables, disables or approves one. */
  "agent/mcp": { direction: "clientToServer"; kind: "request"; params: McpParams; result: McpResult };
  /** Adds a note to a memory file. */
  "agent/memory/add": { direction: "clientToServer"; kind: "request"; params: MemoryAddParams; result: MemoryAddResult };
  /** Lists the memory files that a session goes by, and shows one. */
  "agent/memory/list": { direction: "clientToServer"; kind: "request"; params: MemoryListParams; result: MemoryListResult };
  /** Asks the user whether something may be done. Null or an error means: deny, this once. */
  "agent/permission/request": { direction: "serverToClient"; kind: "request"; params: PermissionRequestParams; result: PermissionAnswer | null };
  /** Answers a permission request from a door that did not get it. */
  "agent/permission/respond": { direction: "clientToServer"; kind: "request"; params: PermissionRespondParams; result: Empty };
  /** Lists, adds or removes permission rules. */
  "agent/permission/rules": { direction: "clientToServer"; kind: "request"; params: PermissionRulesParams; result: PermissionRulesResult };
  /** A request was answered by another door, or withdrawn: close its prompt. */
  "agent/request/resolved": { direction: "serverToClient"; kind: "notification"; params: RequestResolvedParams };
  /** A file without its pending hunks, and as it is now. */
  "agent/review/diff": { direction: "clientToServer"; kind: "request"; params: ReviewDiffParams; result: ReviewDiffResult };
  /** Lists hunks, of all sessions or of one, of all files or of one. */
  "agent/review/list": { direction: "clientToServer"; kind: "request"; params: ReviewListParams; result: ReviewListResult };
  /** Accepts or rejects hunks. */
  "agent/review/resolve": { direction: "clientToServer"; kind: "request"; params: ReviewResolveParams; result: ReviewResolveResult };
  /** Loads a stored session or joins a live one. */
  "agent/session/attach": { direction: "clientToServer"; kind: "request"; params: SessionAttachParams; result: SessionAttachResult };
  /** Stops a turn, a call or a task. Answered once it has really stopped; safe to repeat. */
  "agent/session/cancel": { direction: "clientToServer"; kind: "request"; params: SessionCancelParams; result: SessionCancelResult };
  /** Stops a session and unloads it; it stays stored. */
  "agent/session/close": { direction: "clientToServer"; kind: "request"; params: SessionRef; result: Empty };
  /** Sums the conversation up to free context. Events tell how it goes. */
  "agent/session/compact": { direction: "clientToServer"; kind: "request"; params: SessionCompactParams; result: Empty };
  /** Reads a session's settings, and changes them. */
  "agent/session/config": { direction: "clientToServer"; kind: "request"; params: SessionConfigParams; result: SessionConfigResult };
  /** Tells what fills the context. */
  "agent/session/context": { direction: "clientToServer"; kind: "request"; params: SessionRef; result: SessionContextResult };
  /** Tells what the session has cost, model by model. */
  "agent/session/cost": { direction: "clientToServer"; kind: "request"; params: SessionRef; result: SessionCostResult };
  /** Deletes a session for good. */
  "agent/session/delete": { direction: "clientToServer"; kind: "request"; params: SessionRef; result: Empty };
  /** Stops receiving a session's events; the session goes on. */
  "agent/session/detach": { direction: "clientToServer"; kind: "request"; params: SessionRef; result: Empty };
  /** Writes a session out. */
  "agent/session/export": { direction: "clientToServer"; kind: "request"; params: SessionExportParams; result: SessionExportResult };
  /** Copies a session, whole or up to a message, and leaves the original alone. */
  "agent/session/fork": { direction: "clientToServer"; kind: "request"; params: SessionForkParams; result: SessionForkResult };
  /** Lists sessions, the one used last first. */
  "agent/session/list": { direction: "clientToServer"; kind: "request"; params: SessionListParams; result: SessionListResult };
  /** Starts a session. */
  "agent/session/new": { direction: "clientToServer"; kind: "request"; params: SessionNewParams; result: SessionNewResult };
  /** Sends a prompt. Answered on acceptance, never at the end of the turn. */
  "agent/session/prompt": { direction: "clientToServer"; kind: "request"; params: SessionPromptParams; result: SessionPromptResult };
  /** Looks at the prompts that wait, and changes them. */
  "agent/session/queue": { direction: "clientToServer"; kind: "request"; params: SessionQueueParams; result: SessionQueueResult };
  /** Gives a session a title. */
  "agent/session/rename": { direction: "clientToServer"; kind: "request"; params: SessionRenameParams; result: Empty };
  /** Goes back to a message: the conversation, the files the agent changed, or both. */
  "agent/session/rewind": { direction: "clientToServer"; kind: "request"; params: SessionRewindParams; result: SessionRewindResult };
  /**
   * Runs a command of the user's own, with the rules and the walls that hold for the agent. It is shown
   * as a call, and the model learns of it with what is said next.
   */
  "agent/session/shell": { direction: "clientToServer"; kind: "request"; params: SessionShellParams; result: SessionShellResult };
  /** Takes a rewind, or a review decision, back. */
  "agent/session/unrewind": { direction: "clientToServer"; kind: "request"; params: SessionUnrewindParams; result: Empty };
  /** How the server is doing: for a status line, a bug report and tests that look for leaks. */
  "agent/status": { direction: "clientToServer"; kind: "request"; params: Empty; result: StatusResult };
  /** Lists background tasks, reads the output of one or stops one. */
  "agent/tasks": { direction: "clientToServer"; kind: "request"; params: TasksParams; result: TasksResult };
  /** Runs a command where the user can see it. */
  "agent/terminal/run": { direction: "serverToClient"; kind: "request"; params: TerminalRunParams; result: TerminalRunResult };
  /** Says whether a folder is trusted. */
  "agent/trust": { direction: "clientToServer"; kind: "request"; params: TrustParams; result: Empty };
  /** What was decided about a folder, and what it would switch on. */
  "agent/trust/state": { direction: "clientToServer"; kind: "request"; params: TrustStateParams; result: TrustStateResult };
}

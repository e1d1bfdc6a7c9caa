---@meta bowline
-- Generated from the protocol crate, do not edit: BOWLINE_BLESS=1 cargo test -p protocol

--- Another agent ended.
---@class bowline.AgentEnded: bowline.Event
---@field agentId string The agent.
---@field agentType string Which agent it is.
---@field durationMs? integer How long it worked.
---@field parentToolCallId string The call that started it.
---@field status? bowline.ToolStatus How it ended.
---@field tokens? integer How many tokens it took.
---@field toolCalls? integer How many calls it made.
---@field type "agent.ended"

--- An agent that a session can start.
---@class bowline.AgentInfo
---@field description string What it is for.
---@field name string Its name.

--- Another agent began.
---@class bowline.AgentStarted: bowline.Event
---@field agentId string The agent.
---@field agentType string Which agent it is, for example `Explore`. (`type` is the event's own.)
---@field color? string The colour that its file wants it to be shown in: red, blue, green, yellow, purple, orange, pink or cyan.
---@field description? string What it was asked, in one line.
---@field name? string The name by which others write to it.
---@field parentToolCallId string The call that started it.
---@field type "agent.started"

--- What the user did with a question.
---@alias bowline.AskAction
---| "accept" # Answered it.
---| "decline" # Declined to answer.
---| "cancel" # Closed it without saying.
---| string # A value of a later version.

--- Exactly one of `questions`, `form` and `url` is present.
---@class bowline.AskParams
---@field form? bowline.Form A form.
---@field message? string One or two sentences above the questions, the form or the link.
---@field questions? bowline.Question[] Questions with choices.
---@field requestId string The id that `agent/ask/respond` and `agent/request/resolved` name.
---@field sessionId string The session that asks.
---@field url? string A page to open in a browser, for example to sign in.

--- The same from a door that was not asked.
---@class bowline.AskRespondParams
---@field action bowline.AskAction Whether there is an answer.
---@field content? table<string, any> As in the answer to `agent/ask`.
---@field requestId string The question's id.

--- What the user did.
---@class bowline.AskResult
---@field action bowline.AskAction Whether there is an answer.
---@field content? table<string, any> With `accept`: question id or form field → answer. A question's answer is a string, or a list of strings when several choices were allowed.

--- Who wrote a hunk.
---@alias bowline.Author
---| "agent" # The agent.
---| string # A value of a later version.

--- What happened while nobody listened, for the client that is back.
---@class bowline.AwaySummarized: bowline.Event
---@field text string A few sentences.
---@field type "away.summarized"

--- One part of a prompt.
---@alias bowline.Block
---| bowline.TextBlock
---| bowline.ImageBlock
---| bowline.DocumentBlock
---| bowline.FileBlock
---| bowline.SelectionBlock
---| bowline.DiagnosticsBlock
---| bowline.ResourceBlock

--- Where a session stands after a cancel.
---@alias bowline.CancelState
---| "cancelled" # Something ran and has stopped.
---| "idle" # Nothing ran.
---| "running" # What was named has stopped; the turn goes on.
---| string # A value of a later version.

--- A point to rewind to.
---@class bowline.CheckpointCreated: bowline.Event
---@field messageId string The user's message it stands before.
---@field type "checkpoint.created"

--- A process the server started.
---@class bowline.ChildProcess
---@field pid integer Its process id.
---@field what string What it is, for example `shell: cargo test` or `mcp: github`.

--- One choice of a question.
---@class bowline.Choice
---@field description? string What taking it means.
---@field label string What the user sees, and what the answer holds.

--- What a client can do. Each flag says: you may send me that family of requests.
---@class bowline.ClientCapabilities
---@field ask? boolean `agent/ask`.
---@field diff? boolean `agent/diff/show`.
---@field editor? bowline.EditorCapabilities `agent/editor/…`, one flag for each request or notification.
---@field permission? boolean `agent/permission/request`.
---@field statusLine? boolean The client shows what the event `status.line` says; without it no command is run for it.
---@field suggestion? boolean The client offers what the event `suggestion` says; without it nothing is guessed.
---@field terminal? boolean `agent/terminal/run`.
---@field toolSummaries? boolean The client shows what the event `tools.summarized` says; it costs a question for every few calls.
---@field version integer The version of the contract the client speaks.

--- A `/command`.
---@class bowline.Command
---@field argumentHint? string What may follow it, for example `[file]`.
---@field description string What it does.
---@field name string Its name, without the slash.
---@field source? string Where it comes from: `built-in`, `managed`, `user`, `project`, `plugin` or `bundled`.

--- A prompt that was a `/command` was carried out, without the model.
---@class bowline.CommandOutput: bowline.Event
---@field command string The command as the user wrote it, for example `/cost`.
---@field messageId string The prompt.
---@field text string What it says, as plain text.
---@field type "command.output"

--- One command of a command line, with its words as they will be.
---@class bowline.CommandPart
---@field reads string[] Files it names to be read, as paths.
---@field words string[] The program and its arguments.
---@field writes string[] Files it names to be written, as paths.

--- Running a command.
---@class bowline.CommandSubject
---@field command string The command line.
---@field cwd string The folder it runs in, as a path.
---@field kind "command"
---@field moreParts? integer How many more commands it consists of than `parts` names.
---@field parts? bowline.CommandPart[] What it consists of, as far as that is known before it runs.
---@field sandbox? string How it would be kept in, for example `bubblewrap, network off`; absent when nothing keeps it in.

--- The commands or agents of the session changed.
---@class bowline.CommandsUpdated: bowline.Event
---@field agents? bowline.AgentInfo[] All agents; absent when they are as before.
---@field commands bowline.Command[] All commands.
---@field type "commands.updated"

--- The conversation was summed up, or that failed.
---@class bowline.CompactionEnded: bowline.Event
---@field after integer Tokens in the context after.
---@field before integer Tokens in the context before.
---@field error? bowline.Problem What went wrong; the conversation is then as before.
---@field summary? string The summary.
---@field trigger bowline.CompactionTrigger Why.
---@field type "compaction.ended"

--- The conversation is being summed up.
---@class bowline.CompactionStarted: bowline.Event
---@field before integer Tokens in the context before.
---@field trigger bowline.CompactionTrigger Why.
---@field type "compaction.started"

--- Why a conversation is summed up.
---@alias bowline.CompactionTrigger
---| "manual" # The user asked.
---| "auto" # The context was nearly full.
---| string # A value of a later version.

--- The prompt so far and the place of the caret.
---@class bowline.CompleteParams
---@field offset integer The caret, counted from the start of `text` in the negotiated position encoding.
---@field sessionId? string The session whose commands, files and servers are meant.
---@field text string The whole text of the prompt.

--- What fits, the best first.
---@class bowline.CompleteResult
---@field items bowline.CompletionItem[] The proposals.

--- One proposal.
---@class bowline.CompletionItem
---@field detail? string A short explanation beside the label.
---@field end integer Where it ends.
---@field insertText string What replaces the text from `start` to `end`.
---@field kind bowline.CompletionKind What it stands for.
---@field label string What the list shows.
---@field start integer Where the replaced text starts, counted like `offset`.

--- What a proposal stands for.
---@alias bowline.CompletionKind
---| "command" # A `/command`.
---| "file" # A file.
---| "folder" # A folder.
---| "agent" # An agent.
---| "resource" # A resource of an MCP server.
---| "memory" # A memory file.
---| string # A value of a later version.

--- The settings of a session.
---@class bowline.Config
---@field effort? bowline.Effort How hard the model works; absent for the model's own way.
---@field maxThinkingTokens? integer With `budget`: how many tokens it may think.
---@field mode bowline.Mode The permission mode.
---@field model string The model's id.
---@field outputStyle? string The output style; absent for the default one.
---@field thinking? bowline.Thinking Whether the model thinks, where somebody chose; absent for the model's own way.

--- Settings to change; a setting that is absent stays.
---@class bowline.ConfigChange
---@field effort? bowline.Effort How hard the model works.
---@field maxThinkingTokens? integer Tokens that a model with a budget may think; 0 for none. Stronger than `thinking`.
---@field mode? bowline.Mode The permission mode.
---@field model? string The model's id.
---@field outputStyle? string The output style.
---@field thinking? bowline.Thinking Whether the model thinks.

--- The settings of the session changed.
---@class bowline.ConfigUpdated: bowline.Event
---@field config bowline.Config All of them.
---@field type "config.updated"

--- One part of what a tool call gave.
---@alias bowline.ContentPart
---| bowline.TextPart
---| bowline.DiffPart
---| bowline.OutputPart
---| bowline.ImagePart
---| bowline.LinkPart

--- A part of the context.
---@alias bowline.ContextKind
---| "system" # The system prompt.
---| "tools" # Descriptions of tools.
---| "mcpTools" # Descriptions of tools of MCP servers.
---| "memory" # Memory files.
---| "agents" # Descriptions of agents and skills.
---| "messages" # The conversation.
---| "reserved" # Kept free for the answer.
---| "free" # Not used.
---| string # A value of a later version.

--- A part of the context.
---@class bowline.ContextShare
---@field kind bowline.ContextKind What it is.
---@field tokens integer How many tokens it takes.

--- How full the context is and what the session has cost.
---@class bowline.ContextUsage
---@field costUsd number What the session has cost so far, in US dollars.
---@field used integer Tokens in the context.
---@field window integer Tokens that fit.

--- Creates a file.
---@class bowline.CreateFile
---@field kind "create"
---@field options? bowline.FileOptions What to do when it exists.
---@field uri string The new file.

--- Deletes a file.
---@class bowline.DeleteFile
---@field kind "delete"
---@field options? bowline.FileOptions What to do when it is missing.
---@field uri string The file.

--- What to do with a prompt while a turn runs.
---@alias bowline.Delivery
---| "auto" # The server chooses: start when idle, else queue.
---| "queue" # Wait for the turn to end.
---| "steer" # Tell the model at its next step.
---| string # A value of a later version.

--- What a language server or a linter found.
---@class bowline.Diagnostic
---@field code? any The rule, a string or a number.
---@field data? any Kept for the server that found it, when its quick fixes are asked for.
---@field message string What is wrong.
---@field range bowline.Range Where.
---@field relatedInformation? any[] Places that explain it, as LSP's `DiagnosticRelatedInformation`.
---@field severity? integer 1 error, 2 warning, 3 information, 4 hint.
---@field source? string Who found it.
---@field tags? integer[] 1 unnecessary, 2 deprecated.

--- Diagnostics that the prompt is about.
---@class bowline.DiagnosticsBlock
---@field items bowline.Diagnostic[] The diagnostics.
---@field type "diagnostics"
---@field uri string The document.
---@field version? integer|nil The version the diagnostics belong to; null when the file is not open.

--- A change of a file.
---@class bowline.DiffPart
---@field newText? string|nil The text after; null for a deleted file.
---@field oldText? string|nil The text before; null for a new file.
---@field type "diff"
---@field uri string The file.
---@field version? integer|nil The version of `oldText`; null when the file is not open in the editor.

--- A change of one or several files.
---@class bowline.DiffShowParams
---@field files bowline.FileDiff[] The files.
---@field id string The id of the diff; showing the same id again replaces it.
---@field preserveFocus boolean True: the caret stays where the user types.
---@field sessionId string The session that made the change.
---@field title string The title of the view.

--- Whether the change is on the screen.
---@class bowline.DiffShowResult
---@field shown boolean False when the editor could not show it.

--- What became of a prompt.
---@alias bowline.Disposition
---| "started" # It started a turn.
---| "queued" # It waits.
---| "steered" # The running turn will read it.
---| "handled" # It was a command that needed no model.
---| string # A value of a later version.

--- A PDF, either inline or by reference.
---@class bowline.DocumentBlock
---@field data? string The bytes in Base64.
---@field mimeType string `application/pdf`.
---@field title? string Its name for people.
---@field type "document"
---@field uri? string The file, when `data` is absent.

--- One step of a workspace edit.
---@alias bowline.DocumentChange
---| bowline.TextDocumentEdit # Edits of a text.
---| bowline.FileOperation # Creating, renaming or deleting a file.

--- A position in one version of a document.
---@class bowline.DocumentPosition
---@field position bowline.Position The position.
---@field uri string The document.
---@field version? integer|nil The version that `position` belongs to; null when the file is not open in the editor.

--- A piece of new text.
---@class bowline.EditDeltaParams
---@field editId string The edit.
---@field text string What to append to the new text so far.
---@field uri string The document.
---@field version? integer|nil The version that the edited range belongs to; null when the file is not open.

--- What to change and how.
---@class bowline.EditInlineParams
---@field instruction string What the user wants.
---@field range bowline.Range What to change; empty to insert.
---@field sessionId? string The session to use; a new one without it.
---@field textDocument bowline.VersionedDocument The document as the user sees it.

--- An edit has begun.
---@class bowline.EditStarted
---@field editId string The id of the edit in `agent/edit/delta` and `agent/inline/resolved`.
---@field sessionId string The session that works on it.

--- Changing a file.
---@class bowline.EditSubject
---@field kind "edit"
---@field newText? string|nil The text after; null for a deleted file.
---@field oldText? string|nil The text before; null for a new file.
---@field others? bowline.FileDiff[] Other files that the same call changes, as with a rename.
---@field target? string Where the file really is, as a path, when links lead there.
---@field uri string The file.
---@field version? integer|nil The version of `oldText`; null when the file is not open in the editor.

--- A change to make in the editor.
---@class bowline.EditorApplyParams
---@field edit bowline.WorkspaceEdit The change; nothing of it may be applied when a version does not match.
---@field label string The name of the change in the editor's undo list.
---@field undoGroup string Changes with the same group are undone together.

--- What became of a change.
---@class bowline.EditorApplyResult
---@field applied boolean True when all of it was applied.
---@field reason? string Why it was not applied.
---@field versions? table<string, integer> The versions of the changed documents afterwards.

--- Which part of the `agent/editor/…` family a client has.
---@class bowline.EditorCapabilities
---@field apply? boolean `agent/editor/apply`.
---@field diagnostics? boolean The client sends `agent/editor/diagnostics`.
---@field focus? boolean The client sends `agent/editor/focus`.
---@field languageServer? boolean `agent/editor/languageServer`.
---@field reveal? boolean `agent/editor/reveal`.
---@field save? boolean `agent/editor/save`.
---@field text? boolean `agent/editor/text`.

--- Everything one source found in one document; replaces what it said before.
---@class bowline.EditorDiagnosticsParams
---@field items bowline.Diagnostic[] The diagnostics; empty when all is well.
---@field source string Who found them, for example `rust-analyzer`.
---@field uri string The document.
---@field version? integer|nil The version the diagnostics belong to; null when the file is not open.

--- Whether a document has unsaved changes.
---@class bowline.EditorDirtyParams
---@field dirty boolean True when it has.
---@field uri string The document.

--- What the user looks at.
---@class bowline.EditorFocusParams
---@field selections bowline.Range[] The selections, the main one first; a caret is an empty range.
---@field uri string The document.
---@field version? integer|nil The version the selections belong to; null when the file is not open.
---@field visible? bowline.Range The part on the screen.

--- Whether the user follows the agent.
---@class bowline.EditorFollowParams
---@field on boolean True from now on; nobody is followed before it is said.

--- A place to show.
---@class bowline.EditorRevealParams
---@field preserveFocus boolean True: the caret stays where the user types.
---@field range? bowline.Range The place; absent for just the document.
---@field uri string The document.

--- Documents to save.
---@class bowline.EditorSaveParams
---@field uris string[] The documents.

--- What became of the documents to save.
---@class bowline.EditorSaveResult
---@field failed bowline.SaveFailure[] Not saved.
---@field saved string[] Saved.

--- The document whose text is wanted.
---@class bowline.EditorTextParams
---@field uri string The document.

--- A document as the user sees it.
---@class bowline.EditorTextResult
---@field text string All of it.
---@field version integer The version of the text.

--- How hard a model works.
---@alias bowline.Effort
---| "low" # Little.
---| "medium" # Some.
---| "high" # Much.
---| "xhigh" # More.
---| "max" # As much as it can.
---| string # A value of a later version.

--- Parameters or a result without content: written as `{}`, read from anything.
---
--- Editors answer such requests with null as often as with an object, and both mean "done".
---@class bowline.Empty

--- One event of a session: the header, then the fields of its type beside it.
---@class bowline.Event
---@field at integer When, in milliseconds since 1970 UTC.
---@field seq integer Its number in the session: one more than the event before, no gaps.
---@field sessionId string The session it happened in.

--- What happened, told apart by `type`.
---@alias bowline.EventBody
---| bowline.TurnStarted
---| bowline.TurnEnded
---| bowline.MessageStarted
---| bowline.MessageDelta
---| bowline.MessageEnded
---| bowline.MessageRetracted
---| bowline.ThoughtStarted
---| bowline.ThoughtDelta
---| bowline.ThoughtEnded
---| bowline.ToolStarted
---| bowline.ToolInputDelta
---| bowline.ToolUpdated
---| bowline.ToolEnded
---| bowline.PlanUpdated
---| bowline.TodosUpdated
---| bowline.QueueUpdated
---| bowline.ConfigUpdated
---| bowline.CommandsUpdated
---| bowline.McpUpdated
---| bowline.CommandOutput
---| bowline.UsageUpdated
---| bowline.CompactionStarted
---| bowline.CompactionEnded
---| bowline.Retry
---| bowline.Notice
---| bowline.HookStarted
---| bowline.HookEnded
---| bowline.TaskStarted
---| bowline.TaskUpdated
---| bowline.TaskEnded
---| bowline.AgentStarted
---| bowline.AgentEnded
---| bowline.HunkAdded
---| bowline.HunkUpdated
---| bowline.HunkResolved
---| bowline.HunksMoved
---| bowline.CheckpointCreated
---| bowline.SessionRewound
---| bowline.SessionUnrewound
---| bowline.SessionUpdated
---| bowline.Suggestion
---| bowline.StatusLineUpdated
---| bowline.ToolsSummarized
---| bowline.AwaySummarized

--- How a session is written out.
---@alias bowline.ExportFormat
---| "markdown" # For people.
---| "jsonl" # For programs: one JSON object on each line.
---| string # A value of a later version.

--- Reading a page.
---@class bowline.FetchSubject
---@field kind "fetch"
---@field url string The page.

--- A file, or a part of one, that the model shall see.
---@class bowline.FileBlock
---@field range? bowline.Range The part; absent for the whole file.
---@field type "file"
---@field uri string The file.
---@field version? integer The version the client saw; absent or null when the file is not open.

--- A change of one file.
---@class bowline.FileDiff
---@field newText? string|nil The text after; null for a deleted file.
---@field oldText? string|nil The text before; null for a new file.
---@field uri string The file.
---@field version? integer|nil The version of `oldText`; null when the file is not open in the editor.

--- Creating, renaming or deleting a file.
---@alias bowline.FileOperation
---| bowline.CreateFile
---| bowline.RenameFile
---| bowline.DeleteFile

--- What a file operation does when the target exists or is missing.
---@class bowline.FileOptions
---@field ignoreIfExists? boolean Do nothing when the target exists.
---@field ignoreIfNotExists? boolean Do nothing when the source is missing.
---@field overwrite? boolean Replace what exists.
---@field recursive? boolean Delete a folder with its content.

--- What to fix.
---@class bowline.FixDiagnosticsParams
---@field diagnostics bowline.Diagnostic[] The diagnostics.
---@field sessionId? string The session to use; a new one without it.
---@field textDocument bowline.VersionedDocument The document the diagnostics belong to.

--- A form to fill in.
---@class bowline.Form
---@field schema any A JSON Schema of one flat object.

--- A hook ended.
---@class bowline.HookEnded: bowline.Event
---@field durationMs integer How long it ran.
---@field event string What it hooks.
---@field hookId string This run of the hook.
---@field outcome bowline.HookOutcome How it ended.
---@field text? string What it said to the user.
---@field type "hook.ended"

--- How a hook ended.
---@alias bowline.HookOutcome
---| "success" # It had nothing against it.
---| "blocked" # It said no.
---| "failed" # It failed; that does not stop anything.
---| "cancelled" # It was stopped.
---| string # A value of a later version.

--- A hook began.
---@class bowline.HookStarted: bowline.Event
---@field event string What it hooks, for example `PreToolUse`.
---@field hookId string This run of the hook.
---@field title string The hook for people, for example its command.
---@field toolCallId? string The call it looks at.
---@field type "hook.started"

--- A command in the sandbox reaching out to a host.
---@class bowline.HostSubject
---@field host string The host's name or address.
---@field kind "host"
---@field port integer The port.

--- One change of the agent in one place.
---@class bowline.Hunk
---@field author bowline.Author Who wrote it.
---@field id string Its id.
---@field newText string The text after.
---@field oldText string The text before.
---@field range bowline.Range Where `newText` is now.
---@field sessionId string The session that made it.
---@field state bowline.HunkState Where the review stands.
---@field toolCallId string The call that made it.
---@field turnId string The turn that made it.
---@field uri string The document.
---@field version? integer|nil The version that `range` belongs to; null when the file is not open in the editor.

--- The agent changed a text.
---@class bowline.HunkAdded: bowline.Event
---@field hunk bowline.Hunk The change.
---@field type "hunk.added"

--- A hunk was accepted, rejected or superseded.
---@class bowline.HunkResolved: bowline.Event
---@field hunk bowline.Hunk The change as it is now.
---@field type "hunk.resolved"

--- What became of one hunk.
---@class bowline.HunkResult
---@field hunkId string The hunk.
---@field reason? string Why nothing was done, for example because the user has changed the same text since.
---@field state bowline.HunkState Where its review stands now.

--- Where the review of a hunk stands.
---@alias bowline.HunkState
---| "pending" # Not looked at.
---| "accepted" # Kept.
---| "rejected" # Taken back.
---| "superseded" # A later change of the agent or the user replaced it.
---| string # A value of a later version.

--- A hunk looks different, because somebody wrote in it.
---@class bowline.HunkUpdated: bowline.Event
---@field hunk bowline.Hunk The change as it is now.
---@field type "hunk.updated"

--- Pending hunks of one document are at other places, because the text around them changed.
---@class bowline.HunksMoved: bowline.Event
---@field hunks bowline.MovedHunk[] The hunks whose range is not the one that was sent last.
---@field type "hunks.moved"
---@field uri string The document.
---@field version? integer|nil The version the ranges belong to; null when the file is not open in the editor.

--- A picture, either inline or by reference.
---@class bowline.ImageBlock
---@field data? string The bytes in Base64.
---@field height? integer In pixels, where the server shows what was attached.
---@field mimeType string For example `image/png`.
---@field type "image"
---@field uri? string Where the picture is, when `data` is absent: a file, or a page of the web.
---@field width? integer In pixels, where the server shows what was attached.

--- A picture.
---@class bowline.ImagePart
---@field data? string The bytes in Base64; absent when there are many, and in a snapshot.
---@field height? integer In pixels.
---@field mimeType string For example `image/png`.
---@field size? integer How many bytes there are.
---@field type "image"
---@field width? integer In pixels.

--- The outcome of an inline edit.
---@class bowline.InlineResolvedParams
---@field action bowline.ReviewAction What the user did.
---@field editId string The edit.

--- A question to the other language servers of a document.
---@class bowline.LanguageServerParams
---@field method string The LSP method, for example `textDocument/definition`.
---@field params any Its parameters.
---@field uri string The document that decides which servers are asked.

--- Some lines, counted from zero; `end` is not part of them.
---@class bowline.LineSpan
---@field end integer The line after the last one.
---@field start integer The first line.

--- A pointer to a file, a page or an MCP resource.
---@class bowline.LinkPart
---@field title? string The name for people.
---@field type "link"
---@field uri string Where it points.

--- A loaded session.
---@class bowline.LiveSession
---@field sessionId string The session.
---@field status bowline.SessionStatus Where it stands.

--- A place in a document.
---@class bowline.Location
---@field range? bowline.Range The place; absent for the whole document.
---@field uri string The document's URI.
---@field version? integer|nil The version the range belongs to; null when the file is not open in the editor.

--- What to do with an MCP server.
---@alias bowline.McpOp
---| "list" # List all.
---| "reconnect" # Connect again.
---| "authenticate" # Sign in.
---| "enable" # Switch on.
---| "disable" # Switch off, for this session.
---| "approve" # Use its tools as they are now, also those that are not what they were.
---| "set" # Replace the servers that the session's client gave it.
---| string # A value of a later version.

--- What to do with which server.
---@class bowline.McpParams
---@field op bowline.McpOp What to do.
---@field server? string The server; needed by every operation but `list`.
---@field servers? table<string, any> With `set`: name → configuration, as in an MCP settings file.
---@field sessionId? string The session whose servers are meant.

--- The servers after the operation.
---@class bowline.McpResult
---@field servers bowline.McpServer[] All of them.

--- An MCP server.
---@class bowline.McpServer
---@field authUrl? string The page to open to sign in, after `authenticate`.
---@field changed? bowline.McpToolChange[] Tools that are not what they were when the user agreed to them; they are not used until `approve`.
---@field error? string Why it is not connected, in one sentence.
---@field log? string[] What happened with it lately, the oldest line first; only of a server that `list` names.
---@field name string The name it has in the settings.
---@field prompts? string[] Its prompts, as commands without the slash.
---@field resources? integer How many resources it has.
---@field sandbox? string What keeps its program in: `user` (as the user's own program), `strict` (as a command), `off` (nothing, as its configuration says) or `none` (there is no sandbox).
---@field scope? string Which settings name it: `user`, `project`, `local`, `session` …
---@field status bowline.McpStatus Where it stands.
---@field tools string[] The names of its tools, as the model calls them.
---@field transport string How it is reached: `stdio`, `http`, `sse` …

--- Where an MCP server stands.
---@alias bowline.McpStatus
---| "connected" # Ready.
---| "connecting" # On the way.
---| "failed" # Not reachable; `error` says why.
---| "needsAuth" # Waits for a sign-in.
---| "untrusted" # Comes from a folder that the user does not trust yet.
---| "disabled" # Switched off.
---| string # A value of a later version.

--- Calling a tool of an MCP server.
---@class bowline.McpSubject
---@field input any The tool's input.
---@field kind "mcp"
---@field server string The server.
---@field tool string The tool.

--- A tool that its server describes otherwise than before.
---@class bowline.McpToolChange
---@field diff string What is different, as a unified diff of the description and the schema.
---@field tool string As the model calls it.

--- An MCP server connected, failed, wants a sign-in, or has other tools.
---@class bowline.McpUpdated: bowline.Event
---@field servers bowline.McpServer[] All servers, without their logs.
---@field type "mcp.updated"

--- A note.
---@class bowline.MemoryAddParams
---@field scope bowline.MemoryScope Whose memory.
---@field sessionId? string The session whose project is meant; needed unless `scope` is `user`.
---@field text string The note.

--- Where the note went.
---@class bowline.MemoryAddResult
---@field path string The file, as a path.

--- A memory file.
---@class bowline.MemoryFile
---@field importedBy? string The file that imports it.
---@field path string The file, as a path; `claudeMd` for what the managed settings say.
---@field scope bowline.MemoryScope Whose memory it is.
---@field text? string What it says, when that was asked for.

--- Which memory files are asked about.
---@class bowline.MemoryListParams
---@field path? string The file whose text is wanted too.
---@field sessionId string The session.

--- What a session goes by.
---@class bowline.MemoryListResult
---@field files bowline.MemoryFile[] The files, in the order in which the model reads them.

--- Whose memory it is.
---@alias bowline.MemoryScope
---| "user" # The user's, for all projects.
---| "project" # The project's, shared with its other developers.
---| "local" # The user's, for this project.
---| "managed" # The administrator's; only listed.
---| "auto" # The agent's own notes; only listed.
---| string # A value of a later version.

--- More text of a message.
---@class bowline.MessageDelta: bowline.Event
---@field messageId string The message.
---@field role bowline.Role Who writes it.
---@field text string What to append.
---@field type "message.delta"

--- A message is complete.
---@class bowline.MessageEnded: bowline.Event
---@field messageId string The message.
---@field role bowline.Role Who wrote it.
---@field text? string The whole text, when it is not just the deltas one after the other.
---@field type "message.ended"

--- The request is sent again: what was shown of this message, thoughts too, never was.
---@class bowline.MessageRetracted: bowline.Event
---@field messageId string The message.
---@field type "message.retracted"

--- A message began.
---@class bowline.MessageStarted: bowline.Event
---@field attachments? bowline.Block[] What came with it besides words, such as a selection; pictures without their bytes.
---@field messageId string The message.
---@field parentToolCallId? string The call that started the agent which writes it.
---@field role bowline.Role Who writes it.
---@field text? string The whole text, for a message that does not stream, such as the user's.
---@field type "message.started"

--- What the agent may do without asking.
---@alias bowline.Mode
---| "default" # Read; ask for the rest.
---| "acceptEdits" # Also change files in the session's folders.
---| "plan" # Only read, and write a plan.
---| "auto" # Also change files; a model judges what would be asked.
---| "bypassPermissions" # Everything.
---| "dontAsk" # What rules allow; the rest is denied without asking.
---| string # A value of a later version.

--- Choosing a mode that asks nothing any more. Asked once on a machine.
---@class bowline.ModeSubject
---@field kind "mode"
---@field mode string The mode.

--- A model that a session can use.
---@class bowline.ModelInfo
---@field contextWindow? integer How many tokens fit into its context.
---@field description? string One sentence for a picker.
---@field efforts? bowline.Effort[] The efforts it accepts; absent when it has none.
---@field id string The id to use in `config.model`.
---@field isDefault? boolean True for the model that a session gets when none is named.
---@field name string The name for people.
---@field provider string Who serves it: `anthropic`, `bedrock`, `vertex`, `openai`, `rehearsal` …
---@field thinking? boolean True when thinking can be switched on or off.

--- The model a new session gets.
---@class bowline.ModelStatus
---@field id string Its id.
---@field problem? string What is wrong, in one sentence that says what to do.
---@field provider string Who serves it.

--- What one model has cost.
---@class bowline.ModelUsage
---@field costUsd number In US dollars; 0 for a model without a known price.
---@field maxOutput integer Tokens that an answer may have.
---@field model string Its id.
---@field usage bowline.Usage The tokens.
---@field webSearches? integer Searches of the web that the provider ran.
---@field window integer Tokens that fit.

--- Where a hunk is now.
---@class bowline.MovedHunk
---@field id string The hunk's id.
---@field range bowline.Range Its range.

--- Something the user should know.
---@class bowline.Notice: bowline.Event
---@field severity bowline.Severity How bad it is.
---@field text string What it is, and what to do.
---@field type "notice"

--- Whether an option allows.
---@alias bowline.OptionKind
---| "allow" # It does.
---| "deny" # It does not.
---| string # A value of a later version.

--- How long an answer holds.
---@alias bowline.OptionScope
---| "once" # For this call.
---| "turn" # For the rest of the turn.
---| "session" # For the rest of the session.
---| "project" # For this project.
---| "user" # For all projects of the user.
---| string # A value of a later version.

--- What a command printed.
---@class bowline.OutputPart
---@field exitCode? integer The exit code; absent when it was killed or still runs.
---@field text string Standard output and standard error as they came.
---@field truncatedBytes? integer How many bytes were left out, when the output was cut.
---@field type "output"

--- A request that still waits for an answer.
---@alias bowline.Pending
---| bowline.PendingPermission
---| bowline.PendingAsk

--- A question.
---@class bowline.PendingAsk
---@field request bowline.AskParams The question.
---@field type "ask"

--- A permission request.
---@class bowline.PendingPermission
---@field request bowline.PermissionRequestParams The request.
---@field type "permission"

--- The user's answer.
---@class bowline.PermissionAnswer
---@field editedInput? any The input to use instead of the model's.
---@field feedback? string What the agent shall do instead; it reads this with the denial.
---@field optionId string The chosen option.

--- One answer to choose.
---@class bowline.PermissionOption
---@field id string What the answer names.
---@field kind bowline.OptionKind Whether it allows.
---@field label string What the user sees.
---@field rule? string The rule that choosing it adds, for example `Bash(cargo test:*)`.
---@field scope bowline.OptionScope How long it holds.

--- What the agent wants to do.
---@class bowline.PermissionRequestParams
---@field agent? string The agent that asks, where it is not the one that leads the session.
---@field editable? boolean True when the answer may carry `editedInput`.
---@field options bowline.PermissionOption[] The answers to choose from, the safest "allow" first.
---@field reason string Why it is asked and not simply done, in one sentence.
---@field requestId string The id that `agent/permission/respond` and `agent/request/resolved` name.
---@field sessionId string The session that asks.
---@field subject bowline.Subject What it is about.
---@field title string The question in one line, for example `Run cargo test?`.
---@field toolCall? bowline.ToolCall The call that waits; absent when none does, as for `trust`.
---@field turnId? string The turn that asks; absent when no turn runs, as for `trust`.

--- The user's answer, from a door that did not get the request.
---@class bowline.PermissionRespondParams
---@field editedInput? any The input to use instead of the model's.
---@field feedback? string What the agent shall do instead; it reads this with the denial.
---@field optionId string The chosen option.
---@field requestId string The request.

--- A permission rule.
---@class bowline.PermissionRule
---@field behavior bowline.RuleBehavior What it says.
---@field rule string The rule.
---@field scope bowline.RuleScope Where it is kept.
---@field setBy? string Who set it, in words for people.
---@field source? string The file it comes from, as a path; absent for a rule that lives in memory.

--- What to do with which rule.
---@class bowline.PermissionRulesParams
---@field behavior? bowline.RuleBehavior What the rule says; needed by `add` and `remove`.
---@field op bowline.RuleOp What to do.
---@field rule? string The rule, for example `Bash(cargo test:*)`; needed by `add` and `remove`.
---@field scope? bowline.RuleScope Where the rule is kept; `session` without it. With `list`: only these.
---@field sessionId? string The session whose project is meant; needed unless `scope` is `user`.

--- The rules after the operation.
---@class bowline.PermissionRulesResult
---@field denials? bowline.RecentDenial[] With `list`: what was refused lately in this session, the newest first.
---@field rules bowline.PermissionRule[] All of them, in the order in which they are asked.

--- One step of a plan.
---@class bowline.PlanEntry
---@field content string What is to be done.
---@field status bowline.TodoStatus Where it stands.

--- Leaving plan mode to carry a plan out.
---@class bowline.PlanSubject
---@field kind "plan"
---@field text string The plan in Markdown.

--- The plan changed.
---@class bowline.PlanUpdated: bowline.Event
---@field entries bowline.PlanEntry[] The whole plan.
---@field type "plan.updated"

--- A place in a text, counted in the negotiated position encoding.
---@class bowline.Position
---@field character integer Column, from zero, in code units of the negotiated encoding.
---@field line integer Line, from zero.

--- What went wrong.
---@class bowline.Problem
---@field kind bowline.ProblemKind What kind of problem it is.
---@field message string One sentence that says what to do.
---@field status? integer The HTTP status, when there was one.

--- What kind of problem it is.
---@alias bowline.ProblemKind
---| "authentication" # The key or the sign-in is missing or wrong.
---| "billing" # The account may not do this, or has no credit.
---| "rateLimit" # Too many requests.
---| "overloaded" # The model's service is busy or broken.
---| "network" # The service could not be reached.
---| "invalidRequest" # The request was not accepted, for example an unknown model.
---| "internal" # A bug, or a disk that is full.
---| string # A value of a later version.

--- A question with choices.
---@class bowline.Question
---@field freeText? boolean True when an answer beside the choices is welcome.
---@field header? string A word or two, for a tab or a chip.
---@field id string The key of the answer in `content`.
---@field multiSelect? boolean True when several choices may be taken.
---@field options bowline.Choice[] The choices; empty means free text.
---@field text string The question.

--- What to do with the prompts that wait.
---@alias bowline.QueueOp
---| "list" # List them.
---| "remove" # Drop one.
---| "replace" # Change one.
---| "move" # Put one elsewhere.
---| "start" # Begin with the first, where a stop left them waiting; names none.
---| string # A value of a later version.

--- The prompts that wait changed.
---@class bowline.QueueUpdated: bowline.Event
---@field queue bowline.QueuedPrompt[] All of them, the next one first.
---@field type "queue.updated"

--- A prompt that waits.
---@class bowline.QueuedPrompt
---@field content bowline.Block[] The prompt.
---@field messageId string The id of the message it will become.

--- A stretch of text; `end` is not part of it.
---@class bowline.Range
---@field end bowline.Position Where it ends.
---@field start bowline.Position Where it starts.

--- Reading a file outside the session's folders.
---@class bowline.ReadSubject
---@field kind "read"
---@field target? string Where it really is, as a path, when links lead there.
---@field uri string The file or folder.

--- Something that was not allowed.
---@class bowline.RecentDenial
---@field at integer When, in milliseconds since 1970.
---@field reason string Why not.
---@field title string What it was to do, in one line.
---@field tool string The tool.

--- Renames a file.
---@class bowline.RenameFile
---@field kind "rename"
---@field newUri string What it will be called.
---@field oldUri string The file as it is called now.
---@field options? bowline.FileOptions What to do when the new name exists.

--- A request that needs no answer any more.
---@class bowline.RequestResolvedParams
---@field by bowline.ResolvedBy Who settled it.
---@field requestId string The `requestId` of `agent/permission/request` or `agent/ask`.

--- Who settled a request.
---@alias bowline.ResolvedBy
---| "client" # Another client.
---| "hook" # A hook.
---| "rule" # A rule that was added meanwhile.
---| "timeout" # Nobody, in time.
---| "cancelled" # The turn was stopped, or the session closed.
---| string # A value of a later version.

--- A resource of an MCP server.
---@class bowline.ResourceBlock
---@field server string The server's name.
---@field type "resource"
---@field uri string The resource's URI.

--- A request to the model failed and will be sent again.
---@class bowline.Retry: bowline.Event
---@field attempt integer Which attempt failed, from one.
---@field delayMs integer How long until the next one.
---@field error bowline.Problem What went wrong.
---@field type "retry"

--- What the user did with a change.
---@alias bowline.ReviewAction
---| "accept" # Keeps it.
---| "reject" # Takes it back.
---| string # A value of a later version.

--- Which file to compare.
---@class bowline.ReviewDiffParams
---@field uri string The document.

--- Both sides of the comparison.
---@class bowline.ReviewDiffResult
---@field diff? bowline.FileDiff|nil The text with all pending hunks switched off, and the text as it is now; null when no hunk of this file is pending.

--- Which hunks; all without any field.
---@class bowline.ReviewListParams
---@field sessionId? string Only those of this session.
---@field turnId? string Only those of this turn.
---@field uri? string Only those of this document.

--- The hunks, in the order of their files and places.
---@class bowline.ReviewListResult
---@field hunks bowline.Hunk[] The hunks.

--- What to do with which hunks: exactly one of `hunkIds`, `uri`, `turnId`, `sessionId` and `at` is
--- present, or `uri` with `sessionId`. Rejecting a whole document, turn, session or call takes earlier hunks of it along that a
--- later one replaced and that would be pending again.
---@class bowline.ReviewResolveParams
---@field action bowline.ReviewAction What to do.
---@field at? bowline.DocumentPosition The pending hunk at this position, as the server finds it in that version of the document.
---@field comment? string What the user wants instead; the agent reads it with the next prompt.
---@field hunkIds? string[] These hunks.
---@field lines? bowline.LineSpan[] With one hunk: only these lines of its new text; the rest stays pending.
---@field sessionId? string All pending hunks of this session; with `uri`, only those of that document.
---@field toolCallId? string With `sessionId`: only those of this tool call.
---@field turnId? string All pending hunks of this turn.
---@field uri? string All pending hunks of this document.

--- What became of the hunks.
---@class bowline.ReviewResolveResult
---@field results bowline.HunkResult[] One entry for each hunk.
---@field undoToken string Hand it to `agent/session/unrewind` to take this decision back.

--- What a rewind does to a file.
---@alias bowline.RewindChange
---| "restored" # Gives it its old content.
---| "created" # Makes it again.
---| "deleted" # Deletes what the agent had made.
---| string # A value of a later version.

--- A place that a rewind leaves alone.
---@class bowline.RewindConflict
---@field range? bowline.Range The place; absent for the whole file.
---@field reason string Why, in one sentence.
---@field uri string The file.
---@field version? integer|nil The version `range` belongs to; null when the file is not open in the editor.

--- What goes back in a rewind.
---@alias bowline.RewindWhat
---| "conversation" # The conversation.
---| "files" # The files the agent changed.
---| "both" # Both.
---| string # A value of a later version.

--- A file that a rewind changes.
---@class bowline.RewoundFile
---@field addedLines integer How many lines come back.
---@field change bowline.RewindChange What happens to it.
---@field removedLines integer How many lines go.
---@field uri string The file.
---@field version? integer|nil The version it has now; null when the file is not open in the editor.

--- Who wrote a message.
---@alias bowline.Role
---| "user" # The user.
---| "assistant" # The model.
---| "system" # Bowline itself, for example the result of a command.
---| string # A value of a later version.

--- What a rule says.
---@alias bowline.RuleBehavior
---| "allow" # Do it.
---| "ask" # Ask first.
---| "deny" # Do not do it.
---| string # A value of a later version.

--- What to do with rules.
---@alias bowline.RuleOp
---| "list" # List them.
---| "add" # Add one.
---| "remove" # Remove one.
---| string # A value of a later version.

--- Where a rule is kept.
---@alias bowline.RuleScope
---| "turn" # In memory, until the turn ends.
---| "session" # In memory, until the session ends.
---| "local" # In the project's settings, for this user only.
---| "project" # In the project's settings, shared.
---| "user" # In the user's settings.
---| "managed" # In settings of an administrator; cannot be changed.
---| string # A value of a later version.

--- What keeps commands in on this machine.
---@class bowline.SandboxStatus
---@field kind string `bubblewrap`, `landlock`, `seatbelt` or `none`.
---@field problem? string Why there is none, or what it cannot do, in one sentence.

--- A document that could not be saved.
---@class bowline.SaveFailure
---@field reason string Why.
---@field uri string The document.

--- What is selected in the editor.
---@class bowline.SelectionBlock
---@field range bowline.Range Where.
---@field text string The selected text.
---@field type "selection"
---@field uri string The document.
---@field version? integer|nil The version the selection belongs to; null when the file is not open.

--- What a server can do.
---@class bowline.ServerCapabilities
---@field features table<string, boolean> Optional parts of the server by name, for example `rewind`; a missing name is false.
---@field models bowline.ModelInfo[] The models a session can be started with, the default one first.
---@field stateDir string The folder, as a path, where the server keeps sessions and settings.
---@field version integer The version of the contract the server speaks.

--- Which session to join, and from where on.
---@class bowline.SessionAttachParams
---@field cwd? string Where a stored session goes on when its own folder is gone, as an absolute path.
---@field sessionId string The session.
---@field since? integer The `seq` of the last event the client has; a snapshot is sent without it.

--- A session to show. With `since`: the missed events, each once. Without, or when those are
--- no longer kept: a snapshot.
---@class bowline.SessionAttachResult
---@field agents bowline.AgentInfo[] The agents it can start.
---@field commands bowline.Command[] The `/commands` it has.
---@field config bowline.Config Its settings.
---@field events bowline.Event[] The events after `since`.
---@field pending bowline.Pending[] Requests that still wait for an answer.
---@field seq integer The `seq` up to which all is told; the next event has the next number.
---@field sessionId string The session's whole id; a beginning that fits only one will do to ask for it.
---@field snapshot? bowline.Snapshot The session as of `seq`.

--- What to stop: the running turn without any of the optional fields.
---@class bowline.SessionCancelParams
---@field sessionId string The session.
---@field taskId? string This background task.
---@field toolCallId? string Only this call; the turn goes on.
---@field turnId? string Only if this turn still runs.

--- The state after stopping.
---@class bowline.SessionCancelResult
---@field state bowline.CancelState Where the session stands.

--- How to sum up.
---@class bowline.SessionCompactParams
---@field instructions? string What the summary must keep.
---@field sessionId string The session.

--- Settings to change; nothing is changed without `set`.
---@class bowline.SessionConfigParams
---@field sessionId string The session.
---@field set? bowline.ConfigChange The changes.

--- The settings after the change.
---@class bowline.SessionConfigResult
---@field config bowline.Config All of them.

--- What fills the context.
---@class bowline.SessionContextResult
---@field breakdown bowline.ContextShare[] What uses them.
---@field counted? boolean True when the provider counted `used`; an estimate without it.
---@field used integer Tokens in use.
---@field window integer Tokens that fit.

--- What a session has cost.
---@class bowline.SessionCostResult
---@field cacheLosses? string[] Why the provider's prompt cache was lost lately, a sentence each, the oldest first.
---@field costUsd number In US dollars, with everything that was asked beside the conversation.
---@field models bowline.ModelUsage[] The same model by model.
---@field usage bowline.Usage The tokens of all models.

--- How to write a session out.
---@class bowline.SessionExportParams
---@field agentId? string Only what this agent of the session did.
---@field format bowline.ExportFormat The format.
---@field path? string A file to make for it, as an absolute path. One that is there already is left alone.
---@field sessionId string The session.
---@field tail? integer Without `path`: only the last so many bytes, from the beginning of a line on.

--- A session written out: `content`, or `path` when a file was asked for or it is too long for
--- one message.
---@class bowline.SessionExportResult
---@field content? string The text.
---@field path? string The file that holds it, as a path.

--- Which session to copy.
---@class bowline.SessionForkParams
---@field atMessage? string The last message to copy, with the results of its calls; all without it.
---@field sessionId string The session.

--- The copy.
---@class bowline.SessionForkResult
---@field sessionId string Its id.

--- A session in a list.
---@class bowline.SessionInfo
---@field branch? string The branch that was checked out when it was last used.
---@field cwd string The folder it works in, as a path.
---@field live boolean True when it is loaded.
---@field messages integer How many messages it has.
---@field sessionId string Its id.
---@field status bowline.SessionStatus Where it stands.
---@field title string Its title.
---@field updatedAt integer When it was last used, in milliseconds since 1970 UTC.

--- Which sessions; all without any field.
---@class bowline.SessionListParams
---@field cursor? string `next` of the page before.
---@field cwd? string Only those of this folder.
---@field limit? integer How many are on a page: 50 without it, 1000 at most.
---@field query? string Only those whose title or text has these words.
---@field worktrees? boolean With `cwd`, true: also those of the same folder in other worktrees of its repository.

--- One page of sessions.
---@class bowline.SessionListResult
---@field next? string The cursor of the next page; absent on the last one.
---@field sessions bowline.SessionInfo[] The sessions, the one used last first.

--- How to start a session.
---@class bowline.SessionNewParams
---@field agent? string The agent that leads the session.
---@field cwd string The folder the session works in, as an absolute path.
---@field ephemeral? boolean True: nothing is stored.
---@field mcpServers? table<string, any> MCP servers for this session: name → configuration, as in an MCP settings file.
---@field mode? bowline.Mode The permission mode; the one of the settings without it.
---@field model? string The model; the default one without it.
---@field roots? string[] More folders it may work in, as absolute paths.
---@field sessionId? string The id it shall have, a UUID that no session has yet; made without it.
---@field title? string The title; made from the first prompt without it.

--- A session that has begun.
---@class bowline.SessionNewResult
---@field agents bowline.AgentInfo[] The agents it can start.
---@field commands bowline.Command[] The `/commands` it has.
---@field config bowline.Config Its settings.
---@field seq integer The `seq` of the last event before the first that will be sent.
---@field sessionId string Its id.

--- A prompt.
---@class bowline.SessionPromptParams
---@field clientMessageId? string An id of the client's own: sending the same one again does nothing and gives the first answer again.
---@field content bowline.Block[] The prompt.
---@field delivery? bowline.Delivery What to do while a turn runs; `auto` without it.
---@field sessionId string The session.

--- A prompt was accepted.
---@class bowline.SessionPromptResult
---@field disposition bowline.Disposition What became of it.
---@field messageId string The id of the message it became.
---@field turnId? string The turn it started or joined.

--- What to do with the prompts that wait.
---@class bowline.SessionQueueParams
---@field content? bowline.Block[] With `replace`: the new content.
---@field messageId? string The prompt; needed by every operation but `list` and `start`.
---@field op bowline.QueueOp What to do.
---@field sessionId string The session.
---@field to? integer With `move`: the new place, from zero.

--- The prompts that wait, the next one first.
---@class bowline.SessionQueueResult
---@field queue bowline.QueuedPrompt[] The prompts.

--- Names a session.
---@class bowline.SessionRef
---@field sessionId string The session.

--- A new title for a session.
---@class bowline.SessionRenameParams
---@field sessionId string The session.
---@field title string The title.

--- Where to go back to.
---@class bowline.SessionRewindParams
---@field preview? boolean True: only tell what would happen.
---@field sessionId string The session.
---@field toMessage string The user's message before which things stood as they shall stand again.
---@field what bowline.RewindWhat What goes back.

--- What a rewind did, or would do.
---@class bowline.SessionRewindResult
---@field conflicts bowline.RewindConflict[] Places that stay as they are, because the user has changed them since.
---@field files bowline.RewoundFile[] The files that change.
---@field hunks bowline.Hunk[] The agent's hunks that are taken back.
---@field undoToken? string Hand it to `agent/session/unrewind` to take the rewind back; absent for a preview.

--- The session went back; unless only files did, clients drop the message and what follows.
---@class bowline.SessionRewound: bowline.Event
---@field toMessage string The user's message before which things stand again.
---@field type "session.rewound"
---@field undoToken? string Hand it to `agent/session/unrewind` to take the rewind back.
---@field what bowline.RewindWhat What went back.

--- A command of the user's own.
---@class bowline.SessionShellParams
---@field command string The command, as it is written in a shell.
---@field sessionId string The session.

--- The command is on its way.
---@class bowline.SessionShellResult
---@field toolCallId string The call that shows it; `agent/session/cancel` stops it.

--- Where a session stands.
---@alias bowline.SessionStatus
---| "idle" # Nothing runs.
---| "running" # A turn runs.
---| "waiting" # A turn waits for an answer of the user.
---| string # A value of a later version.

--- What to take back.
---@class bowline.SessionUnrewindParams
---@field undoToken string The token of a rewind or a review decision.

--- A rewind of the conversation was taken back: clients attach again to see it.
---@class bowline.SessionUnrewound: bowline.Event
---@field type "session.unrewound"

--- The title or the state of the session changed.
---@class bowline.SessionUpdated: bowline.Event
---@field status? bowline.SessionStatus The new state.
---@field title? string The new title.
---@field type "session.updated"

--- How bad a notice is.
---@alias bowline.Severity
---| "info" # Good to know.
---| "warning" # Something is not as it should be.
---| "error" # Something failed.
---| string # A value of a later version.

--- A session as it stands.
---@class bowline.Snapshot
---@field messages bowline.SnapshotMessage[] The conversation, the oldest message first.
---@field title? string The session's title; absent while it has none.
---@field todos bowline.Todo[] The todo list.
---@field turnId? string The turn that runs; absent when none does.
---@field usage bowline.ContextUsage How full the context is and what it has cost.

--- Something the user added to a prompt.
---@class bowline.SnapshotAttachment
---@field block bowline.Block What was added.
---@field type "attachment"

--- One part of a message.
---@alias bowline.SnapshotBlock
---| bowline.SnapshotText
---| bowline.SnapshotThought
---| bowline.SnapshotToolCall
---| bowline.SnapshotAttachment
---| bowline.SnapshotSummary

--- One message of the conversation.
---@class bowline.SnapshotMessage
---@field at? integer When, in milliseconds since 1970 UTC.
---@field blocks bowline.SnapshotBlock[] What it is made of, in order.
---@field messageId string Its id.
---@field role bowline.Role Who wrote it.

--- Everything before this was summed up.
---@class bowline.SnapshotSummary
---@field text string The summary.
---@field type "summary"

--- Text.
---@class bowline.SnapshotText
---@field text string The text.
---@field type "text"

--- What the model thought.
---@class bowline.SnapshotThought
---@field text string The thought.
---@field type "thought"

--- A tool call with its outcome.
---@class bowline.SnapshotToolCall
---@field call bowline.ToolCallState The call.
---@field type "toolCall"

--- What the user's command for the status line printed.
---@class bowline.StatusLineUpdated: bowline.Event
---@field lines string[] Line by line; colours are written as a terminal reads them (SGR).
---@field type "status.line"

--- The server at this moment.
---@class bowline.StatusResult
---@field children bowline.ChildProcess[] The processes it started and has not reaped.
---@field collector? string Who gets metrics and traces, when the user named somebody.
---@field logFile? string Where the log is written, when there is one.
---@field model bowline.ModelStatus The model a new session gets.
---@field queues table<string, integer> Queue name → how many entries wait in it.
---@field rssBytes integer How much memory it holds.
---@field sandbox? bowline.SandboxStatus What keeps commands in.
---@field sessions bowline.LiveSession[] The sessions that are loaded.
---@field uptimeMs integer How long it has run.
---@field version string The server's version.

--- Why a turn ended.
---@alias bowline.StopReason
---| "end_turn" # The model was done.
---| "max_tokens" # The model's answer was too long.
---| "max_turns" # The limit of steps was reached.
---| "max_budget" # The limit of cost was reached.
---| "refusal" # The model declined.
---| "cancelled" # The user stopped it.
---| "hook_stopped" # A hook stopped it.
---| "tool_deferred" # A hook put a call off until somebody decides about it; resuming the session asks the hook again.
---| "prompt_too_long" # The conversation does not fit into the context.
---| "model_error" # The model could not be asked.
---| "blocked" # The prompt was not let through, for example by a hook.
---| string # A value of a later version.

--- What a permission request is about.
---@alias bowline.Subject
---| bowline.CommandSubject
---| bowline.EditSubject
---| bowline.ReadSubject
---| bowline.FetchSubject
---| bowline.HostSubject
---| bowline.McpSubject
---| bowline.PlanSubject
---| bowline.ModeSubject
---| bowline.TrustSubject

--- A guess at what the user will say next. The next prompt, whoever sends it, ends it.
---@class bowline.Suggestion: bowline.Event
---@field text string The words to offer.
---@field type "suggestion"

--- A background task.
---@class bowline.Task
---@field endedAt? integer When it ended, in milliseconds since 1970 UTC.
---@field exitCode? integer The exit code of a shell that ended by itself.
---@field kind bowline.TaskKind What it is.
---@field outputFile? string The file that holds what it printed.
---@field sessionId string The session that started it.
---@field startedAt integer When it started, in milliseconds since 1970 UTC.
---@field status bowline.TaskStatus Where it stands.
---@field taskId string Its id.
---@field title string One line for people: the command, or what the agent was asked.
---@field toolCallId? string The call that started it.

--- A background task ended.
---@class bowline.TaskEnded: bowline.Event
---@field task bowline.Task The task.
---@field type "task.ended"

--- What a background task is.
---@alias bowline.TaskKind
---| "shell" # A command.
---| "agent" # An agent.
---| "mcp" # A call of an MCP server that takes long.
---| "monitor" # A command whose output the agent is told of.
---| "cron" # A prompt that is planned for later.
---| string # A value of a later version.

--- What to do with background tasks.
---@alias bowline.TaskOp
---| "list" # List them.
---| "output" # Read the output of one.
---| "stop" # Stop one.
---| string # A value of a later version.

--- A piece of a task's output.
---@class bowline.TaskOutput
---@field nextOffset integer The offset to ask for next.
---@field status bowline.TaskStatus Where the task stood when this was read.
---@field taskId string The task.
---@field text string The text from `offset` on.

--- A background task began.
---@class bowline.TaskStarted: bowline.Event
---@field task bowline.Task The task.
---@field type "task.started"

--- Where a background task stands.
---@alias bowline.TaskStatus
---| "running" # It runs.
---| "completed" # It ended well.
---| "failed" # It ended with an error.
---| "stopped" # It was stopped.
---| string # A value of a later version.

--- A background task moved on.
---@class bowline.TaskUpdated: bowline.Event
---@field task bowline.Task The task.
---@field type "task.updated"

--- What to do with which task.
---@class bowline.TasksParams
---@field offset? integer With `output`: the byte to start from; the start without it.
---@field op bowline.TaskOp What to do.
---@field sessionId? string Only the tasks of this session.
---@field taskId? string The task; needed by `output` and `stop`.

--- `list` and `stop` give the tasks, `output` gives the output.
---@class bowline.TasksResult
---@field output? bowline.TaskOutput What the task printed.
---@field tasks? bowline.Task[] The tasks, the newest first.

--- A command.
---@class bowline.TerminalRunParams
---@field command string The command line.
---@field cwd string The folder to run it in, as a path.
---@field sessionId string The session that runs it.
---@field toolCallId? string The call that it belongs to, so that the terminal can be shown there.

--- How the command ended.
---@class bowline.TerminalRunResult
---@field exitCode? integer|nil The exit code; null when it was killed.
---@field output string What it printed.

--- What the user wrote.
---@class bowline.TextBlock
---@field text string The text.
---@field type "text"

--- Edits of one document at one version.
---@class bowline.TextDocumentEdit
---@field edits bowline.TextEdit[] Edits that do not overlap, all in terms of that version.
---@field textDocument bowline.VersionedDocument The document; a client refuses the edit when it has another version.

--- Replaces a range by a text.
---@class bowline.TextEdit
---@field newText string What comes instead.
---@field range bowline.Range What is replaced.

--- Text.
---@class bowline.TextPart
---@field text string The text.
---@field type "text"

--- Whether a model thinks before it answers.
---@alias bowline.Thinking
---| "adaptive" # When it finds it useful.
---| "disabled" # Never.
---| "budget" # With so many tokens as `maxThinkingTokens` says.
---| string # A value of a later version.

--- More text of a thought.
---@class bowline.ThoughtDelta: bowline.Event
---@field messageId string The message it belongs to.
---@field text string What to append.
---@field type "thought.delta"

--- A thought is complete.
---@class bowline.ThoughtEnded: bowline.Event
---@field messageId string The message it belongs to.
---@field text? string The whole text, when it is not just the deltas one after the other.
---@field type "thought.ended"

--- A thought began.
---@class bowline.ThoughtStarted: bowline.Event
---@field messageId string The message it belongs to.
---@field type "thought.started"

--- One entry of the todo list.
---@class bowline.Todo
---@field activeForm? string The same, as it reads while it is being done.
---@field content string What is to be done.
---@field status bowline.TodoStatus Where it stands.

--- Where an entry of a todo list or a plan stands.
---@alias bowline.TodoStatus
---| "pending" # Not begun.
---| "in_progress" # Being done.
---| "completed" # Done.
---| string # A value of a later version.

--- The todo list changed.
---@class bowline.TodosUpdated: bowline.Event
---@field items bowline.Todo[] The whole list.
---@field type "todos.updated"

--- A tool call, as far as a permission prompt needs it.
---@class bowline.ToolCall
---@field input? any The input the model wrote.
---@field kind bowline.ToolKind What the tool does.
---@field name string The tool's name.
---@field parentToolCallId? string The call that started the agent which makes this one.
---@field toolCallId string The call's id.

--- A tool call with everything known about it, as a snapshot holds it.
---@class bowline.ToolCallState
---@field content bowline.ContentPart[] What came out.
---@field diff? bowline.FileDiff The change, when the call changed exactly one file.
---@field input? any The input the model wrote.
---@field kind bowline.ToolKind What the tool does.
---@field locations? bowline.Location[] Places the call touched.
---@field name string The tool's name.
---@field parentToolCallId? string The call that started the agent which makes this one.
---@field status bowline.ToolStatus Where it stands.
---@field title string One line for people, for example `Read src/main.rs`.
---@field toolCallId string The call's id.

--- A call ended.
---@class bowline.ToolEnded: bowline.Event
---@field content bowline.ContentPart[] What came out.
---@field diff? bowline.FileDiff The change, when the call changed exactly one file.
---@field durationMs? integer How long it ran.
---@field status bowline.ToolStatus `completed`, `failed`, `denied` or `cancelled`.
---@field toolCallId string The call.
---@field type "tool.ended"

--- More of a call's input.
---@class bowline.ToolInputDelta: bowline.Event
---@field text string A piece of JSON to append.
---@field toolCallId string The call.
---@field type "tool.inputDelta"

--- What a tool does, for an icon and for grouping.
---@alias bowline.ToolKind
---| "read" # Reads files.
---| "edit" # Changes files.
---| "execute" # Runs a command.
---| "search" # Searches files.
---| "fetch" # Reads from the network.
---| "think" # Plans, keeps lists, starts other agents.
---| "other" # None of these.
---| string # A value of a later version.

--- How far a running call is.
---@class bowline.ToolProgress
---@field done? integer How much is done, in the unit of `total`.
---@field message? string One line about what happens now.
---@field output? string New output since the last update, to be appended.
---@field total? integer How much there is to do.

--- The model began a tool call.
---@class bowline.ToolStarted: bowline.Event
---@field input? any The input, when it is already complete.
---@field kind bowline.ToolKind What the tool does.
---@field name string The tool's name.
---@field parentToolCallId? string The call that started the agent which makes this one.
---@field title string One line for people, for example `Read src/main.rs`.
---@field toolCallId string The call.
---@field type "tool.started"

--- Where a tool call stands.
---@alias bowline.ToolStatus
---| "pending" # Its input is still arriving, or it waits for its turn.
---| "waiting" # It waits for the user's permission.
---| "running" # It runs.
---| "completed" # It is done.
---| "failed" # It failed.
---| "denied" # The user or a rule said no.
---| "cancelled" # It was stopped.
---| string # A value of a later version.

--- A call moved on.
---@class bowline.ToolUpdated: bowline.Event
---@field input? any The input, once it is complete.
---@field locations? bowline.Location[] The places it touches.
---@field progress? bowline.ToolProgress How far it is.
---@field status bowline.ToolStatus `pending`, `waiting` or `running`.
---@field title? string A better title, now that more is known.
---@field toolCallId string The call.
---@field type "tool.updated"

--- What a few calls did, in one line, for a short transcript.
---@class bowline.ToolsSummarized: bowline.Event
---@field text string The line.
---@field toolCallIds string[] The calls, in their order.
---@field type "tools.summarized"

--- Whether a folder is trusted.
---@alias bowline.TrustDecision
---| "trust" # Its settings, hooks and servers may be used.
---| "deny" # They are ignored.
---| string # A value of a later version.

--- One thing that a folder's files switch on.
---@class bowline.TrustItem
---@field approved boolean Whether it is used as it is.
---@field hash string Changes with the thing.
---@field what string What it is, in one line.

--- A decision about a folder.
---@class bowline.TrustParams
---@field cwd string The folder, as a path.
---@field decision bowline.TrustDecision The decision.
---@field shown? string[] With `trust`: the hashes of everything that the user was shown. The folder is not trusted when it brings anything else by now.

--- Asks about a folder.
---@class bowline.TrustStateParams
---@field cwd string The folder, as a path.

--- What is known about a folder.
---@class bowline.TrustStateResult
---@field cwd string The folder, with all links followed.
---@field decidedFor? string The folder that was decided about: this one, or one above it.
---@field decision? bowline.TrustDecision The decision that holds; absent while there is none.
---@field items bowline.TrustItem[] What the folder switches on.
---@field more integer How many more there are, which cannot be approved.
---@field problems string[] What is wrong with the folder's files or with what was decided, in sentences.
---@field since? integer When it was decided, in milliseconds since 1970.

--- Trusting a folder.
---@class bowline.TrustSubject
---@field cwd string The folder, as a path.
---@field kind "trust"
---@field what string[] What the folder would switch on, one line for each hook, server or setting.

--- A turn ended: exactly once for each turn, also after a cancel or an error.
---@class bowline.TurnEnded: bowline.Event
---@field answers? integer How many answers the model gave, each ended by tool calls or by the end of the turn.
---@field costUsd number What it cost, in US dollars.
---@field durationMs integer How long it took.
---@field error? bowline.Problem What went wrong.
---@field stopReason bowline.StopReason Why it ended.
---@field terminalReason? string Why it ended, more precisely, for example `aborted_tools` or `budget_exhausted`.
---@field turnId string The turn.
---@field type "turn.ended"
---@field usage bowline.Usage The tokens it took.

--- A turn began.
---@class bowline.TurnStarted: bowline.Event
---@field messageId string The user's message that began it.
---@field turnId string The turn.
---@field type "turn.started"

--- Tokens that a turn took.
---@class bowline.Usage
---@field cacheReadTokens integer Read from the cache.
---@field cacheWriteTokens integer Written to the cache.
---@field inputTokens integer Read by the model, not from the cache.
---@field outputTokens integer Written by the model.

--- The context filled, or the cost grew.
---@class bowline.UsageUpdated: bowline.Event
---@field costUsd number What the session has cost so far, in US dollars.
---@field type "usage.updated"
---@field used integer Tokens in the context.
---@field window integer Tokens that fit.

--- A document at a version.
---@class bowline.VersionedDocument
---@field uri string The document's URI.
---@field version? integer|nil The version the sender saw; null when the file is not open in the editor.

--- A change of several documents, as LSP's `WorkspaceEdit` with versions.
---@class bowline.WorkspaceEdit
---@field documentChanges bowline.DocumentChange[] Edits and file operations, carried out in order.

--- Method → what is sent and what is answered.
---@class bowline.Methods
---@field ["agent/ask"] {params: bowline.AskParams, result: bowline.AskResult} Puts questions, a form or a link to the user.
---@field ["agent/ask/respond"] {params: bowline.AskRespondParams, result: bowline.Empty} Answers a question from a door that did not get it.
---@field ["agent/complete"] {params: bowline.CompleteParams, result: bowline.CompleteResult} Completes `/commands`, `@files`, `@agents`, `@mcp:resources` and `#memory` in a prompt.
---@field ["agent/diff/show"] {params: bowline.DiffShowParams, result: bowline.DiffShowResult} Shows a change. The outcome arrives by `agent/review/resolve` or by the permission answer.
---@field ["agent/edit/delta"] {params: bowline.EditDeltaParams} More of the new text of an inline edit.
---@field ["agent/edit/inline"] {params: bowline.EditInlineParams, result: bowline.EditStarted} Edits a range as an instruction says. Answers at once; the text streams by `agent/edit/delta`.
---@field ["agent/editor/apply"] {params: bowline.EditorApplyParams, result: bowline.EditorApplyResult} Changes documents as one step of undo.
---@field ["agent/editor/diagnostics"] {params: bowline.EditorDiagnosticsParams} What the editor's other language servers found in a document.
---@field ["agent/editor/dirty"] {params: bowline.EditorDirtyParams} Whether a document has unsaved changes.
---@field ["agent/editor/focus"] {params: bowline.EditorFocusParams} What the user looks at. Sent only while the user shares it.
---@field ["agent/editor/follow"] {params: bowline.EditorFollowParams} Whether the user wants to be shown where the agent works (`agent/editor/reveal`).
---@field ["agent/editor/languageServer"] {params: bowline.LanguageServerParams, result: any} Asks the editor's other language servers: definition, references, hover, symbols, rename, diagnostics.
---@field ["agent/editor/reveal"] {params: bowline.EditorRevealParams, result: bowline.Empty} Shows a place.
---@field ["agent/editor/save"] {params: bowline.EditorSaveParams, result: bowline.EditorSaveResult} Saves documents.
---@field ["agent/editor/text"] {params: bowline.EditorTextParams, result: bowline.EditorTextResult} Asks for the whole text of a document, after a change that did not fit the server's text.
---@field ["agent/event"] {params: bowline.Event} Something happened in a session.
---@field ["agent/fix/diagnostics"] {params: bowline.FixDiagnosticsParams, result: bowline.EditStarted} Fixes diagnostics of a document. Answers at once.
---@field ["agent/inline/resolved"] {params: bowline.InlineResolvedParams} Tells what the user did with an inline edit.
---@field ["agent/mcp"] {params: bowline.McpParams, result: bowline.McpResult} Lists MCP servers, or reconnects, signs in to, enables, disables or approves one.
---@field ["agent/memory/add"] {params: bowline.MemoryAddParams, result: bowline.MemoryAddResult} Adds a note to a memory file.
---@field ["agent/memory/list"] {params: bowline.MemoryListParams, result: bowline.MemoryListResult} Lists the memory files that a session goes by, and shows one.
---@field ["agent/permission/request"] {params: bowline.PermissionRequestParams, result: bowline.PermissionAnswer|nil} Asks the user whether something may be done. Null or an error means: deny, this once.
---@field ["agent/permission/respond"] {params: bowline.PermissionRespondParams, result: bowline.Empty} Answers a permission request from a door that did not get it.
---@field ["agent/permission/rules"] {params: bowline.PermissionRulesParams, result: bowline.PermissionRulesResult} Lists, adds or removes permission rules.
---@field ["agent/request/resolved"] {params: bowline.RequestResolvedParams} A request was answered by another door, or withdrawn: close its prompt.
---@field ["agent/review/diff"] {params: bowline.ReviewDiffParams, result: bowline.ReviewDiffResult} A file without its pending hunks, and as it is now.
---@field ["agent/review/list"] {params: bowline.ReviewListParams, result: bowline.ReviewListResult} Lists hunks, of all sessions or of one, of all files or of one.
---@field ["agent/review/resolve"] {params: bowline.ReviewResolveParams, result: bowline.ReviewResolveResult} Accepts or rejects hunks.
---@field ["agent/session/attach"] {params: bowline.SessionAttachParams, result: bowline.SessionAttachResult} Loads a stored session or joins a live one.
---@field ["agent/session/cancel"] {params: bowline.SessionCancelParams, result: bowline.SessionCancelResult} Stops a turn, a call or a task. Answered once it has really stopped; safe to repeat.
---@field ["agent/session/close"] {params: bowline.SessionRef, result: bowline.Empty} Stops a session and unloads it; it stays stored.
---@field ["agent/session/compact"] {params: bowline.SessionCompactParams, result: bowline.Empty} Sums the conversation up to free context. Events tell how it goes.
---@field ["agent/session/config"] {params: bowline.SessionConfigParams, result: bowline.SessionConfigResult} Reads a session's settings, and changes them.
---@field ["agent/session/context"] {params: bowline.SessionRef, result: bowline.SessionContextResult} Tells what fills the context.
---@field ["agent/session/cost"] {params: bowline.SessionRef, result: bowline.SessionCostResult} Tells what the session has cost, model by model.
---@field ["agent/session/delete"] {params: bowline.SessionRef, result: bowline.Empty} Deletes a session for good.
---@field ["agent/session/detach"] {params: bowline.SessionRef, result: bowline.Empty} Stops receiving a session's events; the session goes on.
---@field ["agent/session/export"] {params: bowline.SessionExportParams, result: bowline.SessionExportResult} Writes a session out.
---@field ["agent/session/fork"] {params: bowline.SessionForkParams, result: bowline.SessionForkResult} Copies a session, whole or up to a message, and leaves the original alone.
---@field ["agent/session/list"] {params: bowline.SessionListParams, result: bowline.SessionListResult} Lists sessions, the one used last first.
---@field ["agent/session/new"] {params: bowline.SessionNewParams, result: bowline.SessionNewResult} Starts a session.
---@field ["agent/session/prompt"] {params: bowline.SessionPromptParams, result: bowline.SessionPromptResult} Sends a prompt. Answered on acceptance, never at the end of the turn.
---@field ["agent/session/queue"] {params: bowline.SessionQueueParams, result: bowline.SessionQueueResult} Looks at the prompts that wait, and changes them.
---@field ["agent/session/rename"] {params: bowline.SessionRenameParams, result: bowline.Empty} Gives a session a title.
---@field ["agent/session/rewind"] {params: bowline.SessionRewindParams, result: bowline.SessionRewindResult} Goes back to a message: the conversation, the files the agent changed, or both.
---@field ["agent/session/shell"] {params: bowline.SessionShellParams, result: bowline.SessionShellResult} Runs a command of the user's own, with the rules and the walls that hold for the agent. It is shown as a call, and the model learns of it with what is said next.
---@field ["agent/session/unrewind"] {params: bowline.SessionUnrewindParams, result: bowline.Empty} Takes a rewind, or a review decision, back.
---@field ["agent/status"] {params: bowline.Empty, result: bowline.StatusResult} How the server is doing: for a status line, a bug report and tests that look for leaks.
---@field ["agent/tasks"] {params: bowline.TasksParams, result: bowline.TasksResult} Lists background tasks, reads the output of one or stops one.
---@field ["agent/terminal/run"] {params: bowline.TerminalRunParams, result: bowline.TerminalRunResult} Runs a command where the user can see it.
---@field ["agent/trust"] {params: bowline.TrustParams, result: bowline.Empty} Says whether a folder is trusted.
---@field ["agent/trust/state"] {params: bowline.TrustStateParams, result: bowline.TrustStateResult} What was decided about a folder, and what it would switch on.

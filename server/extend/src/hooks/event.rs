//! The events, in one table: what a matcher looks at, which kinds of handlers there may be, and what
//! the exit code 2 means.

use std::time::Duration;

use super::HookKind;

/// What a matcher is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// The name of a tool, also by a name that it had before.
    Tool,
    /// A word that the event has: why, what kind, whose.
    Word,
    /// The same, but in a list of names only `|` stands between them.
    Plain,
    /// Nothing: a matcher does not matter.
    Nothing,
}

/// Which kinds of handlers an event may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    All,
    /// No model is asked.
    NoModel,
    /// Neither a model nor a server of the web.
    Local,
}

/// What becomes of it when a handler ends with the exit code 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTwo {
    /// What was about to happen does not.
    Blocks,
    /// It has happened; the model is told.
    TellsModel,
    /// The user is told.
    TellsUser,
}

macro_rules! events {
    ($($name:ident: $matched:ident, $kinds:ident, $two:ident;)*) => {
        /// Something that happens to a session, and that hooks may be about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum HookEvent {
            $($name,)*
        }

        impl HookEvent {
            pub const ALL: &[HookEvent] = &[$(HookEvent::$name,)*];
            pub const NAMES: &[&str] = &[$(stringify!($name),)*];

            /// As it is written in settings.
            pub fn name(self) -> &'static str {
                match self {
                    $(HookEvent::$name => stringify!($name),)*
                }
            }

            pub fn parse(name: &str) -> Option<HookEvent> {
                match name {
                    $(stringify!($name) => Some(HookEvent::$name),)*
                    _ => None,
                }
            }

            pub fn matched(self) -> Matched {
                match self {
                    $(HookEvent::$name => Matched::$matched,)*
                }
            }

            pub fn kinds(self) -> Kinds {
                match self {
                    $(HookEvent::$name => Kinds::$kinds,)*
                }
            }

            pub fn on_two(self) -> OnTwo {
                match self {
                    $(HookEvent::$name => OnTwo::$two,)*
                }
            }
        }
    };
}

events! {
    PreToolUse:          Tool,    All,     Blocks;
    PostToolUse:         Tool,    All,     TellsModel;
    PostToolUseFailure:  Tool,    All,     TellsModel;
    PostToolBatch:       Nothing, All,     Blocks;
    PermissionRequest:   Tool,    All,     Blocks;
    PermissionDenied:    Tool,    All,     TellsUser;
    UserPromptSubmit:    Nothing, All,     Blocks;
    UserPromptExpansion: Word,    All,     Blocks;
    SessionStart:        Word,    Local,   TellsUser;
    SessionEnd:          Word,    NoModel, TellsUser;
    Stop:                Nothing, All,     Blocks;
    SubagentStop:        Word,    All,     Blocks;
    SubagentStart:       Word,    NoModel, TellsUser;
    StopFailure:         Plain,   NoModel, TellsUser;
    Notification:        Word,    NoModel, TellsUser;
    PreCompact:          Word,    NoModel, Blocks;
    PostCompact:         Word,    NoModel, TellsUser;
    PreModelSwitch:      Nothing, NoModel, Blocks;
    PostModelSwitch:     Nothing, NoModel, TellsUser;
    Setup:               Word,    Local,   TellsUser;
    InstructionsLoaded:  Word,    NoModel, TellsUser;
    ConfigChange:        Word,    NoModel, Blocks;
    CwdChanged:          Nothing, NoModel, TellsUser;
    FileChanged:         Plain,   NoModel, TellsUser;
    DirectoryAdded:      Word,    NoModel, TellsUser;
    WorktreeCreate:      Nothing, NoModel, Blocks;
    WorktreeRemove:      Nothing, NoModel, TellsUser;
    TaskCreated:         Nothing, All,     Blocks;
    TaskCompleted:       Nothing, All,     Blocks;
    TeammateIdle:        Nothing, All,     Blocks;
    Elicitation:         Word,    NoModel, Blocks;
    ElicitationResult:   Word,    NoModel, Blocks;
    MessageDisplay:      Nothing, NoModel, TellsUser;
}

impl HookEvent {
    /// Whether a handler of this kind can be asked.
    pub fn takes(self, kind: HookKind) -> bool {
        match (self.kinds(), kind) {
            (Kinds::All, _) | (_, HookKind::Command | HookKind::McpTool) => true,
            (Kinds::NoModel, kind) => kind == HookKind::Http,
            (Kinds::Local, _) => false,
        }
    }

    /// A handler that fails has said no: it stands between a wish and its effect.
    pub fn fails_closed(self) -> bool {
        use HookEvent::{PermissionRequest, PreToolUse, UserPromptSubmit};
        matches!(self, PreToolUse | PermissionRequest | UserPromptSubmit)
    }

    /// Plain words on the standard output are for the model.
    pub fn words_are_context(self) -> bool {
        use HookEvent::{SessionStart, UserPromptExpansion, UserPromptSubmit};
        matches!(self, SessionStart | UserPromptSubmit | UserPromptExpansion)
    }

    /// A handler may say here what later commands find in their environment.
    pub fn has_env_file(self) -> bool {
        use HookEvent::{CwdChanged, FileChanged, SessionStart, Setup};
        matches!(self, SessionStart | Setup | CwdChanged | FileChanged)
    }

    /// It is about a call, so a condition (`if`) can be looked at.
    pub fn is_about_a_call(self) -> bool {
        self.matched() == Matched::Tool
    }

    /// How long a handler may take when it does not say so itself.
    pub fn patience(self, kind: HookKind) -> Duration {
        let seconds = match (kind, self) {
            (HookKind::Prompt, _) => 30,
            (HookKind::Agent, _) => 60,
            (_, HookEvent::UserPromptSubmit) => 30,
            (_, HookEvent::MessageDisplay) => 10,
            _ => 600,
        };
        Duration::from_secs(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(HookEvent::ALL.len(), 33);
        for event in HookEvent::ALL {
            assert_eq!(HookEvent::parse(event.name()), Some(*event));
        }
        assert_eq!(HookEvent::parse("preToolUse"), None);
    }

    #[test]
    fn kinds_and_patience() {
        use HookEvent::{MessageDisplay, Notification, PreToolUse, SessionStart, UserPromptSubmit};
        use HookKind::{Agent, Command, Http, McpTool, Prompt};
        let kinds = [Command, Http, McpTool, Prompt, Agent];
        let takes = |event: HookEvent| kinds.map(|kind| event.takes(kind));
        assert_eq!(takes(PreToolUse), [true; 5]);
        assert_eq!(takes(Notification), [true, true, true, false, false]);
        assert_eq!(takes(SessionStart), [true, false, true, false, false]);
        let seconds = |event: HookEvent| kinds.map(|kind| event.patience(kind).as_secs());
        assert_eq!(seconds(PreToolUse), [600, 600, 600, 30, 60]);
        assert_eq!(seconds(UserPromptSubmit), [30, 30, 30, 30, 60]);
        assert_eq!(seconds(MessageDisplay)[0], 10);
    }
}

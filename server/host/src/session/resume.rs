//! A session that is opened again: was its last turn cut off?

use agent::Conversation;
use agent::conversation::Interrupted;
use protocol::event::Severity;

/// Says so to the user, and lets the model know with the next prompt.
pub(super) fn notice(conversation: &mut Conversation) -> Option<(Severity, String)> {
    let (to_user, to_model) = match conversation.interrupted()? {
        Interrupted::Prompt => (
            "The last prompt of this session was never answered: the session broke off. Say \
             \"go on\" to have it answered now.",
            "The session broke off before you answered the message before this one. Answer it only \
             if the user still wants that.",
        ),
        Interrupted::Work => (
            "The last turn of this session was cut off in the middle of its work. Say \"go on\" to \
             continue it.",
            "The session broke off in the middle of your last turn. Calls whose results are unknown \
             may have acted or not: look before you repeat any of them.",
        ),
    };
    conversation.note(to_model);
    Some((Severity::Info, to_user.to_owned()))
}

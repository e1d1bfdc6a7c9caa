//! `/rewind [undo | message [what]]`: back to before a message of this session. Without a message
//! one picks it from a list; where nothing can be picked the list is printed, with ids to name.

use protocol::event::Severity;
use protocol::session::RewindWhat;
use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    let (message, what) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    match (message, what.trim()) {
        ("", _) => app.offer_rewind(),
        ("undo", "") => app.undo_rewind(),
        (message, "") => app.offer_rewind_to(message),
        (message, what @ ("both" | "conversation" | "files")) => {
            app.rewind_to(message, RewindWhat::from(what));
        }
        (_, what) => {
            let text = format!("`{what}` cannot be rewound; say both, conversation or files.");
            app.notice(Severity::Warning, &text);
        }
    }
}

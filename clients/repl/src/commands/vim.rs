//! `/vim [on|off]`: keys of vi in the input, now and in later sessions.

use protocol::event::Severity;
use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    let editor = &mut app.start.editor;
    let wanted = match argument {
        "" => editor.vim.is_none(),
        "on" => true,
        "off" => false,
        other => {
            let text = format!("/vim is on or off, not `{other}`.");
            return app.notice(Severity::Warning, &text);
        }
    };
    editor.use_vim(wanted);
    app.send_prompt(if wanted { "/vim on" } else { "/vim off" });
}

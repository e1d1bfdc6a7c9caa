//! `/theme [colours|plain]`: whether the client uses colours. Those it uses are the terminal's own
//! sixteen, so that it looks as the terminal does.

use protocol::event::Severity;
use tokio::time::Instant;

use crate::app::App;

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    app.colourless = match argument {
        "" => !app.colourless,
        "colours" | "colors" => false,
        "plain" => true,
        other => {
            let text = format!("There is no theme `{other}`; choose colours or plain.");
            return app.notice(Severity::Warning, &text);
        }
    };
    let text = match app.colourless {
        true => "No colours from here on; /theme colours brings them back.",
        false => "In colours from here on, the terminal's own; /theme plain does without.",
    };
    app.notice(Severity::Info, text);
}

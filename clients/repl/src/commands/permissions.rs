//! `/permissions remove`: picks the rule that shall go from a list. What names a rule, or only lists
//! them, is the server's.

use tokio::time::Instant;

use crate::app::App;

pub(super) fn when(argument: &str) -> bool {
    argument == "remove"
}

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    app.list_rules();
}

//! `/output-style [name]`: how answers are written.

use protocol::session::ConfigChange;

use super::{Done, Outcome, rows};
use crate::session::Session;

pub(super) fn run(session: &mut Session, argument: &str) -> Outcome {
    if !argument.is_empty() {
        let output_style = Some(argument.to_owned());
        session.configure(ConfigChange { output_style, ..ConfigChange::default() })?;
    }
    let style = session.briefing.style_name().unwrap_or("default");
    let styles = session.briefing.styles();
    let mut listed = vec![("default", "As it is without any".to_owned())];
    listed.extend(styles.list.iter().map(|style| {
        let about = extend::one_line(&style.description);
        (style.name.as_str(), about)
    }));
    Ok(Done::Said(format!(
        "Answers are written in the style {style}. There are:\n{}",
        rows(listed)
    )))
}

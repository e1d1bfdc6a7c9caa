//! What the machine itself says, to the model and to the user.

use crate::stream::{ModelError, ModelErrorKind};

/// Told to the model in place of a result, and after whatever it had said.
pub(super) const INTERRUPTED: &str = "[Request interrupted by user]";

/// Why calls get no result of their own, as the user and the model are told.
pub(super) struct GivenUp {
    pub(super) cancelled: bool,
    pub(super) message: &'static str,
}

pub(super) const NOT_RUN: GivenUp =
    GivenUp { cancelled: true, message: "The user interrupted the turn; this call did not run." };
pub(super) const BROKEN_OFF: GivenUp = GivenUp {
    cancelled: false,
    message: "The answer of the model broke off; this call did not run.",
};
pub(super) const UNFINISHED: GivenUp = GivenUp {
    cancelled: false,
    message: "The answer ended before this call was complete; it did not run.",
};
pub(super) const REPEATED: GivenUp =
    GivenUp { cancelled: true, message: "The model is asked again; this call did not run." };

/// After an answer that was cut off at its longest.
pub(super) const GO_ON: &str = "[Your answer reached the length limit and was cut off here. \
    Continue exactly where it stopped, without an apology and without repeating anything. If a \
    tool call was cut off, split it into smaller ones.]";

pub(super) const SAY_SOMETHING: &str =
    "[Your answer was empty. Continue with the task, or say in words that you are done.]";

pub(super) const REPEATING: &str = "[This exact call has now failed five times in a row. Do not \
    make it again: read the error, try another way, or tell the user what is missing.]";

pub(super) const USE_BUDGET: &str = "[Most of the budget for this task is still left. Look for \
    what is unfinished, unchecked or could be better, and go on. Do not sum up.]";

pub(super) fn bad_input(problem: &str) -> String {
    format!(
        "The input of this call was not valid JSON ({problem}). Send the call again with a \
         complete JSON object."
    )
}

pub(super) fn does_not_fit(problem: &str) -> String {
    format!(
        "[Your answer does not follow the required JSON schema: {problem}. Answer again with one \
         JSON value that follows it, and with nothing else.]"
    )
}

pub(super) fn repeated(times: u32) -> ModelError {
    let message = format!(
        "The model made the same call {times} times in a row although it failed each time. Tell it \
         what to do differently."
    );
    ModelError::new(ModelErrorKind::InvalidRequest, message)
}

pub(super) fn never_fit(problem: &str) -> ModelError {
    let message =
        format!("No answer of the model followed the JSON schema. The last one: {problem}.");
    ModelError::new(ModelErrorKind::InvalidRequest, message)
}

pub(super) fn window_full() -> ModelError {
    let message = "The conversation has filled the model's window; start a new one.";
    ModelError::new(ModelErrorKind::PromptTooLong, message)
}

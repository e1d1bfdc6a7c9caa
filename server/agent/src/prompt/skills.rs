//! What the model is told about skills it may call up.

/// Nothing where there are none.
pub(super) fn describe(list: &str) -> String {
    match list.trim() {
        "" => String::new(),
        list => format!(
            "# Skills\n\n\
             Somebody wrote down how certain work is done. When the user's request is such work, call \
             the tool Skill with the name before you begin. The list is as it was when the session \
             began; you are told when it changes.\n\n{list}"
        ),
    }
}

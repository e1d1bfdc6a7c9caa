//! The summary that takes the place of a conversation: how it is asked for, and how it is told.

/// The longest a summary may be, in tokens.
pub const MAX_TOKENS: u32 = 20_000;

/// Asks for a summary. Sent behind the conversation as it is, so that the provider's cache serves it.
pub fn request(instructions: Option<&str>) -> String {
    let mut text = REQUEST.to_owned();
    if let Some(instructions) = instructions.map(str::trim).filter(|text| !text.is_empty()) {
        text.push_str("\n\nThe user says about this summary: ");
        text.push_str(instructions);
    }
    text
}

const REQUEST: &str = "\
This conversation is about to be replaced by a summary, because the window is nearly full. Write \
that summary now. Whoever goes on with the work, you included, will see nothing else of what was \
said: what is not in it is lost. Call no tool.

First think it through between <analysis> and </analysis>: go through the conversation from its \
beginning, and note what was asked, what was decided, what was changed, and what went wrong. This part \
is thrown away. Then write the summary between <summary> and </summary>, in these sections:

1. What the user wants: every request and its purpose, with changes of mind in their order.
2. What the user said: each message of the user that is no tool result, word for word where it is \
short, and what may not be lost of the others: corrections, preferences, things not to do.
3. How things are: the technical facts, decisions and constraints that were found out, and where.
4. Files: every file that was read for a reason or changed, by its full path, with what matters in it \
and what was changed; the exact code where the next step depends on it.
5. Commands: how the project is built, run and tested here, and what that last said.
6. Mistakes: what failed and how it was mended, so that it is not tried again.
7. What is open: everything that was asked and is not done yet.
8. Where the work stands: what was being done at this very moment, in detail.
9. The next step: only if it follows from what the user asked, with the words that ask for it. If \
everything is done, say so.

Names, paths, numbers, error messages and values are copied exactly. Do not add advice, and do not \
thank anybody.";

/// The part of an answer that is kept. An answer without the marks is kept whole, unless it is blank.
pub fn extract(answer: &str) -> Option<&str> {
    let after = |text: &str, mark: &str| text.find(mark).map(|at| at + mark.len());
    let start = after(answer, "<summary>");
    let text = match start {
        Some(start) => {
            let rest = &answer[start..];
            rest.rfind("</summary>").map_or(rest, |end| &rest[..end])
        }
        // The marks were forgotten: what was thought is not the summary.
        None => after(answer, "</analysis>").map_or(answer, |at| &answer[at..]),
    };
    let text = text.trim();
    let nothing = text.is_empty() || (start.is_none() && text.starts_with("<analysis>"));
    (!nothing).then_some(text)
}

/// The summary as the first message of what follows.
pub fn told(summary: &str, transcript: Option<&str>, goes_on: bool) -> String {
    tell("this summary", summary, transcript, goes_on)
}

/// The same, of notes that were kept on the session.
pub fn told_notes(notes: &str, transcript: Option<&str>, goes_on: bool) -> String {
    let what = "these notes, which were kept along the way; its last messages follow as they were";
    tell(what, notes, transcript, goes_on)
}

fn tell(what: &str, words: &str, transcript: Option<&str>, goes_on: bool) -> String {
    let mut text = format!(
        "The conversation so far was too long for the window and was replaced by {what}.\n\n{words}"
    );
    if let Some(transcript) = transcript {
        text.push_str(&format!(
            "\n\nIf a detail is missing, the whole conversation is in {transcript}, one JSON record \
             a line; search it rather than reading it."
        ));
    }
    if goes_on {
        text.push_str(
            "\n\nGo on with the work where it stands. Do not mention the summary, and do not ask \
             whether to go on.",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_summary_is_kept() {
        let check =
            |answer: &str, expect: Option<&str>| assert_eq!(extract(answer), expect, "{answer}");
        check("<analysis>a</analysis>\n<summary>\n b \n</summary> bye", Some("b"));
        check("<summary>never closed", Some("never closed"));
        check("<summary>has </summary> inside</summary>", Some("has </summary> inside"));
        check("no marks", Some("no marks"));
        check("<analysis>a</analysis> rest", Some("rest"));
        check("<analysis>only thoughts", None);
        check("<summary></summary>", None);
        check("  ", None);
    }

    #[test]
    fn wishes_are_passed_on() {
        assert!(request(Some(" keep the SQL ")).ends_with("summary: keep the SQL"));
        assert_eq!(request(Some(" ")), request(None));
        assert!(!REQUEST.contains("  "));
    }
}

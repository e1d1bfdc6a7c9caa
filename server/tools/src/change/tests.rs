//! Changes as they come out: what the model is told is what is really there.

use crate::testing::Desk;
use crate::world::{Findings, Verified};
use language::{Finding, Severity};
use serde_json::{Value, json};

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": "a.rs", "old_string": old, "new_string": new})
}

fn lines(range: std::ops::RangeInclusive<u32>) -> String {
    range.map(|n| format!("line {n}\n")).collect()
}

async fn read(files: &[(&str, &str)]) -> Desk {
    let desk = Desk::new(files);
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    desk
}

#[tokio::test]
async fn an_editor_that_does_something_else() {
    let desk = Desk::new(&[]);
    desk.open("w/a.rs", "one\ntwo\nthree\n");
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    let deviate = |really: &str, says: &str| {
        *desk.editor.deviates.lock().unwrap() = Some((really.to_owned(), says.to_owned()));
    };
    deviate("one\n  TWO\nthree\n", "The editor reformatted the text.");
    let report = desk.call("Edit", edit("two", "TWO")).await;
    assert!(!report.outcome.is_error);
    assert_eq!(
        desk.words(&report),
        "Changed $/w/a.rs (+1 −1 lines). It now reads:\n     1\tone\n     2\t  TWO\n     3\tthree\n\
         <system-reminder>The editor reformatted the text.</system-reminder>"
    );
    assert_eq!(report.diffs[0].new, "one\n  TWO\nthree\n");
    deviate("one\n  TWO\nthree\n", "The editor dropped the edit.");
    let text = desk.err("Edit", edit("TWO", "2")).await;
    assert_eq!(
        text,
        "$/w/a.rs was not changed. It now reads:\n     1\tone\n     2\t  TWO\n     3\tthree\n\
         <system-reminder>The editor dropped the edit.</system-reminder>"
    );
    deviate("", "The editor emptied it.");
    let text = desk.ok("Edit", edit("one", "uno")).await;
    assert!(text.starts_with("Changed $/w/a.rs (+0 −3 lines).<system-reminder>"), "{text}");
}

#[tokio::test]
async fn places_far_from_each_other() {
    let desk = read(&[("w/a.rs", &lines(1..=300).replace("line 10\n", "line 200\n"))]).await;
    let all = json!({"file_path": "a.rs", "old_string": "line 200\n", "new_string": "x\n",
                     "replace_all": true});
    let text = desk.ok("Edit", all).await;
    let shown: Vec<&str> = text.lines().collect();
    assert_eq!(shown[0], "Changed $/w/a.rs (+2 −2 lines, 2 places). It now reads:");
    assert_eq!(shown[1], "     6\tline 6");
    assert_eq!((shown[5], shown[9], shown[10]), ("    10\tx", "    14\tline 14", "     …"));
    assert_eq!((shown[11], shown[15]), ("   196\tline 196", "   200\tx"));
    assert_eq!(shown.len(), 20);
    let all = json!({"file_path": "a.rs", "old_string": "0\n", "new_string": "0!\n",
                     "replace_all": true});
    let text = desk.ok("Edit", all).await;
    assert!(text.lines().count() < 80 && text.contains("more places …"), "{text}");
}

#[tokio::test]
async fn new_problems_come_with_the_edit() {
    let desk = read(&[("w/a.rs", "one\n")]).await;
    let finding = Finding {
        start: (1, 1),
        end: (1, 4),
        severity: Severity::Error,
        code: None,
        source: None,
        message: "no such thing".to_owned(),
    };
    *desk.editor.findings.lock().unwrap() =
        Findings { state: Verified::Yes, new: vec![finding], gone: 1 };
    let text = desk.ok("Edit", edit("one", "two")).await;
    assert!(
        text.ends_with(
            "\nNew problems since this edit:\na.rs:1:1 error no such thing\n\
             Gone since this edit: 1 problem."
        ),
        "{text}"
    );
    {
        let looked_at = desk.editor.looked_at.lock().unwrap();
        let edited = &looked_at[0];
        assert_eq!((edited.path.as_path(), edited.version), (&*desk.path("w/a.rs"), None));
        assert_eq!(
            (edited.before.to_string(), edited.after.to_string()),
            ("one\n".into(), "two\n".into())
        );
    }
    *desk.editor.findings.lock().unwrap() =
        Findings { state: Verified::Unverified, ..Findings::default() };
    let text = desk.ok("Write", json!({"file_path": "new.rs", "content": "x\n"})).await;
    assert!(text.starts_with("Created $/w/new.rs (2 bytes).\nDiagnostics: unverified"), "{text}");
}

//! Findings in the words of a result.

use super::*;

fn finding(line: u32, severity: Severity, message: &str) -> Finding {
    Finding {
        start: (line, 5),
        end: (line, 6),
        severity,
        code: Some("E0425".to_owned()),
        source: Some("rustc".to_owned()),
        message: message.to_owned(),
    }
}

#[test]
fn what_the_model_is_told() {
    let check = |state: Verified, new: Vec<Finding>, expect: Option<&str>| {
        let found = Findings { state, new, gone: 0 };
        assert_eq!(tell(&[("src/a.rs".to_owned(), found)]).as_deref(), expect);
    };
    check(Verified::NoSource, vec![], None);
    check(Verified::Yes, vec![], Some("No new problems."));
    check(Verified::Unverified, vec![], Some(UNVERIFIED));
    let warning = finding(2, Severity::Warning, "unused");
    let error = finding(9, Severity::Error, "cannot find `x`\nnot in scope");
    let both = "New problems since this edit:\n\
                src/a.rs:9:5 error cannot find `x`\n    not in scope [rustc E0425]\n\
                src/a.rs:2:5 warning unused [rustc E0425]";
    check(Verified::Yes, vec![warning.clone(), error.clone()], Some(both));
    let gone = Findings { state: Verified::Yes, new: Vec::new(), gone: 1 };
    let told = tell(&[("a".to_owned(), gone.clone()), ("b".to_owned(), gone)]);
    assert_eq!(told.as_deref(), Some("No new problems.\nGone since this edit: 2 problems."));
    check(Verified::Unverified, vec![warning, error], Some(&format!("{both}\n{UNVERIFIED}")));
}

#[test]
fn long_lists_and_long_messages() {
    let many: Vec<_> = (1..=25).map(|line| finding(line, Severity::Hint, "h")).collect();
    let listed = list(many.iter().map(|finding| ("a", finding)).collect(), 20);
    assert_eq!(listed.lines().count(), 21);
    assert!(listed.ends_with("a:20:5 hint h [rustc E0425]\n… and 5 more"), "{listed}");
    let long =
        Finding { source: None, code: None, ..finding(1, Severity::Error, &"é".repeat(999)) };
    assert_eq!(list(vec![("a", &long)], 20), format!("a:1:5 error {}…", "é".repeat(300)));
}

#[test]
fn several_files_at_once() {
    let check = |states: &[(Verified, usize)], expect: Option<&str>| {
        let found = states.iter().enumerate().map(|(at, (state, errors))| {
            let new = (0..*errors).map(|_| finding(1, Severity::Error, "e")).collect();
            (format!("{at}.rs"), Findings { state: *state, new, gone: 0 })
        });
        assert_eq!(tell(&found.collect::<Vec<_>>()).as_deref(), expect);
    };
    check(&[], None);
    check(&[(Verified::NoSource, 0), (Verified::Yes, 0)], Some("No new problems."));
    check(&[(Verified::Unverified, 0), (Verified::Yes, 0)], Some(UNVERIFIED));
    let both = "New problems since this edit:\n0.rs:1:5 error e [rustc E0425]\n\
                2.rs:1:5 error e [rustc E0425]";
    check(&[(Verified::Yes, 1), (Verified::Yes, 0), (Verified::Yes, 1)], Some(both));
}

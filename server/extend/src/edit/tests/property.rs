//! Any text with comments, any sequence of edits: comments survive, the text parses, and it means
//! what a plain map with the same edits means.

use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;

#[derive(Clone, Debug)]
enum Op {
    Add(Behavior, String),
    TakeOut(Behavior, String),
    Set(&'static str, Value),
    Remove(&'static str),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let behavior = || prop_oneof![Just(Behavior::Allow), Just(Behavior::Ask), Just(Behavior::Deny)];
    let rule = || "(Read|Edit)\\([a-z\"\\\\ü]{1,4}\\)".prop_map(|text| text.replace('\\', "/"));
    let key = || {
        prop_oneof![
            Just("model"),
            Just("strangerOne"),
            Just("strangerTwo.inner"),
            Just("strangerTwo.other.deep")
        ]
    };
    let value = prop_oneof![
        "[ -~\u{e9}\n]{0,8}".prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(json!({"a": [1, "x"], "b": {}})),
        Just(json!([])),
        Just(Value::Null),
    ];
    let op = prop_oneof![
        (behavior(), rule()).prop_map(|(behavior, rule)| Op::Add(behavior, rule)),
        (behavior(), rule()).prop_map(|(behavior, rule)| Op::TakeOut(behavior, rule)),
        (key(), value).prop_map(|(key, value)| Op::Set(key, value)),
        key().prop_map(Op::Remove),
    ];
    prop::collection::vec(op, 1..12)
}

/// Texts of one meaning in many layouts.
fn texts() -> impl Strategy<Value = String> {
    let space = || prop_oneof![Just(""), Just(" "), Just("\n"), Just("\r\n\t"), Just("\n\n    ")];
    let note = || prop_oneof![Just(""), Just("/* N */"), Just("// N\n"), Just(" // \"x\": {\n")];
    (space(), note(), space(), note(), any::<bool>(), note()).prop_map(
        |(a, first, b, second, comma, last)| {
            let comma = if comma { "," } else { "" };
            format!(
                "{first}{{{a}{second}\"keep\":{b}[1,{a}2{comma}{b}],{a}\"permissions\":{{{b}\
                 \"allow\":{a}[{second}\"Read(a)\"{b}{comma}]{comma}{a}}}{comma}{b}}}{last}"
            )
        },
    )
}

fn model(root: &mut Map<String, Value>, op: &Op) {
    let of = |root: &mut Map<String, Value>, behavior: Behavior| -> Option<Vec<Value>> {
        root.get("permissions")?.get(list(behavior))?.as_array().cloned()
    };
    match op {
        Op::Add(behavior, rule) => {
            let mut rules = of(root, *behavior).unwrap_or_default();
            if !rules.contains(&json!(rule)) {
                rules.push(json!(rule));
            }
            let permissions = root.entry("permissions").or_insert_with(|| json!({}));
            permissions[list(*behavior)] = json!(rules);
        }
        Op::TakeOut(behavior, rule) => {
            if let Some(mut rules) = of(root, *behavior) {
                rules.retain(|known| known != rule);
                root["permissions"][list(*behavior)] = json!(rules);
            }
        }
        Op::Set(key, value) => {
            let mut names: Vec<_> = key.split('.').collect();
            let last = names.pop().unwrap();
            let inner = names.into_iter().fold(root, |object, name| {
                let inner = object.entry(name).or_insert_with(|| json!({}));
                inner.as_object_mut().unwrap()
            });
            inner.insert(last.to_owned(), value.clone());
        }
        Op::Remove(key) => {
            let mut names: Vec<_> = key.split('.').collect();
            let last = names.pop().unwrap();
            let inner = names
                .into_iter()
                .try_fold(root, |object, name| object.get_mut(name).and_then(Value::as_object_mut));
            inner.map(|object| object.shift_remove(last));
        }
    }
}

fn apply(root: &tree::Root, op: &Op) {
    match op {
        Op::Add(behavior, rule) => {
            tree::add(root, &["permissions", list(*behavior)], &json!(rule)).unwrap();
        }
        Op::TakeOut(behavior, rule) => {
            let same = |value: &Value| value == rule;
            tree::take_out(root, &["permissions", list(*behavior)], &same).unwrap();
        }
        Op::Set(key, value) => {
            tree::set(root, &path(key).unwrap(), value).unwrap();
        }
        Op::Remove(key) => {
            tree::remove(root, &path(key).unwrap());
        }
    }
}

fn meaning(text: &str) -> Value {
    jsonc_parser::parse_to_serde_value(text, &settings::options())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn edits_mean_what_they_say_and_comments_stay(text in texts(), ops in ops()) {
        let mut expect = meaning(&text).as_object().unwrap().clone();
        let mut now = text.clone();
        for op in &ops {
            model(&mut expect, op);
            // Through the text each time, as it is on disk.
            let root = tree::Root::parse(&now).unwrap();
            apply(&root, op);
            now = root.to_string();
            prop_assert_eq!(meaning(&now), Value::from(expect.clone()), "{:?}\n{}", op, now);
        }
        // A removed entry may take the comment on its own line along; nothing else may.
        let takes = ops.iter().any(|op| matches!(op, Op::TakeOut(..) | Op::Remove(_)));
        let count = |text: &str| text.matches("/* N */").count() + text.matches("// N").count();
        prop_assert!(takes || count(&now) == count(&text), "{}\n{}", text, now);
    }
}

//! `tool_use_result`: what a call did, in the shape that hosts know of the tool.

use serde_json::{Value, json};
use tools::FileChange;

use super::calls::{Call, text};
use crate::session::CallTold;

/// What failed is told in words.
pub(super) fn of(call: &Call, told: &CallTold) -> Value {
    let words = text(&told.content);
    if told.is_error {
        return format!("Error: {words}").into();
    }
    let input = &call.input;
    match (call.name.as_str(), told.diffs.first()) {
        ("Bash", _) => json!({
            "stdout": words,
            "stderr": "",
            "interrupted": false,
            "isImage": false,
            "exitCode": told.exit_code,
        }),
        ("Edit", Some(change)) => edit(input, change),
        ("Write", Some(change)) => write(change),
        ("Read", _) => read(input, &words),
        ("Glob", _) => {
            let filenames: Vec<&str> = words.lines().filter(|line| line.starts_with('/')).collect();
            json!({
                "filenames": filenames,
                "numFiles": filenames.len(),
                "truncated": filenames.len() < words.lines().count(),
                "durationMs": told.duration_ms.unwrap_or_default(),
            })
        }
        ("Grep", _) => json!({
            "mode": input["output_mode"].as_str().unwrap_or("files_with_matches"),
            "content": words,
            "numLines": words.lines().count(),
        }),
        ("WebFetch", _) => json!({
            "url": input["url"],
            "result": words,
            "bytes": words.len(),
            "durationMs": told.duration_ms.unwrap_or_default(),
        }),
        ("TodoWrite", _) => json!({ "newTodos": input["todos"] }),
        ("Agent" | "Task", _) => json!({
            "status": "completed",
            "prompt": input["prompt"],
            "content": [{ "type": "text", "text": words }],
            "totalDurationMs": told.duration_ms.unwrap_or_default(),
        }),
        _ => words.into(),
    }
}

fn edit(input: &Value, change: &FileChange) -> Value {
    json!({
        "filePath": change.path,
        "oldString": input["old_string"],
        "newString": input["new_string"],
        "originalFile": change.old,
        "structuredPatch": patch(change),
        "userModified": false,
        "replaceAll": input["replace_all"].as_bool().unwrap_or(false),
    })
}

fn write(change: &FileChange) -> Value {
    json!({
        "type": if change.old.is_some() { "update" } else { "create" },
        "filePath": change.path,
        "content": change.new,
        "originalFile": change.old,
        "structuredPatch": patch(change),
    })
}

fn read(input: &Value, words: &str) -> Value {
    let lines = words.lines().count();
    json!({
        "type": "text",
        "file": {
            "filePath": input["file_path"],
            "content": words,
            "numLines": lines,
            "startLine": input["offset"].as_u64().unwrap_or(1),
            "totalLines": lines,
        },
    })
}

/// The hunks of a unified diff, as objects.
fn patch(change: &FileChange) -> Vec<Value> {
    let unified = text::unified(change.old.as_deref().unwrap_or_default(), &change.new, 3);
    let mut hunks: Vec<Value> = Vec::new();
    for line in unified.lines() {
        if let Some((old, new)) = header(line) {
            hunks.push(json!({
                "oldStart": old.0,
                "oldLines": old.1,
                "newStart": new.0,
                "newLines": new.1,
                "lines": [],
            }));
        } else if let Some(lines) = hunks.last_mut().and_then(|hunk| hunk["lines"].as_array_mut()) {
            lines.push(line.into());
        }
    }
    hunks
}

/// `@@ -1,3 +1,4 @@`: where and how many, before and after.
fn header(line: &str) -> Option<((u64, u64), (u64, u64))> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |range: &str| match range.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((range.parse().ok()?, 1)),
    };
    Some((range(old)?, range(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_as_hunks() {
        let (old, new) = (Some("a\nb\nc\n".to_owned()), "a\nB\nc\n".to_owned());
        let change = FileChange { path: "/x".into(), version: None, old, new };
        let expect = json!([{
            "oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3,
            "lines": [" a", "-b", "+B", " c"],
        }]);
        assert_eq!(Value::from(patch(&change)), expect);
        assert_eq!(header("@@ -1 +1,2 @@"), Some(((1, 1), (1, 2))));
        assert_eq!(header("+@@ no"), None);
    }
}

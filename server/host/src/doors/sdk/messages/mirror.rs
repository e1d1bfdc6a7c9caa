//! `transcript_mirror`: every record as it is written down, for a store of the host's. A line is what other
//! programs read of a transcript, and our own record beside it, which is what a resumed session needs.

use std::path::{Path, PathBuf};

use chrono::DateTime;
use serde_json::{Value, json};

use super::{Teller, ids};
use crate::context::HostContext;
use crate::doors::sdk::lines;
use crate::store::RECORD;

/// Room for what is around a record.
const LONGEST: usize = lines::LONGEST - 16 * 1024;
/// Names of folders are cut here.
const LONGEST_NAME: usize = 200;

impl Teller {
    pub(super) fn on_kept(&mut self, line: &[u8]) {
        let Ok(record) = serde_json::from_slice::<Value>(line) else { return };
        if line.len() > LONGEST {
            let content = "A record is too long for a line, and is not in the mirror.";
            return self.system("informational", json!({ "content": content, "level": "warning" }));
        }
        let file = transcript(&self.shared.host, self.shared.cwd(), &self.session_id);
        let entry = self.entry(record);
        self.push(json!({ "type": "transcript_mirror", "filePath": file, "entries": [entry] }));
    }

    fn entry(&mut self, record: Value) -> Value {
        let at = record["at"].as_i64().and_then(DateTime::from_timestamp_millis);
        let (kind, role) = match record["type"].as_str() {
            Some("user" | "results") => ("user", Some("user")),
            Some("assistant") => ("assistant", Some("assistant")),
            _ => (RECORD, None),
        };
        let own = record["id"].as_str();
        let uuid = match (kind, own) {
            ("assistant", Some(id)) => ids::of_block(id, 0),
            ("user", Some(id)) if uuid::Uuid::parse_str(id).is_ok() => id.to_owned(),
            _ => ids::fresh(),
        };
        let parent = self.mirrored.replace(uuid.clone());
        let mut entry = json!({
            "type": kind,
            "uuid": uuid,
            "parentUuid": parent,
            "sessionId": self.session_id,
            "cwd": self.shared.cwd(),
            "timestamp": at.map(|at| at.to_rfc3339()),
            "isSidechain": false,
            "userType": "external",
            "version": super::super::initialize::COMPATIBLE,
        });
        if let Some(role) = role {
            entry["message"] = json!({ "role": role, "content": record["content"] });
        }
        if kind == "assistant" {
            entry["message"]["id"] = record["id"].clone();
            entry["message"]["model"] = record["model"].clone();
            entry["message"]["type"] = "message".into();
        }
        entry[RECORD] = record;
        entry
    }
}

/// Where the host expects the transcript of a session: nothing is written there by us.
fn transcript(host: &HostContext, cwd: &Path, session: &str) -> PathBuf {
    projects(host).join(folder(&cwd.to_string_lossy())).join(format!("{session}.jsonl"))
}

/// Where Claude Code keeps transcripts.
pub(in crate::doors::sdk) fn projects(host: &HostContext) -> PathBuf {
    let named = host.var("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    let usual = || host.home().unwrap_or_default().join(".claude");
    named.map_or_else(usual, PathBuf::from).join("projects")
}

/// A folder's path as one name, as hosts make it.
fn folder(path: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let name: String = path.chars().map(plain).collect();
    if name.len() <= LONGEST_NAME {
        return name;
    }
    format!("{}-{}", &name[..LONGEST_NAME], base36(hash(path)))
}

/// The hash that hosts use for long names.
fn hash(text: &str) -> u32 {
    let step = |hash: i32, letter: char| {
        hash.wrapping_shl(5).wrapping_sub(hash).wrapping_add(letter as i32)
    };
    text.chars().fold(0, step).unsigned_abs()
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders() {
        assert_eq!(folder("/home/ann/my_app"), "-home-ann-my-app");
        let long = folder(&format!("/{}", "a".repeat(300)));
        assert_eq!(long.len(), 201 + base36(hash(&format!("/{}", "a".repeat(300)))).len());
        assert_eq!((base36(0), base36(35), base36(36)), ("0".into(), "z".into(), "10".into()));
    }
}

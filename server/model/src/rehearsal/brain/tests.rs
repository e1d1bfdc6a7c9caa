//! Whole conversations with a small world of files, judged by what becomes of the files.

use std::collections::BTreeMap;

use agent::{Block, Message, ResultPart};
use serde_json::Value;

use super::*;

#[derive(Default)]
struct World {
    files: BTreeMap<String, String>,
    /// Names of tools that fail, and what they say.
    broken: BTreeMap<&'static str, &'static str>,
    /// A file of which Read shows the beginning only.
    partial: Option<&'static str>,
    calls: Vec<(String, Value)>,
    messages: Vec<Message>,
}

const TOOLS: [&str; 7] = ["Read", "Write", "Edit", "Glob", "Grep", "Bash", "TodoWrite"];

impl World {
    fn new<const N: usize>(files: [(&str, &str); N]) -> Self {
        let files = files.map(|(name, text)| (format!("/w/{name}"), text.to_owned()));
        Self { files: files.into(), ..Self::default() }
    }

    fn view(&self) -> View {
        let tools = TOOLS.map(str::to_owned).to_vec();
        View::new("Be good.\nWorking directory: /w\n", tools, &self.messages, 400)
    }

    /// Asks, serves the calls until none comes, and returns all that was said, answer by answer.
    fn ask(&mut self, prompt: &str) -> Vec<String> {
        self.messages.push(Message::user(vec![Block::text(prompt)]));
        let mut said = Vec::new();
        for _ in 0..50 {
            let reply = reply(&self.view());
            assert_eq!(reply, super::reply(&self.view()), "the same request, the same answer");
            said.push(reply.text.clone());
            if reply.calls.is_empty() {
                self.messages.push(Message::assistant(vec![Block::text(reply.text)]));
                return said;
            }
            self.serve(reply);
        }
        panic!("no end: {:?}", self.calls);
    }

    fn serve(&mut self, reply: Reply) {
        let mut answer = Vec::new();
        let mut results = Vec::new();
        if !reply.text.is_empty() {
            answer.push(Block::text(reply.text));
        }
        for call in reply.calls {
            let id = format!("c{}", self.calls.len());
            let outcome = self.tool(call.name, &call.input);
            self.calls.push((call.name.to_owned(), call.input.clone()));
            let is_error = outcome.is_err();
            let (Ok(text) | Err(text)) = outcome;
            let content = vec![ResultPart::Text { text }];
            results.push(Block::ToolResult { tool_use_id: id.clone(), content, is_error });
            answer.push(Block::ToolUse { id, name: call.name.to_owned(), input: call.input });
        }
        self.messages.push(Message::assistant(answer));
        self.messages.push(Message::user(results));
    }

    fn tool(&mut self, name: &str, input: &Value) -> Result<String, String> {
        if let Some(error) = self.broken.get(name) {
            return Err((*error).to_owned());
        }
        let text = |field: &str| input[field].as_str().unwrap_or_default().to_owned();
        let path = text("file_path");
        match name {
            "Read" => {
                let file = self.files.get(&path).ok_or("File does not exist.")?;
                let lines = file.lines().enumerate();
                let shown = lines.map(|(at, line)| format!("{:>6}\t{line}\n", at + 1));
                let note = "<system-reminder>PARTIAL: more</system-reminder>";
                let note = if self.partial == Some(path.as_str()) { note } else { "" };
                Ok(shown.chain([note.to_owned()]).collect())
            }
            "Write" => {
                self.files.insert(path, text("content"));
                Ok("written".to_owned())
            }
            "Edit" => {
                let file = self.files.get_mut(&path).ok_or("File does not exist.")?;
                let (old, new) = (text("old_string"), text("new_string"));
                let count = file.matches(&old).count();
                if count == 0 || (count > 1 && input["replace_all"] != true) {
                    return Err(format!("{count} matches"));
                }
                *file = file.replace(&old, &new);
                Ok("edited".to_owned())
            }
            "Grep" => Ok(self.grep(input)),
            "Glob" => Ok(self.files.keys().map(|path| format!("{path}\n")).collect()),
            "Bash" if text("command").starts_with("fail") => {
                Err("error: unknown `fo`\n --> a.rs:1:1\nhelp: did you mean `foo`?".to_owned())
            }
            "Bash" => Ok(format!("ran {}", text("command"))),
            _ => Ok("ok".to_owned()),
        }
    }

    /// Knows plain words only, which is all the commands below search for.
    fn grep(&self, input: &Value) -> String {
        let pattern = input["pattern"].as_str().unwrap_or_default().replace("\\b", "");
        let mut found = String::new();
        for (path, text) in &self.files {
            if input["output_mode"] == "files_with_matches" {
                if text.contains(&pattern) {
                    found.push_str(&format!("{path}\n"));
                }
                continue;
            }
            for (at, line) in text.lines().enumerate().filter(|(_, line)| line.contains(&pattern)) {
                found.push_str(&format!("{path}:{}:{line}\n", at + 1));
            }
        }
        if found.is_empty() {
            return "No matches found.".to_owned();
        }
        if input["output_mode"] == "files_with_matches" {
            found.insert_str(0, "2 files have a match:\n");
        }
        found
    }

    fn called(&self) -> String {
        self.calls.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// A prompt, the calls it leads to, words of the last answer, and a file's text afterwards.
fn check<const N: usize>(
    files: [(&str, &str); N],
    prompt: &str,
    calls: &str,
    words: &str,
    after: &[(&str, &str)],
) {
    let mut world = World::new(files);
    let said = world.ask(prompt);
    assert_eq!(world.called(), calls, "{prompt}");
    let last = said.last().unwrap();
    assert!(last.contains(words), "{prompt}: {last:?} lacks {words:?}");
    assert!(said[0].contains("rehearsal model") && said[0].contains("ANTHROPIC_API_KEY"));
    assert!(last.contains("rehearsal model"));
    for (name, text) in after {
        assert_eq!(world.files.get(&format!("/w/{name}")).map(String::as_str), Some(*text));
    }
}

#[test]
fn commands_look_around() {
    let files = [("a.rs", "//! Says hi.\nfn hi() {}\nfn main() { hi() }\n")];
    check(files, "help", "", "rename NAME", &[]);
    check(files, "read a.rs", "Read", "has 3 lines", &[]);
    check(files, "read nothing.rs", "Read", "File does not exist", &[]);
    check(files, "search hi", "Grep", "matches 3 lines", &[]);
    check(files, "search xyzzy", "Grep", "Nothing matches", &[]);
    check(files, "list files", "Glob", "a.rs", &[]);
    check(files, "explain a.rs", "Read", "line 2: `fn hi() {}`", &[]);
    check(files, "explain hi", "Grep Read", "is defined at line 2 of `a.rs`", &[]);
    check(files, "sing a song", "", "did not understand “sing a song”", &[]);
    check(files, "say 5 words", "", "the bowline holds under load", &[]);
}

#[test]
fn commands_change_files() {
    check(
        [("a", "x y\n")],
        "replace \"x\" with \"z\" in a",
        "Read Edit",
        "1 place",
        &[("a", "z y\n")],
    );
    check([("a", "x x\n")], "replace x with z in a", "Read Edit", "2 places", &[("a", "z z\n")]);
    check(
        [("a", "x\n")],
        "replace \"q\" with \"z\" in a",
        "Read",
        "does not contain",
        &[("a", "x\n")],
    );
    check(
        [("a", "q\n"), ("b", "q\n")],
        "replace \"q\" with \"r\"",
        "Grep Read Read Edit Edit",
        "2 places in 2 files",
        &[("b", "r\n")],
    );
    check([], "create a.txt with \"hi\"", "Write", "Wrote `a.txt`", &[("a.txt", "hi\n")]);
    check(
        [("a", "1\n2\n")],
        "append \"3\" to a",
        "Read Edit",
        "Appended 1 line",
        &[("a", "1\n2\n3\n")],
    );
    check([("a", "1\n1\n")], "append \"3\" to a", "Read Edit", "Appended", &[("a", "1\n1\n3\n")]);
    check([], "append \"3\" to a.txt", "Read Write", "Wrote", &[("a.txt", "3\n")]);
    check([("a", "1\n")], "read a then run ls", "Read Bash", "ran ls", &[]);
    check([], "read a.txt then run ls then run pwd", "Read", "left out the 2 steps", &[]);
}

#[test]
fn a_rename_leaves_longer_names_alone() {
    check(
        [
            ("a.rs", "fn foo() {}\nfoo();\n"),
            ("b.rs", "foo();\nfoobar();\nfoo();\n"),
            ("c.rs", "bar\n"),
        ],
        "rename foo to baz",
        "Grep Read Read Edit Edit Edit",
        "4 places in 2 files",
        &[("a.rs", "fn baz() {}\nbaz();\n"), ("b.rs", "baz();\nfoobar();\nbaz();\n")],
    );
    check([("a", "x")], "rename foo to baz", "Grep", "does not occur", &[]);
    let mut world = World::new([("a.rs", "foo\n"), ("b.rs", "foo\n")]);
    world.partial = Some("/w/b.rs");
    let said = world.ask("rename foo to baz");
    assert!(said.last().unwrap().contains("1 place in 1 file"), "{said:?}");
    assert!(said.last().unwrap().contains("left `/w/b.rs` alone"), "{said:?}");
    assert_eq!(world.files["/w/b.rs"], "foo\n");
}

#[test]
fn a_list_is_worked_through() {
    let mut world = World::new([("a.txt", "x\n")]);
    world.ask("todo: read a.txt; think; replace \"x\" with \"y\" in a.txt");
    assert_eq!(world.called(), "TodoWrite Read TodoWrite TodoWrite Read Edit TodoWrite");
    assert_eq!(world.files["/w/a.txt"], "y\n");
    let statuses = |at: usize| {
        let todos = world.calls[at].1["todos"].as_array().unwrap();
        todos.iter().map(|todo| todo["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(statuses(0), ["in_progress", "pending", "pending"]);
    assert_eq!(statuses(2), ["completed", "in_progress", "pending"]);
    assert_eq!(statuses(6), ["completed"; 3]);
}

#[test]
fn suggestions_are_applied() {
    let files = [("a.rs", "let x = fo + food;\n")];
    let prompt = "fix this:\na.rs:1:9: error: cannot find `fo`; did you mean `foo`?";
    check(files, prompt, "Read Edit", "Applied", &[("a.rs", "let x = foo + food;\n")]);
    check(
        files,
        "run fail then fix it",
        "Bash Read Edit",
        "Applied",
        &[("a.rs", "let x = foo + food;\n")],
    );
    check(files, "fix a.rs", "", "paste its message", &[]);
    let mut world = World::new(files);
    world.ask("run fail");
    world.ask("now fix it please");
    assert_eq!(world.files["/w/a.rs"], "let x = foo + food;\n");
}

#[test]
fn a_denial_ends_the_work() {
    let mut world = World::new([("a", "x\n"), ("b", "x\n")]);
    world.broken.insert("Edit", "The user said no.");
    let said = world.ask("replace \"x\" with \"y\" then read a");
    assert_eq!(world.called(), "Grep Read Read Edit");
    let last = said.last().unwrap();
    assert!(last.contains("Edit did not work: The user said no."), "{last}");
    assert!(last.contains("left out the step"));
}

#[test]
fn a_file_that_exists_is_read_before_it_is_overwritten() {
    let mut world = World::new([("a", "x\n")]);
    world.broken.insert("Write", "You have not read it.");
    let said = world.ask("create ./a.txt with \"y\" then read b");
    assert!(said.last().unwrap().contains("Read did not work"), "{said:?}");
    assert_eq!(world.called(), "Write Read");
}

#[test]
fn tools_that_are_not_offered_are_not_called() {
    let world = World::default();
    let prompt = vec![Message::user(vec![Block::text("run ls")])];
    let view = View::new("", vec!["Read".to_owned()], &prompt, 0);
    let reply = reply(&view);
    assert!(reply.calls.is_empty() && reply.text.contains("need the Bash tool"), "{reply:?}");
    drop(world);
}

#[test]
fn the_second_turn_is_short_about_itself() {
    let mut world = World::new([]);
    world.ask("help");
    let said = world.ask("say hello");
    assert_eq!(said, [format!("hello\n\n{REMINDER}")]);
}

#[test]
fn asides_of_the_host_are_not_commands() {
    let mut world = World::new([("a", "x\n")]);
    let said = world.ask("<system-reminder>\nread b\n</system-reminder>\nread a");
    assert_eq!(world.called(), "Read");
    assert!(said.last().unwrap().contains("`a` has 1 line"));
}

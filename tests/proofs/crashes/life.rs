//! One project and one session, over many lives of the server.

use kit::{Bowline, Client, Dice, Profile, Project, Serving, model};
use model::{Scenario, TestServer};
use protocol::Event;
use protocol::event::EventBody;
use serde_json::json;

use super::check;
use super::seen::Seen;
use super::tally::Tally;

/// Places that the agent changes, one in each life, far enough apart to be hunks of their own.
pub(super) const FIXTURE: &str = "\
//- /closed.txt
slot 0\n-\n-\n-\nslot 1\n-\n-\n-\nslot 2\n-\n-\n-\nslot 3\n-\n-\n-\n\
slot 4\n-\n-\n-\nslot 5\n-\n-\n-\nslot 6\n-\n-\n-\nslot 7\n-\n-\n-\n\
//- /open.txt
slot 0\n-\n-\n-\nslot 1\n-\n-\n-\nslot 2\n-\n-\n-\nslot 3\n-\n-\n-\n\
slot 4\n-\n-\n-\nslot 5\n-\n-\n-\nslot 6\n-\n-\n-\nslot 7\n-\n-\n-\n";

/// When the server is killed.
#[derive(Debug)]
enum Trigger {
    /// As soon as an event of this type has arrived so often.
    Event(&'static str, usize),
    Acknowledged,
    PermissionAnswered,
    /// After so many messages, whatever they are.
    Messages(usize),
}

const EVENTS: [&str; 7] = [
    "message.ended",
    "thought.ended",
    "tool.started",
    "tool.ended",
    "hunk.added",
    "hunk.updated",
    "turn.ended",
];

impl Trigger {
    fn random(dice: &mut Dice) -> Self {
        match dice.below(12) {
            // The user types into one hunk only.
            5 => Self::Event("hunk.updated", 1),
            at @ 0..7 => Self::Event(EVENTS[at], 1 + dice.below(3)),
            // The kind of which most is lost.
            7 => Self::Event("tool.ended", 1 + dice.below(3)),
            8 => Self::Acknowledged,
            9 => Self::PermissionAnswered,
            _ => Self::Messages(1 + dice.below(60)),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Event(name, _) => name,
            Self::Acknowledged => "prompt acknowledged",
            Self::PermissionAnswered => "permission answered",
            Self::Messages(_) => "random",
        }
    }
}

pub(super) struct Story<'a> {
    pub(super) project: &'a Project,
    pub(super) tally: &'a Tally,
    pub(super) seen: Seen,
    session: Option<String>,
    /// How often the server was killed.
    number: usize,
    /// What the editor has, saved or not.
    text: String,
    /// What the user typed.
    tokens: Vec<String>,
    /// What the open document began with, and the disk still has.
    original: String,
}

impl<'a> Story<'a> {
    pub(super) fn new(project: &'a Project, tally: &'a Tally) -> Self {
        let settings = json!({ "permissions": { "allow": ["Read", "Write", "Edit"] } });
        project.user_settings(&settings);
        let original = project.read("open.txt");
        Self {
            project,
            tally,
            seen: Seen::default(),
            session: None,
            number: 0,
            text: original.clone(),
            tokens: Vec::new(),
            original,
        }
    }

    /// One life of the server: everything is still there, a turn begins, the server is killed.
    pub(super) async fn run_and_kill(&mut self, dice: &mut Dice) {
        let trigger = Trigger::random(dice);
        let script = model(self.script(&trigger, dice)).await;
        let mut serving = self.start(&script, dice).await;
        let client = &mut serving.client;
        self.type_token(client);
        self.run(client, &script, &trigger).await;
        self.text = client.editor.text(&self.project.uri("open.txt")).to_owned();
        for event in &client.log {
            self.seen.take(event);
        }
        serving.kill().await;
        self.seen.cut();
        self.tally.killed(trigger.name());
        self.number += 1;
    }

    /// Starts the server, opens the document and the session, and looks for what was shown.
    async fn start(&mut self, script: &TestServer, dice: &mut Dice) -> Serving {
        let bowline = Bowline::new(self.project).model(script);
        let mut serving = bowline.serve(Profile::NEOVIM);
        let client = &mut serving.client;
        client.initialize().await;
        let uri = self.project.uri("open.txt");
        // An editor that restarts its server may ask for the session first.
        let opens_first = dice.below(2) == 0;
        if opens_first {
            client.open(&uri, &self.text);
        }
        match self.session.clone() {
            None => self.session = Some(client.session().await),
            Some(session) => {
                let snapshot = client.attach(&session, None).await.snapshot.unwrap();
                check::snapshot(self, &snapshot);
                if !opens_first {
                    // Before the editor has said that it has the file open.
                    check::hunks(client, &session).await;
                    client.open(&uri, &self.text);
                }
                check::listed(self, client, &session).await;
            }
        }
        if self.number == 0 && !opens_first {
            client.open(&uri, &self.text);
        }
        serving
    }

    fn type_token(&mut self, client: &mut Client) {
        let token = format!("«{}»", self.number);
        let change = client.editor.splice(&self.project.uri("open.txt"), 0..0, &token);
        client.notify("textDocument/didChange", change);
        self.tokens.push(token);
    }

    /// Says a prompt, and returns when the server is to be killed, or when the turn is over.
    async fn run(&mut self, client: &mut Client, script: &TestServer, trigger: &Trigger) {
        let session = self.session.clone().unwrap();
        let prompt = format!("run-{}", self.number);
        client.prompt(&session, &prompt).await;
        self.seen.prompts.push(prompt.clone());
        if !matches!(trigger, Trigger::Acknowledged) {
            self.watch(client, trigger).await;
            check::request(self, script, &prompt);
        }
    }

    async fn watch(&mut self, client: &mut Client, trigger: &Trigger) {
        let (mut looked, mut count, mut typed) = (0, 0, false);
        for messages in 0.. {
            while looked < client.log.len() {
                let event = client.log[looked].clone();
                looked += 1;
                let name = event.body.name();
                if let Trigger::Event(wanted, times) = trigger {
                    count += usize::from(*wanted == name);
                    if count >= *times {
                        return;
                    }
                    if *wanted == "hunk.updated" && !typed && is_open_hunk(&event) {
                        self.type_into_hunk(client);
                        typed = true;
                    }
                }
                if name == "turn.ended" && !typed {
                    return;
                }
            }
            if matches!(trigger, Trigger::Messages(most) if messages >= *most) {
                return;
            }
            if let Some(asked) = client.next_permission() {
                client.allow(asked);
                if matches!(trigger, Trigger::PermissionAnswered) {
                    return;
                }
            }
            client.wait_for_anything("something to happen").await;
        }
    }

    /// The user types into the agent's text.
    fn type_into_hunk(&mut self, client: &mut Client) {
        let token = format!("«in {}»", self.number);
        client.type_after(&self.project.uri("open.txt"), &format!("agent {}", self.number), &token);
        self.tokens.push(token);
    }

    /// A text without what the user typed.
    pub(super) fn without_typed(&self, text: &str) -> String {
        self.tokens.iter().fold(text.to_owned(), |text, token| text.replace(token, ""))
    }

    /// The editor made an edit, and the server was killed before it had recorded that this edit was
    /// on its way: nothing was announced of it, and only the editor's own undo takes it back.
    fn without_edits_in_flight(&self, mut text: String) -> String {
        for number in 0..self.number {
            let made = format!("agent {number} for open.txt");
            let announced =
                self.seen.announced.iter().any(|hunk| self.without_typed(hunk).contains(&made));
            if !announced && text.contains(&made) {
                text = text.replace(&made, &format!("slot {number}"));
                self.tally.observe("edits of an open document without a hunk", 1);
            }
        }
        text
    }

    /// What the model says in this life.
    fn script(&self, trigger: &Trigger, dice: &mut Dice) -> Scenario {
        let wanted = match trigger {
            Trigger::Event("hunk.updated", _) => 1,
            Trigger::PermissionAnswered => 2,
            Trigger::Event("hunk.added", _) => dice.below(2),
            _ => dice.below(5),
        };
        let prompt = format!("run-{}", self.number);
        let script = Scenario::new().when(&prompt).forever();
        let script = match wanted {
            0 => self.writes(script),
            1 => self.edits(script),
            2 => self.commands(script),
            3 => talk(script, self.number),
            _ => self.retried(&prompt),
        };
        let last = script.answer().forever().text(&format!("Done {}. ", self.number)).delay_ms(2);
        last.long_text("A few more words. ", 1, 3).delay_ms(2).text("The end.")
    }

    /// Files that are made while the answer still streams.
    fn writes(&self, script: Scenario) -> Scenario {
        let number = self.number;
        let made = |name: &str| {
            json!({
                "file_path": format!("{{{{cwd}}}}/made-{number}{name}.txt"),
                "content": format!("made {number}{name}\n"),
            })
        };
        let script = script.thinking(&format!("Thought {number}."), "seal");
        let script = script.text(&format!("I write {number}.")).tool("Write", made("a"));
        let script = script.delay_ms(8).text("Another one.").tool("Write", made("b"));
        talk(script.delay_ms(8), number)
    }

    /// A file that is open and one that is not, after they were read.
    fn edits(&self, script: Scenario) -> Scenario {
        let number = self.number;
        self.project.write(&format!("marks/{number}.txt"), format!("mark-{number}\n"));
        let read = |name: &str| json!({ "file_path": format!("{{{{cwd}}}}/{name}") });
        let edit = |name: &str| {
            json!({
                "file_path": format!("{{{{cwd}}}}/{name}"),
                "old_string": format!("slot {number}\n"),
                "new_string": format!("agent {number} for {name}\n"),
            })
        };
        let script = script.text("I look first.");
        let script = script.tool("Read", read("closed.txt")).tool("Read", read("open.txt"));
        let script = script.tool("Read", read(&format!("marks/{number}.txt")));
        let script = script.answer().when(&format!("mark-{number}")).forever();
        let script = script.text(&format!("I edit {number}."));
        let script = script.tool("Edit", edit("open.txt")).tool("Edit", edit("closed.txt"));
        talk(script.delay_ms(10), number)
    }

    /// Commands that ask for permission, and calls that run side by side.
    fn commands(&self, script: Scenario) -> Scenario {
        let number = self.number;
        let read = json!({ "file_path": "{{cwd}}/closed.txt" });
        let echo = |text: &str| json!({ "command": format!("echo {text}-{number} > /dev/stdout") });
        let script = script.text("Commands.").tool("Bash", echo("first"));
        let script = script.tool("Read", read.clone()).tool("Read", read).delay_ms(5);
        talk(script.tool("Bash", echo("second")), number)
    }

    /// The first attempt fails after something was shown of it.
    fn retried(&self, prompt: &str) -> Scenario {
        let failed = Scenario::new().when(prompt).thinking("Taken back.", "seal");
        let failed =
            failed.text("This is taken back.").delay_ms(4).text("This is taken back as well.");
        let failed = failed.delay_ms(4).error_event("overloaded_error", "Overloaded.");
        talk(failed.answer().when(prompt).forever(), self.number)
    }

    /// Goes back, by rejecting hunk after hunk or by a rewind; then only what the user typed is
    /// left of everything that happened.
    pub(super) async fn take_everything_back(&mut self, rejects: bool) {
        let script = model(Scenario::new().forever().text("Good bye.")).await;
        let mut serving = self.start(&script, &mut Dice::new(0)).await;
        let client = &mut serving.client;
        let session = self.session.clone().unwrap();
        if rejects {
            check::reject_all(self, client, &session).await;
        } else {
            check::rewind(self, client, &session).await;
        }
        let text = client.editor.text(&self.project.uri("open.txt")).to_owned();
        let bare = self.without_edits_in_flight(self.without_typed(&text));
        let there = |token: &String| text.matches(token.as_str()).count() == 1;
        self.tally
            .check("typed text is there once", self.tokens.iter().all(there), || text.clone());
        let left = check::hunks(client, &session).await;
        self.tally.check("open document is as before", bare == self.original, || {
            format!("by rejecting: {rejects}: {text} {left:#?} {:#?}", self.seen.hunks)
        });
        check::disk(self, rejects);
        check::temporary_files(self);
        serving.client.leave().await;
    }
}

fn is_open_hunk(event: &Event) -> bool {
    matches!(&event.body, EventBody::HunkAdded(added) if added.hunk.uri.ends_with("/open.txt"))
}

/// Words after the calls, with pauses.
fn talk(script: Scenario, number: usize) -> Scenario {
    let script = script.text(&format!("First words {number}. ")).delay_ms(4);
    script.long_text("More words. ", 2, 3).delay_ms(4).text(&format!("Last words {number}."))
}

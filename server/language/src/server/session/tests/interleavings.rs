//! Servers that lag behind, in any order of events: what is told as verified is always about the
//! text it was asked for.

use std::collections::VecDeque;

use text::PositionEncoding;

use super::*;
use crate::server::fake::{Told, about};

/// What happens next.
#[derive(Debug, Clone)]
enum Event {
    /// We want the findings about a text.
    Want(u8),
    /// The server reads one message of those that wait for it.
    Read,
    /// The server finishes one piece of its work, counted round.
    Finish(usize),
    /// Milliseconds go by.
    Pass(u64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Works in the background and finishes in any order, and names the versions.
    Named,
    /// Does one thing after the other and names no versions.
    Unnamed,
    /// Is asked, and answers in any order.
    Asked,
}

/// A server that reads when it gets to it and finishes when it pleases.
struct Laggard {
    kind: Kind,
    inbox: VecDeque<Value>,
    told: Told,
    /// Messages that are ready to be sent.
    work: Vec<Value>,
}

impl Laggard {
    fn read(&mut self) {
        // Who does one thing after the other sends what it has before it reads on.
        if self.kind == Kind::Unnamed && !self.work.is_empty() {
            return;
        }
        let Some(message) = self.inbox.pop_front() else { return };
        if let Some(uri) = self.told.hear(&message, PositionEncoding::Utf16) {
            let (version, text) = &self.told.documents[&uri];
            let named = (self.kind == Kind::Named).then_some(*version);
            if self.kind != Kind::Asked {
                self.work.push(published(&uri, named, text));
            }
        } else if message.get("id").is_some() {
            let result = match self.told.documents.get(URI) {
                Some((_, text)) if message["method"] == "textDocument/diagnostic" => {
                    json!({ "kind": "full", "items": about(text) })
                }
                _ => Value::Null,
            };
            self.work.push(json!({ "id": message["id"], "result": result }));
        }
    }

    fn finish(&mut self, which: usize) -> Option<Value> {
        let count = self.work.len();
        (count > 0).then(|| self.work.remove(which % count))
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => (0..4_u8).prop_map(Event::Want),
        4 => Just(Event::Read),
        4 => (0..8_usize).prop_map(Event::Finish),
        2 => (1..300_u64).prop_map(Event::Pass),
    ]
}

/// Runs the events; how many were told something sure, and something unsure.
fn replay(kind: Kind, events: &[Event]) -> Result<(usize, usize), TestCaseError> {
    let mut talk = Talk::ready(if kind == Kind::Asked { pulls() } else { pushes() });
    let (inbox, told) = (VecDeque::new(), Told::default());
    let mut server = Laggard { kind, inbox, told, work: Vec::new() };
    let mut waiting: Vec<(String, Findings)> = Vec::new();
    let (mut sure, mut unsure) = (0, 0);
    for event in events {
        match event {
            Event::Want(number) => {
                let text = format!("text {number}");
                let answer = talk.findings(&text, Duration::from_millis(500));
                waiting.push((text, answer));
            }
            Event::Read => server.read(),
            Event::Finish(which) => {
                if let Some(message) = server.finish(*which) {
                    talk.hear(message);
                }
            }
            Event::Pass(milliseconds) => talk.pass(Duration::from_millis(*milliseconds)),
        }
        let said = talk.said();
        server.inbox.extend(said);
        for (text, answer) in &mut waiting {
            let Ok(Ok((findings, verified))) = answer.try_recv() else { continue };
            if verified {
                sure += 1;
                prop_assert_eq!(&findings[0].message, text);
            } else {
                unsure += 1;
            }
        }
    }
    Ok((sure, unsure))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn stale_findings_are_never_verified(
        kind in prop::sample::select(vec![Kind::Named, Kind::Unnamed, Kind::Asked]),
        events in prop::collection::vec(any_event(), 1..60),
    ) {
        replay(kind, &events)?;
    }
}

/// The test above would hold for a session that never believes anything.
#[test]
fn a_prompt_server_is_believed() {
    for kind in [Kind::Named, Kind::Unnamed, Kind::Asked] {
        let mut events = Vec::new();
        for number in 0..4 {
            events.push(Event::Want(number));
            for _ in 0..4 {
                events.extend([Event::Read, Event::Finish(0), Event::Read, Event::Finish(0)]);
                events.push(Event::Pass(60));
            }
            events.push(Event::Pass(160));
        }
        assert_eq!(replay(kind, &events).unwrap(), (4, 0), "{kind:?}");
    }
}

//! The hub with servers in this process, and with scripts that misbehave.

mod fake;
mod misbehaving;

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use serde_json::{Map, json};

use super::*;
use crate::answer::Part;
use crate::catalogue::Offer;
use crate::client::Elicited;
use crate::server::Status;
use fake::{Fake, hub, one};

const SOON: Duration = Duration::from_secs(60);

/// Waits until the server is as wanted.
async fn until(server: &Server, wanted: impl Fn(&Now) -> bool) -> Now {
    let mut now = server.now.subscribe();
    let found = timeout(SOON, now.wait_for(wanted)).await;
    found.expect("it never came to that").unwrap().clone()
}

async fn connected(server: &Server) -> Arc<Offer> {
    until(server, |now| now.status == Status::Connected).await.offer
}

fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

#[tokio::test]
async fn what_a_server_offers_is_known_and_can_be_called() {
    let (hub, server, _) = one(Fake::default());
    let offer = connected(&server).await;
    let names: Vec<&str> = offer.tools.iter().map(|tool| tool.full_name.as_str()).collect();
    assert_eq!(names, ["mcp__fake__echo", "mcp__fake__slow"]);
    assert_eq!(offer.prompts[0].command, "mcp__fake__greet");
    assert_eq!(offer.resources[0].uri, "note://one");
    assert_eq!(offer.instructions.as_deref(), Some("Be kind."));
    let seen = Mutex::new(Vec::new());
    let said = server.call_tool("echo", arguments(json!({ "text": "hi" })), |report| {
        seen.lock().unwrap().push(report.message.unwrap_or_default());
    });
    assert_eq!(said.await.unwrap().parts, [Part::Text("hi".to_owned())]);
    assert_eq!(*seen.lock().unwrap(), ["half of it"]);
    let read = server.read_resource("note://one").await.unwrap();
    assert_eq!(read, [Part::Resource { uri: "note://one".into(), text: "the note".into() }]);
    let prompt = server.get_prompt("greet", arguments(json!({ "who": "Ann" }))).await.unwrap();
    assert_eq!(prompt, [(true, Part::Text("Say hello to Ann.".to_owned()))]);
    hub.close().await;
    assert!(server.call_tool("echo", Map::new(), |_| ()).await.is_err());
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_at_the_server() {
    let (_hub, server, told) = one(Fake::default());
    connected(&server).await;
    let call = server.call_tool("slow", Map::new(), |_| ());
    tokio::select! {
        _ = call => panic!("it never ends"),
        () = told.wait(|told| told.calls.load(Ordering::SeqCst) == 1) => {}
    }
    told.wait(|told| told.cancelled.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn changed_lists_are_read_again_and_once() {
    let (_hub, server, told) = one(Fake::default());
    connected(&server).await;
    told.more_tools.store(true, Ordering::SeqCst);
    for _ in 0..100 {
        told.say_changed().await;
    }
    let now = until(&server, |now| now.offer.tools.len() == 3).await;
    assert_eq!(now.status, Status::Connected);
    assert!(told.lists.load(Ordering::SeqCst) < 20, "{:?}", told.lists);
}

#[tokio::test]
async fn a_server_may_ask_the_user_and_know_the_folders() {
    let fake =
        Fake { answer: Elicited::Accepted(Some(json!({ "name": "Ann" }))), ..Fake::default() };
    let (_hub, server, told) = one(fake);
    connected(&server).await;
    let asked = server.call_tool("echo", arguments(json!({ "ask": true })), |_| ()).await.unwrap();
    assert_eq!(asked.parts, [Part::Text(r#"{"name":"Ann"}"#.to_owned())]);
    assert_eq!(told.asked.lock().unwrap().len(), 1);
    let roots =
        server.call_tool("echo", arguments(json!({ "roots": true })), |_| ()).await.unwrap();
    assert_eq!(roots.parts, [Part::Text("file:///work".to_owned())]);
}

#[tokio::test]
async fn a_lost_server_is_called_again_and_keeps_its_tools_meanwhile() {
    let (_hub, server, told) = one(Fake::default());
    connected(&server).await;
    told.hang_up();
    let lost = until(&server, |now| now.peer.is_none()).await;
    assert_eq!(lost.offer.tools.len(), 2);
    connected(&server).await;
    assert_eq!(told.connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn servers_are_switched_and_exchanged() {
    let (hub, server, told) = one(Fake::default());
    connected(&server).await;
    hub.switch(&server, false);
    let off = until(&server, |now| now.status == Status::Disabled).await;
    assert!(off.offer.tools.is_empty());
    let why = server.call_tool("echo", Map::new(), |_| ()).await.unwrap_err();
    assert!(why.contains("switched off"), "{why}");
    hub.switch(&server, true);
    connected(&server).await;
    let mut config = server.config.clone();
    hub.set(vec![config.clone()]);
    assert!(Arc::ptr_eq(&hub.server("fake").unwrap(), &server), "the same stays");
    config.always_load = true;
    hub.set(vec![config]);
    let other = hub.server("fake").unwrap();
    connected(&other).await;
    assert_eq!(told.connections.load(Ordering::SeqCst), 3);
    hub.set(Vec::new());
    assert!(hub.servers().is_empty());
}

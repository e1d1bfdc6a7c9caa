//! Events on the wire: their JSON, events of a later version, headers in any order.

use serde_json::{Value, json};

use super::*;
use crate::snapshot::Role;

fn delta() -> Event {
    let body = MessageDelta {
        message_id: "m1".into(),
        role: Role::Assistant,
        text: "Hello, \"world\"\n".into(),
    };
    Event::new("s1", 7, 1_700_000_000_000, body)
}

#[test]
fn a_delta_is_written_with_its_header_first() {
    assert_eq!(
        serde_json::to_string(&delta()).unwrap(),
        r#"{"sessionId":"s1","seq":7,"at":1700000000000,"type":"message.delta","messageId":"m1","role":"assistant","text":"Hello, \"world\"\n"}"#
    );
}

#[test]
fn an_event_is_read_whatever_the_order_of_its_fields() {
    let orders = [
        r#"{"sessionId":"s1","seq":7,"at":1700000000000,"type":"message.delta","messageId":"m1","role":"assistant","text":"Hello, \"world\"\n"}"#,
        r#"{"type":"message.delta","text":"Hello, \"world\"\n","at":1700000000000,"messageId":"m1","new":[1],"role":"assistant","seq":7,"sessionId":"s1"}"#,
        r#"{"messageId":"m1","role":"assistant","text":"Hello, \"world\"\n","sessionId":"s1","seq":7,"at":1700000000000,"type":"message.delta"}"#,
    ];
    for text in orders {
        assert_eq!(serde_json::from_str::<Event>(text).unwrap(), delta(), "{text}");
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::from_value::<Event>(value).unwrap(), delta(), "{text}");
    }
}

#[test]
fn an_event_of_a_later_version_is_kept_whole() {
    let text = json!({
        "sessionId": "s1", "seq": 8, "at": 1, "type": "moon.phase", "phase": {"name": "full"},
    });
    let event: Event = serde_json::from_value(text.clone()).unwrap();
    assert_eq!(event.body.name(), "moon.phase");
    assert!(matches!(&event.body, EventBody::Unknown(fields) if fields["phase"]["name"] == "full"));
    assert_eq!(serde_json::to_value(&event).unwrap(), text);
}

#[test]
fn a_known_event_that_is_broken_says_what_is_missing() {
    let check = |text: Value, expect: &str| {
        let error = serde_json::from_value::<Event>(text).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    };
    check(json!({"sessionId": "s", "seq": 1, "at": 1, "type": "message.delta"}), "messageId");
    check(json!({"sessionId": "s", "seq": 1, "at": 1}), "`type`");
    check(json!({"seq": 1, "at": 1, "type": "retry"}), "`sessionId`");
}

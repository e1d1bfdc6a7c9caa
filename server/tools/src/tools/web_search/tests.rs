//! The tool as a session calls it: through the pipeline.

use policy::Behavior;
use serde_json::json;

use crate::testing::Desk;
use crate::world::{Found, Hit};

fn found(desk: &Desk, summary: &str, urls: &[&str]) {
    let hit = |url: &&str| Hit {
        title: format!("About {url}"),
        url: (*url).to_owned(),
        excerpt: String::new(),
    };
    let hits = urls.iter().map(hit).collect();
    *desk.editor.found.lock().unwrap() = Some(Found { hits, summary: summary.to_owned() });
}

#[tokio::test]
async fn what_is_found_is_told_with_its_addresses() {
    let desk = Desk::new(&[]);
    found(&desk, "High water at six.", &["https://tides.example/today", "javascript:alert(1)"]);
    let text = desk.ok("WebSearch", json!({ "query": "high water today" })).await;
    let expect = "High water at six.\n\nFound:\n- About https://tides.example/today – \
                  https://tides.example/today";
    assert_eq!(text, expect);
    let asked = desk.user.asked();
    assert_eq!(asked[0].title, "Search the web for \"high water today\"");
    assert!(asked[0].reason.contains("high water today"), "{asked:?}");
}

#[tokio::test]
async fn lists_of_hosts_hold_whatever_the_search_says() {
    let desk = Desk::new(&[]);
    desk.rule(Behavior::Allow, "WebSearch");
    let urls = ["https://docs.rs/x", "https://a.docs.rs/", "https://evildocs.rs/", "https://b.org"];
    found(&desk, "", &urls);
    let only = json!({ "query": "tide", "allowed_domains": ["docs.rs"] });
    let text = desk.ok("WebSearch", only).await;
    assert_eq!(text.matches("https://docs.rs/x").count(), 2);
    assert!(text.contains("a.docs.rs") && !text.contains("evildocs") && !text.contains("b.org"));
    let without = json!({ "query": "tide", "blocked_domains": ["docs.rs"] });
    let text = desk.ok("WebSearch", without).await;
    assert!(text.contains("evildocs") && !text.contains("/docs.rs/x"), "{text}");
    assert!(desk.user.asked().is_empty(), "a rule allows it");
    let both =
        json!({ "query": "tide", "allowed_domains": ["a.org"], "blocked_domains": ["b.org"] });
    assert!(desk.err("WebSearch", both).await.contains("not both"));
    let bad = json!({ "query": "tide", "allowed_domains": ["a b/c"] });
    assert!(desk.err("WebSearch", bad).await.contains("is no host"));
}

#[tokio::test]
async fn a_rule_forbids_it_and_a_failure_is_told() {
    let desk = Desk::new(&[]);
    let text = desk.err("WebSearch", json!({ "query": "tide" })).await;
    assert_eq!(text, "The search failed: nobody searches here.");
    desk.rule(Behavior::Deny, "WebSearch");
    assert!(desk.err("WebSearch", json!({ "query": "tide" })).await.contains("not allowed"));
    assert_eq!(desk.editor.searched.lock().unwrap().len(), 1);
}

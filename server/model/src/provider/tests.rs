//! Which variables and names lead to which provider.

use super::*;

fn check<const N: usize>(env: [(&str, &str); N], model: Option<&str>, expect: &str) {
    let env = Env::from(env);
    let found = match provider_for(&env, model) {
        Ok((provider, id)) => format!("{} {id}", provider.name()),
        Err(error) => error.to_string(),
    };
    assert!(found.contains(expect), "{found:?} is not {expect:?}");
    assert!(!env.http().is_built(), "choosing a provider must not build the client");
}

const KEY: (&str, &str) = ("ANTHROPIC_API_KEY", "k");
const LOCAL: (&str, &str) = ("OPENAI_BASE_URL", "http://localhost:11434/v1");
const LLAMA: (&str, &str) = ("OPENAI_MODEL", "llama");

#[test]
fn names_and_variables_choose_the_provider() {
    check([], None, "rehearsal rehearsal");
    check([], Some("rehearsal"), "rehearsal rehearsal");
    check([], Some("opus"), "set ANTHROPIC_API_KEY");
    check([], Some("gpt-x"), "no model `gpt-x`");
    check([], Some("openai:x"), "set OPENAI_BASE_URL");
    check([KEY], None, "anthropic claude-sonnet-5-5");
    check([KEY], Some("haiku"), "anthropic claude-haiku-5-5");
    check([KEY], Some("opus[1m]"), "anthropic claude-opus-5-5");
    check([KEY], Some("default"), "anthropic claude-sonnet-5-5");
    check([KEY], Some("rehearsal"), "rehearsal rehearsal");
    check([KEY], Some("some-new-model"), "anthropic some-new-model");
    check([KEY, ("ANTHROPIC_MODEL", "opus")], None, "anthropic claude-opus-5-5");
    check([KEY, ("ANTHROPIC_MODEL", "rehearsal")], None, "rehearsal rehearsal");
    check([("ANTHROPIC_AUTH_TOKEN", "t")], None, "anthropic");
    check([("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")], None, "anthropic");
    check([("ANTHROPIC_API_KEY", "  ")], None, "rehearsal");
    check([("ANTHROPIC_BASE_URL", "nonsense")], None, "ANTHROPIC_BASE_URL is not a web address");
    check([("ANTHROPIC_API_KEY", "a\nb")], None, "ANTHROPIC_API_KEY holds a character");
    #[cfg(not(feature = "bedrock"))]
    check([("CLAUDE_CODE_USE_BEDROCK", "1")], None, "built without Amazon Bedrock");
    #[cfg(not(feature = "vertex"))]
    check([("BOWLINE_USE_VERTEX", "1")], None, "built without Google Vertex AI");
    check([("BOWLINE_USE_VERTEX", "0")], None, "rehearsal");
    check([LOCAL, LLAMA], None, "openai llama");
    check([LOCAL], None, "set OPENAI_MODEL");
    check([LOCAL], Some("qwen3"), "openai qwen3");
    check([LOCAL], Some("openai:qwen3"), "openai qwen3");
    check([LOCAL], Some("claude-opus-5-5"), "set ANTHROPIC_API_KEY");
    check([KEY, LOCAL, LLAMA], None, "anthropic");
    check([KEY, LOCAL, LLAMA], Some("openai:llama"), "openai llama");
}

#[test]
fn every_choice_can_be_chosen() {
    let env = Env::from([KEY, LOCAL, LLAMA]);
    let (provider, _) = provider_for(&env, Some("haiku")).unwrap();
    assert_eq!(provider.default_model(), models::DEFAULT);
    let choices = provider.models();
    assert_eq!(choices.len(), MODELS.len() + 2);
    for choice in choices {
        provider_for(&env, Some(&choice.id)).unwrap();
    }
}

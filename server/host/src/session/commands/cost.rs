//! `/cost`: what the session has used, model by model, and why the prompt cache was lost.

use agent::Used;

use super::{Done, Outcome, rows};
use crate::session::Session;

pub(super) fn run(session: &mut Session, _: &str) -> Outcome {
    let spent = session.spent();
    let window = agent::models::limits(&session.config.model).window;
    let mut lines = vec![("cost", format!("${:.4}", spent.cost_usd()))];
    lines.extend(spent.models().map(|(model, used)| (model, of_model(used))));
    lines.push(("window", format!("{} of {window} tokens in use", session.used())));
    let mut text = rows(lines);
    for loss in session.prompt_cache.losses().into_iter().flatten() {
        text.push('\n');
        text.push_str(&loss);
    }
    Ok(Done::Said(text))
}

fn of_model(used: &Used) -> String {
    let Used { usage, cost_usd } = used;
    let (read, written) = (usage.cache_read_input_tokens, usage.cache_creation_input_tokens);
    let mut text = format!(
        "${cost_usd:.4}, {} tokens in, {} out, cache {read} read, {written} written",
        usage.input_tokens, usage.output_tokens
    );
    if usage.web_search_requests > 0 {
        text.push_str(&format!(", {} searches", usage.web_search_requests));
    }
    text
}

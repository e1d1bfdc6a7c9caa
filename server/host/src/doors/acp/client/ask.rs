//! `elicitation/create`: questions, forms and links for the user.

use std::collections::BTreeMap;
use std::time::Duration;

use protocol::ask::{AskAction, AskParams, AskResult, Question};
use serde_json::Value;

use crate::core::RpcError;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAction, ElicitationFormMode,
    ElicitationMode, ElicitationPropertySchema, ElicitationSchema, ElicitationSessionScope,
    ElicitationUrlMode, EnumOption, MultiSelectItems, MultiSelectPropertySchema,
    StringPropertySchema, TitledMultiSelectItems,
};

/// The session gives up sooner.
const ANSWER_WITHIN: Duration = Duration::from_secs(2 * 60 * 60);
/// The field beside a list of choices, for an answer that is not in it.
const OTHER: &str = "_other";

pub(super) async fn ask(peer: &Peer, params: AskParams) -> Result<AskResult, RpcError> {
    let elicitation = peer.capabilities().elicitation.unwrap_or_default();
    let questions = params.questions.as_deref().unwrap_or_default();
    let mode: ElicitationMode = match (&params.url, &params.form) {
        (Some(url), _) if elicitation.url.is_some() => {
            ElicitationUrlMode::new(scope(&params), params.request_id.clone(), url).into()
        }
        (Some(_), _) => {
            let message = "This client cannot open pages.";
            return Err(RpcError::new(RpcError::METHOD_NOT_FOUND, message));
        }
        (None, Some(form)) => {
            let schema = serde_json::from_value(form.schema.clone()).map_err(|error| {
                RpcError::new(RpcError::INVALID_PARAMS, format!("The form is wrong: {error}."))
            })?;
            ElicitationFormMode::new(scope(&params), schema).into()
        }
        (None, None) => ElicitationFormMode::new(scope(&params), schema(questions)).into(),
    };
    let first = questions.first().map(|question| question.text.clone());
    let message = params.message.clone().or(first).unwrap_or_else(|| "A question.".to_owned());
    let request = CreateElicitationRequest::new(mode, message);
    let asked = peer.door.ask("elicitation/create", &request);
    let answer = asked.answer::<CreateElicitationResponse>(ANSWER_WITHIN).await?;
    Ok(match answer.action {
        ElicitationAction::Accept(accepted) => {
            let content = accepted.content.unwrap_or_default().into_iter();
            let content = content
                .filter_map(|(field, value)| Some((field, serde_json::to_value(value).ok()?)))
                .collect();
            let content = Some(joined(questions, content));
            AskResult { action: AskAction::Accept, content }
        }
        ElicitationAction::Decline => AskResult { action: AskAction::Decline, content: None },
        _ => AskResult { action: AskAction::Cancel, content: None },
    })
}

/// The id of a request says which call asks: `ask:<session>:<call>`.
fn scope(params: &AskParams) -> ElicitationSessionScope {
    let call = params.request_id.splitn(3, ':').nth(2).map(str::to_owned);
    let scope = ElicitationSessionScope::new(params.session_id.clone());
    match call {
        Some(call) => scope.tool_call_id(super::super::schema::ToolCallId::new(call)),
        None => scope,
    }
}

fn schema(questions: &[Question]) -> ElicitationSchema {
    let mut schema = ElicitationSchema::new();
    for question in questions {
        let title = question.header.clone().unwrap_or_else(|| question.text.clone());
        let other = !question.options.is_empty() && question.free_text == Some(true);
        schema.properties.insert(question.id.clone(), property(question, &title));
        if other {
            let field = StringPropertySchema::new().title(format!("{title}: something else"));
            schema.properties.insert(format!("{}{OTHER}", question.id), field.into());
        }
    }
    schema
}

fn property(question: &Question, title: &str) -> ElicitationPropertySchema {
    let options = question.options.iter().map(|choice| {
        EnumOption::new(&choice.label, &choice.label).description(choice.description.clone())
    });
    let options: Vec<_> = options.collect();
    if question.multi_select == Some(true) && !options.is_empty() {
        let mut list = MultiSelectPropertySchema::new(Vec::new())
            .title(title.to_owned())
            .description(question.text.clone());
        list.items = MultiSelectItems::Titled(TitledMultiSelectItems::new(options));
        return list.into();
    }
    let field =
        StringPropertySchema::new().title(title.to_owned()).description(question.text.clone());
    match options.is_empty() {
        true => field.into(),
        false => field.one_of(options).into(),
    }
}

/// What was written beside the choices counts in their place, or among them where several do.
fn joined(questions: &[Question], mut content: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    for question in questions {
        let Some(Value::String(other)) = content.remove(&format!("{}{OTHER}", question.id)) else {
            continue;
        };
        if other.trim().is_empty() {
            continue;
        }
        match content.get_mut(&question.id) {
            Some(Value::Array(chosen)) => chosen.push(Value::String(other)),
            _ => {
                content.insert(question.id.clone(), Value::String(other));
            }
        }
    }
    content
}

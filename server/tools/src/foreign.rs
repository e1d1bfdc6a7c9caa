//! Tools that come at run time, from a server for example: described by data, called through a
//! value.

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use policy::Subject;
use serde_json::{Value, json};

use crate::context::Context;
use crate::lenient;
use crate::registry::{AnyTool, Offer};
use crate::tool::{Kind, Outcome, Plan, Preview, Problem};

/// More of a description is cut off: it is somebody else's text in every request.
const DESCRIPTION_CAP: usize = 2048;

/// Somebody else's tool.
pub trait ForeignTool: Send + Sync + 'static {
    /// `mcp__server__tool`, unique in the session.
    fn name(&self) -> &str;

    fn description(&self) -> &str;

    /// The JSON schema of its input.
    fn schema(&self) -> &Value;

    fn annotations(&self) -> Annotations;

    /// What the policy has to agree to.
    fn subjects(&self, input: &Value) -> Vec<Subject>;

    /// What the user is shown besides its title, when they are asked.
    fn preview(&self, _input: &Value) -> Preview {
        Preview::None
    }

    fn call(&self, input: Value, cx: Context) -> BoxFuture<'static, Result<Outcome, Problem>>;
}

/// What its owner says about it. Believed where it makes things stricter, or costs nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// One line for people.
    pub title: Option<String>,
    /// It only looks: calls may run side by side. Whether they run at all is the policy's to say.
    pub read_only: bool,
    /// Its definition is sent with every request, also where others wait to be asked for.
    pub always_load: bool,
}

/// One of them in the registry.
pub(crate) struct Foreign(pub(crate) Arc<dyn ForeignTool>);

impl AnyTool for Foreign {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn kind(&self) -> Kind {
        if self.0.annotations().read_only { Kind::Read } else { Kind::Execute }
    }

    fn deferred(&self, offer: &Offer) -> bool {
        offer.defer_foreign && !self.0.annotations().always_load
    }

    fn definition(&self) -> Value {
        let text = self.0.description();
        let description = &text[..text.floor_char_boundary(DESCRIPTION_CAP)];
        json!({ "name": self.0.name(), "description": description, "input_schema": self.0.schema() })
    }

    /// Schemas of others are open unless they say that they are not.
    fn keep_known(&self, input: &mut Value) {
        let schema = self.0.schema();
        if schema["additionalProperties"] == Value::Bool(false) {
            lenient::keep_known(input, schema, &[]);
        }
    }

    fn title(&self, _: &Value, _: &Path) -> Option<String> {
        let title = self.0.annotations().title;
        Some(title.unwrap_or_else(|| self.0.name().to_owned()))
    }

    fn parallel(&self, _: &Value) -> bool {
        self.0.annotations().read_only
    }

    fn plan<'a>(&'a self, input: &Value, _: Context) -> BoxFuture<'a, Result<Plan, Problem>> {
        let (tool, input) = (self.0.clone(), input.clone());
        let (subjects, preview) = (tool.subjects(&input), tool.preview(&input));
        let plan = Plan::new(subjects, move |cx| async move { tool.call(input, cx).await });
        Box::pin(std::future::ready(Ok(plan.preview(preview))))
    }
}

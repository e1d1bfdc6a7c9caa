//! All tools by name, and the one place where their types are forgotten.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::Path;

use agent::turn::ToolCall;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::context::Context;
use crate::lenient;
use crate::tool::{Kind, Plan, Problem, Tool};

/// The tools a session has. The order is the order the model sees, and never changes within a
/// session: a changed list would throw away the provider's cache.
pub struct Registry {
    tools: Vec<Box<dyn AnyTool>>,
    by_name: BTreeMap<&'static str, usize>,
}

impl Registry {
    /// Every built-in tool but those a rule took away.
    pub fn builtin(removed: &policy::RemovedTools<'_>) -> Self {
        let mut tools = crate::tools::all();
        tools.retain(|tool| !removed.contains(tool.name()));
        let by_name = tools.iter().enumerate().map(|(at, tool)| (tool.name(), at)).collect();
        Self { tools, by_name }
    }

    fn get(&self, name: &str) -> Option<&dyn AnyTool> {
        self.by_name.get(name).map(|at| &*self.tools[*at])
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.tools.iter().map(|tool| tool.name())
    }

    /// The list as the Messages API wants it.
    pub fn definitions(&self) -> Value {
        self.tools.iter().map(|tool| tool.definition()).collect()
    }

    pub fn parallel(&self, name: &str, input: &Value) -> bool {
        // An unknown tool only fails, which disturbs nobody.
        self.get(name).is_none_or(|tool| tool.parallel(input))
    }

    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.get(name).map(|tool| tool.kind())
    }

    /// One line for people; the bare name where the input does not make sense.
    pub fn title(&self, name: &str, input: &Value, cwd: &Path) -> String {
        let title = self.get(name).and_then(|tool| tool.title(input, cwd));
        title.unwrap_or_else(|| name.to_owned())
    }

    pub(crate) async fn plan(&self, call: &ToolCall, cx: &Context) -> Result<Plan, Problem> {
        let Some(tool) = self.get(&call.name) else {
            let names = self.names().collect::<Vec<_>>().join(", ");
            let name = &call.name;
            return Err(Problem(format!("There is no tool {name:?}. There are: {names}.")));
        };
        tool.plan(&call.input, cx.clone()).await
    }
}

/// A [`Tool`] whose input is any JSON.
pub(crate) trait AnyTool: Send + Sync {
    fn name(&self) -> &'static str;
    fn kind(&self) -> Kind;
    fn definition(&self) -> Value;
    fn title(&self, input: &Value, cwd: &Path) -> Option<String>;
    fn parallel(&self, input: &Value) -> bool;
    fn plan<'a>(&'a self, input: &Value, cx: Context) -> BoxFuture<'a, Result<Plan, Problem>>;
}

pub(crate) fn boxed<T: Tool>() -> Box<dyn AnyTool> {
    Box::new(Erased::<T>(PhantomData))
}

struct Erased<T>(PhantomData<T>);

impl<T: Tool> Erased<T> {
    fn parse(input: &Value) -> Result<T::Input, Problem> {
        let read = |input: &Value| <T::Input as serde::Deserialize>::deserialize(input);
        read(input).or_else(|_| {
            let schema = schemars::schema_for!(T::Input).to_value();
            // The error names the field, so that the model can mend it.
            read(&lenient::mend(input, &schema)).map_err(|error| {
                let (name, fields) = (T::NAME, lenient::fields(&schema));
                Problem(format!("The input of {name} is not right: {error}. {fields}"))
            })
        })
    }
}

impl<T: Tool> AnyTool for Erased<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn kind(&self) -> Kind {
        T::KIND
    }

    fn definition(&self) -> Value {
        let mut schema = schemars::schema_for!(T::Input).to_value();
        let mut description = Value::String(String::new());
        if let Some(schema) = schema.as_object_mut() {
            description = schema.remove("description").unwrap_or(description);
            schema.remove("$schema");
            schema.remove("title");
        }
        json!({ "name": T::NAME, "description": description, "input_schema": schema })
    }

    fn title(&self, input: &Value, cwd: &Path) -> Option<String> {
        Self::parse(input).ok().map(|input| T::title(&input, cwd))
    }

    fn parallel(&self, input: &Value) -> bool {
        Self::parse(input).map_or(true, |input| T::parallel(&input))
    }

    fn plan<'a>(&'a self, input: &Value, cx: Context) -> BoxFuture<'a, Result<Plan, Problem>> {
        match Self::parse(input) {
            Ok(input) => Box::pin(T::plan(input, cx)),
            Err(problem) => Box::pin(std::future::ready(Err(problem))),
        }
    }
}

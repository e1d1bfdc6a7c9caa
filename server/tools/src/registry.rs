//! All tools by name, and the one place where their types are forgotten.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use agent::turn::ToolCall;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::context::{Context, SessionState};
use crate::foreign::{Foreign, ForeignTool};
use crate::lenient;
use crate::shelf::{Book, Loading, Shelf};
use crate::tool::{Kind, Plan, Problem, Tool};

/// Which of the built-in tools a session has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// The tools for tasks that depend on each other, in place of a plain list of steps.
    pub tasks: bool,
    /// Somebody can search the web.
    pub web_search: bool,
    /// Rarely needed tools are announced by name only.
    pub defer: bool,
    /// So are those of others.
    pub defer_foreign: bool,
}

impl Offer {
    /// There is something to search for.
    pub(crate) fn tool_search(&self) -> bool {
        self.defer || self.defer_foreign
    }
}

/// The tools a session has at one moment. The order is the order the model sees; a changed list
/// throws away the provider's cache, so it changes only where it must.
#[derive(Clone)]
pub struct Registry {
    tools: Vec<Arc<dyn AnyTool>>,
    by_name: BTreeMap<String, usize>,
    /// How many of them are our own; the others come behind.
    own: usize,
    offer: Offer,
    /// The agents there are, for who reads about the tool that starts them.
    agents: Arc<str>,
}

impl Registry {
    /// Every built-in tool that is on offer, but those a rule took away.
    pub fn builtin(removed: &policy::RemovedTools<'_>, offer: &Offer) -> Self {
        let mut tools = crate::tools::offered(offer);
        tools.retain(|tool| !removed.contains(tool.name()));
        let own = tools.len();
        Self { by_name: by_name(&tools), tools, own, offer: *offer, agents: "".into() }
    }

    /// The same with these tools of others, in place of those it had; `defer`: announced by name
    /// only. A name that is taken stays with whom it belongs to.
    #[must_use]
    pub fn with_foreign(&self, tools: Vec<Arc<dyn ForeignTool>>, defer: bool) -> Self {
        let mut all = self.tools[..self.own].to_vec();
        let offer = Offer { defer_foreign: defer, ..self.offer };
        if offer.tool_search() && all.iter().all(|tool| tool.name() != "ToolSearch") {
            all.push(crate::tools::tool_search());
        }
        let own = all.len();
        let mut foreign = tools;
        foreign.sort_by(|one, other| one.name().cmp(other.name()));
        for tool in foreign {
            if all.iter().all(|known| known.name() != tool.name()) {
                all.push(Arc::new(Foreign(tool)));
            }
        }
        Self { by_name: by_name(&all), tools: all, own, offer, agents: self.agents.clone() }
    }

    /// The same with these agents to start: a line for each.
    #[must_use]
    pub fn with_agents(&self, agents: &str) -> Self {
        Self { agents: agents.into(), ..self.clone() }
    }

    /// The same with those tools only that an agent may have.
    #[must_use]
    pub fn only(&self, has: impl Fn(&str) -> bool) -> Self {
        let own = self.tools[..self.own].iter().filter(|tool| has(tool.name())).count();
        let tools: Vec<_> = self.tools.iter().filter(|tool| has(tool.name())).cloned().collect();
        Self { by_name: by_name(&tools), tools, own, ..self.clone() }
    }

    fn get(&self, name: &str) -> Option<&dyn AnyTool> {
        self.by_name.get(name).map(|at| &*self.tools[*at])
    }

    pub fn names(&self) -> impl Iterator<Item = &str> + '_ {
        self.tools.iter().map(|tool| tool.name())
    }

    fn is_deferred(&self, tool: &dyn AnyTool) -> bool {
        tool.deferred(&self.offer)
    }

    /// Tells the session what can be loaded.
    pub fn stock(&self, session: &SessionState, loading: Loading) {
        let deferred = self.tools.iter().filter(|tool| self.is_deferred(&***tool));
        let books = deferred.map(|tool| Book::of(&tool.definition())).collect();
        session.restock(books, loading);
    }

    /// The list as the Messages API wants it.
    pub fn definitions(&self, shelf: &Shelf) -> Value {
        let (deferred, sent): (Vec<_>, Vec<_>) =
            self.tools.iter().partition(|tool| self.is_deferred(&***tool));
        let sent = sent.into_iter().map(|tool| self.announce(tool.definition()));
        match shelf.loading {
            // First, because the cache's mark stands on the last one, and no deferred tool may
            // carry it.
            Loading::References => {
                let marked = deferred.into_iter().map(|tool| {
                    let mut definition = tool.definition();
                    definition["defer_loading"] = Value::Bool(true);
                    definition
                });
                marked.chain(sent).collect()
            }
            Loading::Added => {
                let loaded = shelf.loaded().iter().filter_map(|name| {
                    let tool = self.get(name).filter(|tool| self.is_deferred(*tool))?;
                    Some(tool.definition())
                });
                sent.chain(loaded).collect()
            }
        }
    }

    /// Our own deferred tools are named where they are asked for. Those of others may come and go,
    /// so they are told of in the conversation.
    fn announce(&self, mut definition: Value) -> Value {
        if definition["name"] == "ToolSearch" {
            let own = self.tools[..self.own].iter().filter(|tool| self.is_deferred(&***tool));
            let names: Vec<&str> = own.map(|tool| tool.name()).collect();
            let text = definition["description"].as_str().unwrap_or_default();
            let text = format!("{text}\n\nTools that can be loaded: {}.", names.join(", "));
            definition["description"] = Value::String(text);
        }
        if definition["name"] == "Agent" && !self.agents.is_empty() {
            let text = definition["description"].as_str().unwrap_or_default();
            let text = format!("{text}\n\nThe agents there are:\n{}", self.agents);
            definition["description"] = Value::String(text);
        }
        definition
    }

    pub fn parallel(&self, name: &str, input: &Value) -> bool {
        // An unknown tool only fails, which disturbs nobody; one of a server may come meanwhile.
        let unknown = !name.starts_with("mcp__");
        self.get(name).map_or(unknown, |tool| tool.parallel(input))
    }

    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.get(name).map(|tool| tool.kind())
    }

    /// One line for people; the bare name where the input does not make sense.
    pub fn title(&self, name: &str, input: &Value, cwd: &Path) -> String {
        let title = self.get(name).and_then(|tool| tool.title(input, cwd));
        title.unwrap_or_else(|| name.to_owned())
    }

    /// Takes out of an input what no model may set, and what the tool does not take: nobody who
    /// looks at the call should have to guess whether it matters.
    pub(crate) fn strip(&self, call: &mut ToolCall) {
        lenient::strip(&mut call.input);
        if let Some(tool) = self.get(&call.name) {
            tool.keep_known(&mut call.input);
        }
    }

    pub(crate) async fn plan(&self, call: &ToolCall, cx: &Context) -> Result<Plan, Problem> {
        let name = &call.name;
        let Some(tool) = self.get(name) else {
            let names = self.names().collect::<Vec<_>>().join(", ");
            return Err(Problem(format!("There is no tool {name:?}. There are: {names}.")));
        };
        if self.is_deferred(tool) && !cx.session.is_loaded(name) {
            return Err(Problem(format!(
                "{name} is not loaded, so you cannot know what it takes. Call ToolSearch with the \
                 query \"select:{name}\" first, then call it again."
            )));
        }
        tool.plan(&call.input, cx.clone()).await
    }
}

fn by_name(tools: &[Arc<dyn AnyTool>]) -> BTreeMap<String, usize> {
    tools.iter().enumerate().map(|(at, tool)| (tool.name().to_owned(), at)).collect()
}

/// A [`Tool`] whose input is any JSON.
pub(crate) trait AnyTool: Send + Sync {
    fn name(&self) -> &str;
    fn kind(&self) -> Kind;
    /// Whether the model can do without its definition at first.
    fn deferred(&self, offer: &Offer) -> bool;
    fn definition(&self) -> Value;
    /// Takes out of an input what the tool does not take.
    fn keep_known(&self, input: &mut Value);
    fn title(&self, input: &Value, cwd: &Path) -> Option<String>;
    fn parallel(&self, input: &Value) -> bool;
    fn plan<'a>(&'a self, input: &Value, cx: Context) -> BoxFuture<'a, Result<Plan, Problem>>;
}

pub(crate) fn boxed<T: Tool>() -> Arc<dyn AnyTool> {
    Arc::new(Erased::<T>(PhantomData))
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
    fn name(&self) -> &str {
        T::NAME
    }

    fn kind(&self) -> Kind {
        T::KIND
    }

    fn deferred(&self, offer: &Offer) -> bool {
        offer.defer && T::RARE
    }

    fn keep_known(&self, input: &mut Value) {
        let schema = schemars::schema_for!(T::Input).to_value();
        lenient::keep_known(input, &schema, T::ALIASES);
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

#[cfg(test)]
mod tests;

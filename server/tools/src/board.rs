//! The list of steps as tasks that depend on each other: who does what, and what waits for what.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::{Todo, TodoStatus};

/// More tasks than this nobody follows.
const MOST: usize = 200;

/// All tasks of a session. Ids are never used twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    last: u32,
    tasks: Vec<Step>,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) id: String,
    pub(crate) subject: String,
    pub(crate) description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) active_form: Option<String>,
    pub(crate) status: TodoStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
    /// The tasks that must be done before this one. The other direction follows from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) blocked_by: Vec<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) metadata: Map<String, Value>,
}

/// What is to change; what is absent stays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    pub(crate) subject: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) active_form: Option<String>,
    pub(crate) status: Option<TodoStatus>,
    pub(crate) owner: Option<String>,
    pub(crate) blocks: Vec<String>,
    pub(crate) blocked_by: Vec<String>,
    pub(crate) metadata: Map<String, Value>,
}

impl Board {
    /// The number that the next task gets.
    pub fn next_id(&self) -> String {
        self.last.saturating_add(1).to_string()
    }

    /// What a task is about: its subject and its description.
    pub fn about(&self, id: &str) -> Option<(&str, &str)> {
        let found = self.tasks.iter().find(|task| task.id == id)?;
        Some((&found.subject, &found.description))
    }

    pub(crate) fn create(
        &mut self,
        subject: String,
        description: String,
        active_form: Option<String>,
        metadata: Map<String, Value>,
    ) -> Result<&Step, String> {
        if self.tasks.len() >= MOST {
            return Err(format!("There are {MOST} tasks already. Finish or delete some first."));
        }
        self.last += 1;
        self.tasks.push(Step {
            id: self.last.to_string(),
            subject,
            description,
            active_form,
            status: TodoStatus::Pending,
            owner: None,
            blocked_by: Vec::new(),
            metadata,
        });
        self.tasks.last().ok_or_else(String::new)
    }

    pub(crate) fn get(&self, id: &str) -> Result<&Step, String> {
        let found = self.tasks.iter().find(|task| task.id == id);
        found.ok_or_else(|| format!("There is no task {id:?}. TaskList shows the ids."))
    }

    pub(crate) fn all(&self) -> &[Step] {
        &self.tasks
    }

    /// The tasks that wait for this one.
    pub(crate) fn blocks(&self, id: &str) -> Vec<&str> {
        let waits = |task: &&Step| task.blocked_by.iter().any(|other| other == id);
        self.tasks.iter().filter(waits).map(|task| task.id.as_str()).collect()
    }

    /// What a task still waits for.
    pub(crate) fn open_blockers<'a>(&'a self, task: &'a Step) -> Vec<&'a str> {
        let open = |id: &&String| self.get(id).is_ok_and(|it| it.status != TodoStatus::Completed);
        task.blocked_by.iter().filter(open).map(String::as_str).collect()
    }

    pub(crate) fn delete(&mut self, id: &str) -> Result<(), String> {
        self.get(id)?;
        self.tasks.retain(|task| task.id != id);
        for task in &mut self.tasks {
            task.blocked_by.retain(|other| other != id);
        }
        Ok(())
    }

    /// All of a change or nothing.
    pub(crate) fn change(&mut self, id: &str, change: Change) -> Result<(), String> {
        let mut next = self.clone();
        next.apply(id, change)?;
        *self = next;
        Ok(())
    }

    fn apply(&mut self, id: &str, change: Change) -> Result<(), String> {
        self.get(id)?;
        let Change { blocks, blocked_by, .. } = &change;
        let later = blocks.iter().map(|other| (other.as_str(), id));
        let earlier = blocked_by.iter().map(|other| (id, other.as_str()));
        let edges: Vec<(&str, &str)> = later.chain(earlier).collect();
        for (waiting, first) in edges {
            self.wait_for(waiting, first)?;
        }
        let Some(task) = self.tasks.iter_mut().find(|task| task.id == id) else { return Ok(()) };
        task.subject = change.subject.unwrap_or_else(|| std::mem::take(&mut task.subject));
        task.description =
            change.description.unwrap_or_else(|| std::mem::take(&mut task.description));
        task.active_form = change.active_form.or_else(|| task.active_form.take());
        task.status = change.status.unwrap_or(task.status);
        task.owner = change.owner.or_else(|| task.owner.take());
        for (key, value) in change.metadata {
            match value {
                Value::Null => drop(task.metadata.remove(&key)),
                value => drop(task.metadata.insert(key, value)),
            }
        }
        Ok(())
    }

    fn wait_for(&mut self, waiting: &str, first: &str) -> Result<(), String> {
        self.get(first)?;
        self.get(waiting)?;
        if waiting == first || self.leads(first, waiting) {
            return Err(format!(
                "Task {waiting} cannot wait for task {first}: {first} waits for it already, so \
                 neither could begin."
            ));
        }
        let task = self.tasks.iter_mut().find(|task| task.id == waiting);
        if let Some(task) = task.filter(|task| !task.blocked_by.iter().any(|id| id == first)) {
            task.blocked_by.push(first.to_owned());
        }
        Ok(())
    }

    /// Whether `from` waits for `to`, directly or through others.
    fn leads(&self, from: &str, to: &str) -> bool {
        let (mut seen, mut next) = (Vec::new(), vec![from]);
        while let Some(id) = next.pop() {
            if id == to {
                return true;
            }
            if !seen.contains(&id) {
                seen.push(id);
                next.extend(
                    self.get(id).into_iter().flat_map(|task| &task.blocked_by).map(|it| &**it),
                );
            }
        }
        false
    }

    /// The same as a plain list of steps, as people see it.
    pub fn todos(&self) -> Vec<Todo> {
        let todo = |task: &Step| Todo {
            content: task.subject.clone(),
            status: task.status,
            active_form: task.active_form.clone().unwrap_or_else(|| task.subject.clone()),
        };
        self.tasks.iter().map(todo).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(count: usize) -> Board {
        let mut board = Board::default();
        for number in 1..=count {
            let subject = format!("step {number}");
            board.create(subject, "do it".to_owned(), None, Map::new()).unwrap();
        }
        board
    }

    fn after(ids: &[&str]) -> Change {
        let blocked_by = ids.iter().map(|id| (*id).to_owned()).collect();
        Change { blocked_by, ..Change::default() }
    }

    #[test]
    fn what_waits_for_what() {
        let mut board = board(3);
        board.change("2", after(&["1"])).unwrap();
        board.change("2", Change { blocks: vec!["3".to_owned()], ..Change::default() }).unwrap();
        assert_eq!(board.blocks("1"), ["2"]);
        assert_eq!(board.get("3").unwrap().blocked_by, ["2"]);
        let before = board.clone();
        assert!(board.change("1", after(&["3"])).unwrap_err().contains("neither could begin"));
        assert!(board.change("1", after(&["1"])).is_err());
        assert!(board.change("1", after(&["2", "9"])).is_err());
        assert_eq!(board, before, "all of a change or nothing");
        let done = Change { status: Some(TodoStatus::Completed), ..Change::default() };
        assert_eq!(board.open_blockers(board.get("2").unwrap()), ["1"]);
        board.change("1", done).unwrap();
        assert!(board.open_blockers(board.get("2").unwrap()).is_empty());
        board.delete("2").unwrap();
        assert!(board.get("3").unwrap().blocked_by.is_empty());
        assert!(board.get("2").unwrap_err().contains("TaskList"));
        let next = board.create("x".to_owned(), String::new(), None, Map::new()).unwrap();
        assert_eq!(next.id, "4", "ids are never used twice");
    }

    #[test]
    fn what_is_kept_comes_back() {
        let mut board = board(2);
        board.change("2", after(&["1"])).unwrap();
        let kept = serde_json::to_value(&board).unwrap();
        assert_eq!(serde_json::from_value::<Board>(kept).unwrap(), board);
        assert_eq!(board.todos()[1].content, "step 2");
    }
}

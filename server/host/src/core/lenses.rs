//! Editors keep the code lenses they were given. When the agent's changes change, they are told to
//! ask again; not more often than they answer.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::door::{Door, DoorId};
use super::state::State;

const REFRESH: &str = "workspace/codeLens/refresh";
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

#[derive(Default)]
pub struct LensRefresh {
    /// Told, and has not answered.
    asked: HashSet<DoorId>,
    /// Has to be told once more when it has.
    stale: HashSet<DoorId>,
}

impl State {
    pub fn refresh_lenses(&mut self) {
        let takes = |door: &&Arc<Door>| door.profile().lens_refresh && !door.is_unknown(REFRESH);
        let doors: Vec<_> = self.doors.values().filter(takes).cloned().collect();
        for door in doors {
            if self.lenses.asked.insert(door.id) {
                self.refresh_lenses_of(door);
            } else {
                self.lenses.stale.insert(door.id);
            }
        }
    }

    fn refresh_lenses_of(&self, door: Arc<Door>) {
        let asked = door.ask(REFRESH, &Value::Null);
        let core = self.core.clone();
        tokio::spawn(async move {
            // Whatever the answer is: it has been told.
            let _ = asked.answer::<Value>(ANSWER_WITHIN).await;
            core.go_on(move |state| state.refreshed_lenses(&door)).await;
        });
    }

    fn refreshed_lenses(&mut self, door: &Arc<Door>) {
        self.lenses.asked.remove(&door.id);
        if self.lenses.stale.remove(&door.id) && self.doors.contains_key(&door.id) {
            self.lenses.asked.insert(door.id);
            self.refresh_lenses_of(door.clone());
        }
    }
}

//! `kill -9` at each kind of announcement and at random points: nothing that a client received is
//! missing after the restart, the model is told of it, and every change can be rejected.
//!
//! A few dozen kills by default; `BOWLINE_CRASHES=2000` for the long run.

mod check;
mod life;
mod seen;
mod tally;

use std::sync::Arc;

use kit::{Dice, Project};

use life::Story;
use tally::Tally;

const KILLS: usize = 48;
/// Projects side by side: a server that starts waits mostly for the disk.
const LANES: usize = 4;
/// So often one session is killed before its changes are taken back.
const KILLS_OF_A_SESSION: usize = 8;

#[expect(clippy::disallowed_methods, reason = "how often is up to who runs it")]
fn kills() -> usize {
    let wanted = std::env::var("BOWLINE_CRASHES").ok();
    wanted.and_then(|count| count.parse().ok()).unwrap_or(KILLS)
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_loses_nothing_that_a_client_received() {
    let tally = Arc::new(Tally::default());
    let each = kills().div_ceil(LANES);
    let lanes = (0..LANES).map(|lane| tokio::spawn(one_lane(lane as u64, each, tally.clone())));
    for lane in lanes.collect::<Vec<_>>() {
        lane.await.unwrap();
    }
    println!("{tally}");
    assert!(tally.is_clean(), "{tally}");
}

async fn one_lane(lane: u64, kills: usize, tally: Arc<Tally>) {
    let mut dice = Dice::new(0xC4A5 + lane);
    let mut left = kills;
    while left > 0 {
        let count = left.min(KILLS_OF_A_SESSION);
        let project = Project::new(life::FIXTURE);
        let mut story = Story::new(&project, &tally);
        for _ in 0..count {
            story.run_and_kill(&mut dice).await;
        }
        story.take_everything_back(dice.below(2) == 0).await;
        left -= count;
    }
}

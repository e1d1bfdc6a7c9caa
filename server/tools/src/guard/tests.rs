//! Guards that agree, differ, break down and never answer.

use std::sync::Mutex;

use serde_json::json;
use tokio::sync::Barrier;

use super::*;

type Saying = Box<dyn Fn(&Value) -> Result<Opinion, String> + Send + Sync>;

/// A guard for tests: watches one moment and says what it is told to.
pub(crate) struct Says {
    moment: Moment,
    opinion: Saying,
    /// The inputs it was shown.
    pub(crate) seen: Mutex<Vec<Value>>,
}

impl Says {
    pub(crate) fn new(
        moment: Moment,
        opinion: impl Fn(&Value) -> Result<Opinion, String> + Send + Sync + 'static,
    ) -> Arc<Says> {
        Arc::new(Says { moment, opinion: Box::new(opinion), seen: Mutex::default() })
    }

    /// Always the same verdict.
    pub(crate) fn verdict(moment: Moment, verdict: Verdict) -> Arc<Says> {
        Says::new(moment, move |_| Ok(ruling(verdict, "so it is")))
    }
}

pub(crate) fn ruling(verdict: Verdict, reason: &str) -> Opinion {
    let ruling = Ruling { verdict, reason: reason.to_owned() };
    Opinion { ruling: Some(ruling), ..Opinion::default() }
}

impl Guard for Says {
    fn name(&self) -> &str {
        "the test guard"
    }

    fn watches(&self, moment: Moment, _: &Guarded<'_>) -> bool {
        moment == self.moment
    }

    fn judge<'a>(
        &'a self,
        _: Moment,
        call: &'a Guarded<'a>,
    ) -> BoxFuture<'a, Result<Opinion, String>> {
        self.seen.lock().unwrap().push(call.call.input.clone());
        let opinion = (self.opinion)(&call.call.input);
        Box::pin(std::future::ready(opinion))
    }
}

/// Never answers, or only once others are heard as well.
struct Sleeps(Option<Arc<Barrier>>);

impl Guard for Sleeps {
    fn name(&self) -> &str {
        "the sleeper"
    }

    fn watches(&self, _: Moment, _: &Guarded<'_>) -> bool {
        true
    }

    fn deadline(&self) -> Duration {
        if self.0.is_some() { DEADLINE } else { Duration::from_millis(20) }
    }

    fn judge<'a>(
        &'a self,
        _: Moment,
        _: &'a Guarded<'a>,
    ) -> BoxFuture<'a, Result<Opinion, String>> {
        Box::pin(async {
            match &self.0 {
                Some(others) => others.wait().await,
                None => std::future::pending().await,
            };
            Ok(Opinion::default())
        })
    }
}

async fn heard(guards: Vec<Arc<dyn Guard>>) -> Heard {
    let call = ToolCall { id: "c".into(), name: "Bash".into(), input: json!({}) };
    let guarded = Guarded {
        call: &call,
        cwd: Path::new("/w"),
        home: None,
        mode: Mode::Default,
        subjects: &[],
        suggestions: &[],
    };
    let guards: Guards = guards.into_iter().collect();
    guards.hear(Moment::BeforeCall, &guarded, &[], Guards::patience()).await
}

#[tokio::test]
async fn the_strictest_decides_whatever_the_order() {
    use Verdict::{Allow, Ask, Deny};
    let check = async |verdicts: &[Verdict], expect: Option<Verdict>| {
        let says = verdicts.iter().map(|verdict| Says::verdict(Moment::BeforeCall, *verdict));
        let heard = heard(says.map(|says| says as Arc<dyn Guard>).collect()).await;
        assert_eq!(heard.ruling.map(|ruling| ruling.verdict), expect, "{verdicts:?}");
    };
    check(&[], None).await;
    check(&[Allow], Some(Allow)).await;
    check(&[Allow, Ask], Some(Ask)).await;
    check(&[Ask, Allow], Some(Ask)).await;
    check(&[Deny, Ask, Allow], Some(Deny)).await;
    check(&[Allow, Ask, Deny], Some(Deny)).await;
}

#[tokio::test]
async fn one_that_fails_denies_and_is_named() {
    let check = async |guard: Arc<dyn Guard>, name: &str, words: &str| {
        let allows = Says::verdict(Moment::BeforeCall, Verdict::Allow);
        let ruling = heard(vec![allows, guard]).await.ruling.unwrap();
        assert_eq!(ruling.verdict, Verdict::Deny);
        assert!(ruling.reason.contains(name) && ruling.reason.contains(words), "{ruling:?}");
    };
    check(Arc::new(Sleeps(None)), "The sleeper", "did not answer within 0.02 seconds").await;
    let broken = Says::new(Moment::BeforeCall, |_| Err("ended with exit code 1".to_owned()));
    check(broken, "The test guard", "exit code 1").await;
    let panics = Says::new(Moment::BeforeCall, |_| panic!("on purpose"));
    check(panics, "The test guard", "broke down").await;
}

#[tokio::test]
async fn they_are_heard_at_the_same_time() {
    let together = Arc::new(Barrier::new(50));
    let sleeper = |_| Arc::new(Sleeps(Some(together.clone()))) as Arc<dyn Guard>;
    assert_eq!(heard((0..50).map(sleeper).collect()).await.ruling, None);
}

#[tokio::test]
async fn the_first_change_counts_and_everything_said_is_kept() {
    let says = |input: Option<Value>, word: &'static str| -> Arc<dyn Guard> {
        Says::new(Moment::BeforeCall, move |_| {
            let (context, notice) = (Some(word.to_owned()), Some(word.to_uppercase()));
            Ok(Opinion { input: input.clone(), context, notice, ..Opinion::default() })
        })
    };
    let heard = heard(vec![
        says(None, "a"),
        says(Some(json!({"n": 1})), "b"),
        says(Some(json!({"n": 2})), "c"),
    ])
    .await;
    assert_eq!(heard.changed, Some((1, json!({"n": 1}))));
    assert_eq!(heard.context, ["a", "b", "c"]);
    assert_eq!(heard.notices, ["A", "B", "C"]);
    assert_eq!((heard.ruling, heard.any), (None, true));
}

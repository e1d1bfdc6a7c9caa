//! Real processes that are spoken to.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

const ENV: [(&str, &str); 1] = [("PATH", "/usr/local/bin:/usr/bin:/bin")];

fn start_script(script: &str) -> Companion {
    let env = ENV.map(|(name, value)| (name.into(), value.into()));
    Companion::start("sh", &["-c".into(), script.into()], Path::new("/"), &env, &Walls::Open)
        .unwrap()
}

#[tokio::test]
async fn what_is_said_is_answered() {
    let Companion { mut input, mut output, mut process } =
        start_script("read word; echo \"heard $word\"; env | grep -c . >&2; exit 4");
    input.write_all(b"hello\n").await.unwrap();
    let mut said = String::new();
    output.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "heard hello\n");
    assert_eq!(process.ended().await, Exit::Code(4));
    // Nothing of our own environment; the shell adds a few of its own.
    assert!(process.last_line().parse::<u32>().unwrap() < 6);
    assert_eq!(process.id(), None);
}

#[tokio::test]
async fn its_last_words_are_kept_and_bounded() {
    let mut ended = start_script("yes é | head -n 100000 >&2; printf 'the end\\n\\n' >&2").process;
    assert_eq!(ended.ended().await, Exit::Code(0));
    assert_eq!(ended.last_line(), "the end");
    let kept = ended.last_words().text().len();
    assert!(kept <= 2 * KEPT, "{kept}");
    let mut silent = start_script("true").process;
    silent.ended().await;
    assert_eq!(silent.last_line(), "");
}

#[tokio::test]
async fn who_does_not_end_by_itself_is_ended() {
    // The input stays open, so it would wait for good.
    let mut companion = start_script("trap '' TERM; sleep 1000 & echo $!; cat");
    let mut pid = [0; 32];
    let length = companion.output.read(&mut pid).await.unwrap();
    let pid: i32 = std::str::from_utf8(&pid[..length]).unwrap().trim().parse().unwrap();
    assert_eq!(companion.process.end(Duration::from_millis(1)).await, Exit::Signal(9));
    crate::run::tests::gone(pid).await;
}

#[tokio::test]
async fn dropped_it_takes_its_group_along() {
    let mut companion = start_script("sleep 1000 & echo $!; cat");
    let mut pid = [0; 32];
    let length = companion.output.read(&mut pid).await.unwrap();
    let pid: i32 = std::str::from_utf8(&pid[..length]).unwrap().trim().parse().unwrap();
    drop(companion);
    crate::run::tests::gone(pid).await;
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let start = |program: &str, cwd: &str| {
        Companion::start(program, &[], Path::new(cwd), &[], &Walls::Open).unwrap_err().to_string()
    };
    assert!(start("/no/such/program", "/").contains("was not found: install it"));
    assert!(start("sh", "/no/such/folder").contains("does not exist: choose another"));
}

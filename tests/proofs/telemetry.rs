//! What can be seen of the process from outside, and that nobody sees anything who was not asked to.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use kit::{Bowline, Finished, Profile, Project, files, model};
use model::{Scenario, TestServer};
use protocol::status::Status;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const CANARY: &str = "canary-3a5c7e9b1d-key";
const PROMPT: &str = "write the secret of the lagoon";

/// A collector that keeps what it is sent: paths and bodies.
struct Collector {
    url: String,
    sent: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Collector {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sent: Arc<Mutex<Vec<_>>> = Arc::default();
        let kept = sent.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, kept.clone()));
            }
        });
        Self { url, sent }
    }

    fn bodies(&self, path: &str) -> Vec<Value> {
        let sent = self.sent.lock().unwrap();
        sent.iter().filter(|(to, _)| to == path).map(|(_, body)| body.clone()).collect()
    }
}

/// Requests of one connection, each answered with nothing.
async fn serve(mut stream: TcpStream, kept: Arc<Mutex<Vec<(String, Value)>>>) {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        let head = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let length = head.map(|end| {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.split("content-length: ").nth(1).unwrap();
            end + 4 + length.lines().next().unwrap().trim().parse::<usize>().unwrap()
        });
        if let (Some(end), Some(length)) = (head, length)
            && bytes.len() >= length
        {
            let line = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let path = line.split(' ').nth(1).unwrap().to_owned();
            let body = serde_json::from_slice(&bytes[end + 4..length]).unwrap();
            kept.lock().unwrap().push((path, body));
            bytes.drain(..length);
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
            stream.write_all(answer).await.unwrap();
            continue;
        }
        match stream.read(&mut chunk).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&chunk[..read]),
            _ => return,
        }
    }
}

async fn scripted() -> TestServer {
    let write = json!({ "file_path": "{{cwd}}/a.txt", "content": "one\ntwo\n" });
    model(Scenario::new().tool("Write", write).answer().text("Written.")).await
}

fn bowline(project: &Project, model: &TestServer) -> Bowline {
    Bowline::new(project).model(model).env("ANTHROPIC_API_KEY", CANARY)
}

async fn writes(bowline: Bowline) -> Finished {
    let done = bowline.args(&["-p", PROMPT, "--allowedTools", "Write"]).run().await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Written.\n"), "{done:?}");
    done
}

fn logs(project: &Project) -> Vec<PathBuf> {
    files::all(&project.bowline_home().join("logs"))
}

#[tokio::test(flavor = "multi_thread")]
async fn debug_writes_a_private_log_with_every_request_and_call() {
    let (project, model) = (Project::new(""), scripted().await);
    let done = writes(bowline(&project, &model).args(&["--debug"])).await;
    let logs = logs(&project);
    assert_eq!(logs.len(), 1, "{logs:?}");
    assert!(done.stderr.contains(&logs[0].display().to_string()), "{done:?}");
    assert_eq!(files::mode(&logs[0]) & 0o777, 0o600);
    let text = files::read(&logs[0]);
    for (span, field) in [
        ("turn{", "duration_ms="),
        ("request{", "output_tokens="),
        ("tool{", "tool=\"Write\""),
        ("tool{", "lines_added=2"),
    ] {
        let told = text.lines().any(|line| line.contains(span) && line.contains(field));
        assert!(told, "{span} {field}: {text}");
    }
    assert!(text.contains("startup, in ms"), "{text}");
    assert!(!text.contains(CANARY) && !text.contains("lagoon"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_goes_where_it_is_told_and_the_start_is_timed() {
    let (project, model) = (Project::new(""), scripted().await);
    let file = project.home().join("mine.log");
    let flag = format!("--debug-file={}", file.display());
    let run = bowline(&project, &model).env("BOWLINE_STARTUP_PROFILE", "1");
    let done = writes(run.args(&["--debug=bowline=info", &flag])).await;
    assert!(files::read(&file).contains("request{"), "{done:?}");
    assert!(logs(&project).is_empty());
    let steps = ["arguments", "runtime", "session", "first request"];
    assert!(steps.iter().all(|step| done.stderr.contains(step)), "{done:?}");
    let wrong = Bowline::new(&project).args(&["sessions", "--debug=a=b=c"]).run().await;
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

fn names(bodies: &[Value], pointer: &str) -> Vec<String> {
    let lists = bodies.iter().filter_map(|body| body.pointer(pointer)?.as_array());
    lists.flatten().filter_map(|one| one["name"].as_str().map(str::to_owned)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_gets_sums_and_spans_and_no_words() {
    let (project, model, collector) = (Project::new(""), scripted().await, Collector::open().await);
    let run = |model: &TestServer| {
        let run = bowline(&project, model).env("CLAUDE_CODE_ENABLE_TELEMETRY", "1");
        run.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)
    };
    writes(run(&model)).await;
    let metrics = collector.bodies("/v1/metrics");
    let sums = names(&metrics, "/resourceMetrics/0/scopeMetrics/0/metrics");
    for name in ["session.count", "token.usage", "lines_of_code.count", "active_time.total"] {
        assert!(sums.contains(&format!("bowline.{name}")), "{sums:?}");
    }
    let traces = collector.bodies("/v1/traces");
    let spans = traces[0].pointer("/resourceSpans/0/scopeSpans/0/spans").unwrap();
    let spans = spans.as_array().unwrap();
    let named = |name: &str| spans.iter().filter(|span| span["name"] == name).collect::<Vec<_>>();
    let (turn, requests) = (named("bowline.turn"), named("bowline.request"));
    assert_eq!((turn.len(), requests.len(), named("bowline.tool").len()), (1, 2, 1));
    let child = |span: &&&Value| {
        span["parentSpanId"] == turn[0]["spanId"] && span["traceId"] == turn[0]["traceId"]
    };
    assert_eq!(requests.iter().filter(child).count(), 2, "{spans:?}");
    let all = json!([metrics, traces]).to_string();
    assert!(!all.contains("lagoon") && !all.contains(CANARY), "{all}");

    let model = scripted().await;
    writes(run(&model).env("OTEL_LOG_USER_PROMPTS", "1")).await;
    assert!(json!(collector.bodies("/v1/traces")).to_string().contains("lagoon"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_not_there_costs_nothing_but_its_data() {
    let (project, model) = (Project::new(""), scripted().await);
    let run = bowline(&project, &model).env("BOWLINE_ENABLE_TELEMETRY", "1");
    writes(run.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_called_but_the_model_unless_the_user_says_so_twice() {
    let (project, model, collector) = (Project::new(""), scripted().await, Collector::open().await);
    let log = project.home().join("strace.log");
    let strace = ["strace", "-f", "-qq", "-e", "trace=connect", "-o"].map(str::to_owned);
    let strace: Vec<_> = strace.into_iter().chain([log.display().to_string()]).collect();
    project.user_settings(&json!({}));
    let run = Bowline::under(&strace, &project).model(&model);
    writes(run.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)).await;
    let port = model.url().rsplit(':').next().unwrap().trim_end_matches('/').to_owned();
    let seen = files::read(&log);
    let ours = |line: &&str| line.contains(&format!("htons({port})")) || line.contains("/nscd/");
    let strange: Vec<_> = seen.lines().filter(|line| line.contains("connect(")).collect();
    assert!(!strange.is_empty() && strange.iter().all(ours), "{strange:?}");
    assert!(collector.sent.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_says_where_things_go() {
    let (project, collector) = (Project::new(""), Collector::open().await);
    let run = Bowline::new(&project).env("BOWLINE_ENABLE_TELEMETRY", "1");
    let run = run.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url);
    let mut serving = run.serve_with(&["serve", "--debug"], Profile::VS_CODE);
    serving.client.initialize().await;
    let status = serving.client.request::<Status>(protocol::Empty {}).await;
    assert_eq!(status.collector.as_deref(), Some(collector.url.as_str()));
    assert_eq!(status.log_file, Some(logs(&project)[0].display().to_string()));
    serving.client.leave().await;
}

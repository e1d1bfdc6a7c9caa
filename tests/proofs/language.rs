//! Language servers that Bowline itself starts: real ones, in a real project.
//!
//! `tests/run` installs them and says where they are. Without that these proofs prove nothing, and
//! the conversation itself is proved without a process in `server/language`.

#![expect(clippy::disallowed_methods, reason = "the place of the peers comes from the environment")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kit::{Profile, Server, Stage, files, session_in, within};
use language::{Answer, At, Files, Finding, Place, Query, ServerConfig, Servers, Severity};
use model::Scenario;
use protocol::session::Mode;
use serde_json::{Value, json};
use text::Text;

/// The folder of the programs that `tests/run` has installed.
const PEERS: &str = "BOWLINE_PEERS";

/// Longer than any proof waits.
const LONG: Duration = Duration::from_secs(60);

const SHAPES: &str = "\
class Shape:
    \"\"\"What can be drawn.\"\"\"

    def area(self) -> float:
        return 0.0


def total(shapes: list[Shape]) -> float:
    return sum(shape.area() for shape in shapes)
";

const MAIN: &str = "\
from shapes import Shape, total

name = \"é😀\"; shape = Shape(); print(name, total([shape]))
";

/// Files on disk, and one that is not saved.
struct Project {
    folder: tempfile::TempDir,
    unsaved: Vec<(PathBuf, Text)>,
}

impl Files for Project {
    fn text(&self, path: &Path) -> Option<Text> {
        let unsaved = self.unsaved.iter().find(|(unsaved, _)| unsaved == path);
        let saved = || std::fs::read_to_string(path).ok().map(Text::from);
        unsaved.map(|(_, text)| text.clone()).or_else(saved)
    }

    fn unsaved(&self) -> Vec<(PathBuf, Text)> {
        self.unsaved.clone()
    }
}

impl Project {
    fn new() -> Project {
        let project = Project { folder: tempfile::tempdir().unwrap(), unsaved: Vec::new() };
        files::write(&project.path("shapes.py"), SHAPES);
        files::write(&project.path("main.py"), MAIN);
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn at(&self, name: &str, line: u32, column: u32) -> At {
        At { path: self.path(name), line, column }
    }

    fn servers(&self, programs: &Path, configs: Vec<ServerConfig>) -> Servers {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        let home = self.folder.path().as_os_str().to_owned();
        let env: Vec<(OsString, OsString)> =
            vec![("PATH".into(), path.into()), ("HOME".into(), home)];
        Servers::new(self.path(""), configs, env, Arc::new(|| Ok(exec::Walls::Open)))
    }
}

fn peers() -> Option<PathBuf> {
    let folder = std::env::var_os(PEERS).map(PathBuf::from);
    if folder.is_none() {
        eprintln!("{PEERS} is not set, so there is no real language server to talk to.");
    }
    folder
}

fn config(name: &str, args: &[&str], settings: Value) -> ServerConfig {
    ServerConfig {
        name: name.into(),
        command: name.into(),
        args: args.iter().map(ToString::to_string).collect(),
        env: BTreeMap::new(),
        extensions: BTreeMap::from([(".py".into(), "python".into())]),
        initialization_options: Value::Null,
        settings,
        startup_timeout: LONG,
        diagnostics: true,
    }
}

fn ruff() -> ServerConfig {
    config("ruff", &["server"], Value::Null)
}

fn basedpyright() -> ServerConfig {
    let analysis = json!({ "typeCheckingMode": "standard" });
    let settings = json!({ "basedpyright": { "analysis": analysis } });
    config("basedpyright-langserver", &["--stdio"], settings)
}

fn codes(findings: &[Finding]) -> Vec<&str> {
    let mut codes: Vec<_> = findings.iter().filter_map(|found| found.code.as_deref()).collect();
    codes.sort_unstable();
    codes
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_follow_the_text_and_not_the_disk() {
    let Some(programs) = peers() else { return };
    let project = Project::new();
    let servers = project.servers(&programs, vec![ruff(), basedpyright()]);
    let path = project.path("main.py");
    let find = async |text: &str| {
        let text = Text::from(text);
        let found = within("findings", servers.diagnostics(&path, &text, LONG)).await;
        assert!(found.1, "{found:?}");
        found.0
    };
    assert_eq!(find(MAIN).await, []);
    // One of each: an import nobody uses, and a type that does not fit. Columns count characters.
    let broken = MAIN.replace("import Shape", "import area_of, Shape").replace("[shape]", "1");
    let findings = find(&broken).await;
    let codes = codes(&findings);
    assert!(codes.contains(&"F401") && codes.contains(&"reportArgumentType"), "{findings:?}");
    let argument =
        findings.iter().find(|found| found.code.as_deref() == Some("reportArgumentType"));
    let argument = argument.unwrap();
    assert_eq!((argument.start, argument.end), ((3, 49), (3, 50)));
    assert_eq!(argument.severity, Severity::Error);
    // Mended, and broken again: always about the text that was asked about.
    assert_eq!(find(MAIN).await, []);
    for number in 0..5 {
        let text = format!("{MAIN}value{number}: int = \"{number}\"\n");
        let findings = find(&text).await;
        assert!(findings.iter().any(|found| found.start.0 == 4), "{findings:?}");
        assert_eq!(find(&format!("{MAIN}value{number}: int = {number}\n")).await, []);
    }
    assert_eq!(files::read(&path), MAIN);
    within("the end of the servers", servers.shutdown()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_question_has_an_answer() {
    let Some(programs) = peers() else { return };
    let mut project = Project::new();
    // On disk the class is somewhere else than in the buffer.
    let shapes = Text::from(format!("# é😀\n{SHAPES}"));
    project.unsaved.push((project.path("shapes.py"), shapes));
    let project = Arc::new(project);
    let servers = project.servers(&programs, vec![ruff(), basedpyright()]);
    let ask = async |query: Query| {
        let files: Arc<dyn Files> = Arc::clone(&project) as Arc<dyn Files>;
        let answer = within("an answer", servers.ask(&query, files)).await;
        answer.unwrap_or_else(|error| panic!("{query:?}: {error}"))
    };
    // `Shape` in `shape = Shape()`, behind characters of two and four bytes.
    let used = project.at("main.py", 3, 22);
    let class = Place { path: project.path("shapes.py"), start: (2, 7), end: (2, 12) };
    assert_eq!(ask(Query::Definition(used.clone())).await, Answer::Places(vec![class.clone()]));

    let Answer::Places(places) = ask(Query::References(used.clone())).await else { panic!() };
    assert!(places.contains(&class), "{places:?}");
    let here = Place { path: project.path("main.py"), start: (3, 22), end: (3, 27) };
    assert!(places.contains(&here), "{places:?}");

    let Answer::Hover(text) = ask(Query::Hover(used.clone())).await else { panic!() };
    assert!(text.contains("class Shape") && text.contains("What can be drawn"), "{text}");

    let path = project.path("shapes.py");
    let Answer::Symbols(symbols) = ask(Query::Symbols { path }).await else { panic!() };
    let area = symbols.iter().find(|symbol| symbol.name == "area").unwrap();
    assert_eq!((area.kind.as_str(), area.container.as_deref()), ("method", Some("Shape")));
    assert_eq!((area.depth, area.place.start), (1, (5, 9)));

    let query = Query::WorkspaceSymbols { name: "total".into(), near: project.path("main.py") };
    let Answer::Symbols(symbols) = ask(query).await else { panic!() };
    assert!(symbols.iter().any(|symbol| symbol.name == "total"), "{symbols:?}");

    let query = Query::Rename { at: used.clone(), to: "Form".into() };
    let Answer::Edits(edits) = ask(query).await else { panic!() };
    let count = |name: &str| {
        let path = project.path(name);
        edits.iter().find(|edit| edit.path == path).map(|edit| edit.edits.len())
    };
    assert_eq!((count("shapes.py"), count("main.py")), (Some(2), Some(2)), "{edits:?}");

    let nothing = Query::Rename { at: project.at("main.py", 2, 1), to: "x".into() };
    let files: Arc<dyn Files> = Arc::clone(&project) as Arc<dyn Files>;
    assert!(within("a refusal", servers.ask(&nothing, files)).await.is_err());

    let path = project.path("main.py");
    let answer = ask(Query::Diagnostics { path }).await;
    assert_eq!(answer, Answer::Diagnostics { findings: Vec::new(), verified: true });
    within("the end of the servers", servers.shutdown()).await;
}

/// The model looks at a file, has it judged, and breaks it.
fn breaks_it() -> Scenario {
    let file = "{{cwd}}/main.py";
    let edit = json!({ "file_path": file, "old_string": "value = 1", "new_string": "import os" });
    Scenario::new()
        .tool("Read", json!({ "file_path": file }))
        .answer()
        .tool("LanguageServer", json!({ "operation": "diagnostics", "file_path": file }))
        .answer()
        .tool("Edit", edit)
        .answer()
        .text("done")
}

/// A session in a folder that names a language server, opened in an editor that has none.
async fn stage(lists: &[(&str, Value)], trusted: bool) -> Stage {
    let project = kit::Project::new("//- /main.py\nvalue = 1\n");
    for (name, list) in lists {
        project.write(name, list.to_string());
    }
    let model = kit::model(breaks_it()).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    if trusted {
        let cwd = project.root().display().to_string();
        client.trust(&cwd).await;
    }
    let session = client.session_with(session_in(Mode::AcceptEdits)).await;
    client.open(&project.uri("main.py"), "value = 1\n");
    Stage { client, session, server, model, project }
}

fn entry(command: &str, args: &[&str]) -> Value {
    json!({ "x": { "command": command, "args": args, "extensionToLanguage": { ".py": "python" } } })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_judged_by_the_folders_own_server() {
    let Some(programs) = peers() else { return };
    let ruff = programs.join("ruff").display().to_string();
    let mut stage = stage(&[(".lsp.json", entry(&ruff, &["server"]))], true).await;
    let calls = stage.client.ask(&stage.session, "go").await.calls();
    assert!(!calls[1].text.contains("unverified"), "{calls:?}");
    assert!(calls[2].text.contains("F401"), "{calls:?}");
}

/// A server is a program that the folder names: nobody runs it before the folder is trusted.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_not_trusted_starts_nothing() {
    let touch = entry("sh", &["-c", "touch started"]);
    let settings = json!({ "languageServers": touch });
    let lists = [
        (".lsp.json", touch.clone()),
        (".bowline/lsp.json", touch),
        (".bowline/settings.json", settings),
    ];
    for trusted in [false, true] {
        let mut stage = stage(&lists, trusted).await;
        stage.client.prompt(&stage.session, "go").await;
        let calls = stage.client.turn_ended(&stage.session).await.calls();
        // Whether to trust the folder is asked, and does not hold anything up.
        stage.client.deny_what_waits();
        assert!(
            calls[1].text.contains(if trusted { "`x`" } else { "No language server" }),
            "{calls:?}"
        );
        assert_eq!(stage.project.exists("started"), trusted);
    }
}

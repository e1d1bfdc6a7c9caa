//! Where plugins come from, with the real peers: lists and archives over HTTPS, packages by npm.

#![expect(clippy::disallowed_methods, reason = "servers, archivers and npm are the peers")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use kit::{Bowline, Project, files};
use serde_json::json;

use crate::plugins::{list, works};

/// The files of a folder, served on this machine; gone when dropped.
struct Served {
    process: Child,
    port: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn serve(folder: &Path, tls: Option<(&Path, &Path)>) -> Served {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/plugins/serve.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(folder).stdout(Stdio::piped());
    if let Some((certificate, key)) = tls {
        command.arg(certificate).arg(key);
    }
    let mut process = command.spawn().unwrap();
    let mut port = String::new();
    let mut said = BufReader::new(process.stdout.take().unwrap());
    said.read_line(&mut port).unwrap();
    Served { process, port: port.trim().to_owned() }
}

fn run(program: &str, args: &[&str], folder: &Path) {
    let done = Command::new(program).args(args).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{program} {args:?}: {done:?}");
}

/// A list over HTTPS, whose plugins are archives of both kinds; and a way that is not encrypted.
#[tokio::test(flavor = "multi_thread")]
async fn lists_and_archives_come_over_https() {
    let project = Project::new(
        "//- /plain/tar/commands/go.md\nGo.\n//- /plain/zip/commands/stop.md\nStop.\n",
    );
    let web = project.path("web");
    files::make_folder(&web);
    let plain = project.path("plain");
    run("tar", &["-czf", "../web/tar.tgz", "tar"], &plain);
    run("python3", &["-m", "zipfile", "-c", "../web/zip.zip", "zip"], &plain);
    let leaf = ["-addext", "basicConstraints=critical,CA:FALSE"];
    let name = ["-addext", "subjectAltName=IP:127.0.0.1"];
    let subject = [&["-subj", "/CN=localhost"], &leaf[..], &name].concat();
    let new = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
    let out = ["-keyout", "key.pem", "-out", "cert.pem"];
    run("openssl", &[&new[..], &subject, &out].concat(), project.root());
    let (certificate, key) = (project.path("cert.pem"), project.path("key.pem"));
    let served = serve(&web, Some((&certificate, &key)));
    let at = |name: &str| format!("https://127.0.0.1:{}/{name}", served.port);
    let archive = |name: &str, file: &str, sum: Option<&str>| {
        let source = json!({ "source": "archive", "url": at(file), "sha256": sum });
        json!({ "name": name, "source": source })
    };
    let zeros = "0".repeat(64);
    let list = json!({ "name": "far", "owner": { "name": "Ann" }, "plugins": [
        archive("tar", "tar.tgz", None), archive("zip", "zip.zip", None),
        archive("other", "zip.zip", Some(&zeros)), archive("clear", "away", None),
        archive("none", "none.zip", None),
    ]});
    files::write(&web.join("list.json"), list.to_string());
    let trusted = certificate.display().to_string();
    let plugin = async |args: &[&str]| {
        let call = Bowline::new(&project).env("SSL_CERT_FILE", &trusted);
        call.args(&[&["plugin"], args].concat()).run().await
    };
    let done = plugin(&["marketplace", "add", &at("list.json")]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    for name in ["tar", "zip"] {
        let done = plugin(&["install", name]).await;
        assert!(done.code == Some(0) && done.stdout.contains("commands"), "{name}: {done:?}");
    }
    for (name, words) in [
        ("other", "not what was promised"),
        ("clear", "gives up the encryption"),
        ("none", "answers 404"),
    ] {
        let done = plugin(&["install", name]).await;
        assert!(done.code == Some(1) && done.stderr.contains(words), "{name}: {done:?}");
    }
    assert_eq!(list_of(&project).await, ["tar@far", "zip@far"]);
    // Who is not known is not believed.
    let done = Bowline::new(&project).args(&["plugin", "marketplace", "update"]).run().await;
    assert_eq!(done.code, Some(1), "{done:?}");
}

async fn list_of(project: &Project) -> Vec<String> {
    list(project).await.into_iter().map(|(id, _)| id).collect()
}

/// The real npm, from a registry on this machine that its own configuration names. Nothing of the
/// package runs.
#[tokio::test(flavor = "multi_thread")]
async fn a_package_comes_by_the_real_npm() {
    assert!(Command::new("npm").arg("--version").output().is_ok(), "npm is needed for this proof");
    let project = Project::new(
        r#"//- /pack/package/package.json
{"name": "@acme/pack", "version": "2.0.0", "scripts": {"prepare": "touch ran", "postinstall": "touch ran"}}
//- /pack/package/commands/stop.md
Stop.
"#,
    );
    let web = project.path("web");
    files::make_folder(&web);
    run("tar", &["-czf", "../web/pack.tgz", "package"], &project.path("pack"));
    let served = serve(&web, None);
    let registry = format!("http://127.0.0.1:{}", served.port);
    let version = json!({ "name": "@acme/pack", "version": "2.0.0",
        "dist": { "tarball": format!("{registry}/pack.tgz") } });
    let about = json!({ "name": "@acme/pack", "dist-tags": { "latest": "2.0.0" },
        "versions": { "2.0.0": version } });
    files::write(&web.join("@acme%2fpack"), about.to_string());
    files::write(&project.home().join(".npmrc"), format!("registry={registry}/\n"));
    let source = json!({ "source": "npm", "package": "@acme/pack", "version": "^2.0.0" });
    let list = json!({ "name": "near", "owner": { "name": "Ann" },
        "plugins": [{ "name": "pack", "source": source }] });
    files::write(&project.path("market/.claude-plugin/marketplace.json"), list.to_string());
    works(&project, &["marketplace", "add", "./market"]).await;
    let told = works(&project, &["install", "pack"]).await;
    assert!(told.contains("commands"), "{told}");
    let ran = files::all(project.bowline_home()).into_iter().any(|file| file.ends_with("ran"));
    assert!(!ran, "no script of the package ran");
    assert!(!project.exists("ran"));
}

//! The npm package: made, installed and started as npm does it. What it carries is a stand-in here, a
//! script that tells how it was called; packing the real program would only take longer.

#![expect(clippy::disallowed_methods, reason = "npm and what it installs are the peers")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

const STAND_IN: &str = "#!/bin/sh
if [ \"$1\" = --version ]; then echo 'bowline 9.8.7'; exit 0; fi
echo \"called with $*\"
exit 7
";

fn run(command: &mut Command) -> Output {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    done
}

fn write_program(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_npm_package_starts_the_program_in_its_place() {
    if Command::new("npm").arg("--version").output().is_err() {
        // Said aloud: a machine without npm cannot make the package either.
        eprintln!("npm is not installed; nothing was tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_program(&at("program"), STAND_IN);
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/npm/build");
    run(Command::new(build).arg(at("program")).arg(at("out")));
    let package = at("out/bowline-agent-9.8.7.tgz");
    assert!(package.is_file());
    let quiet = ["install", "--silent", "--offline", "--no-audit", "--no-fund"];
    run(Command::new("npm").args(quiet).arg("--prefix").arg(at("here")).arg(&package));

    let launcher = at("here/node_modules/.bin/bowline");
    let mut call = Command::new(&launcher);
    let done = call.env_remove("BOWLINE_BIN").args(["sessions", "a b"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "called with sessions a b\n");
    assert_eq!(done.status.code(), Some(7));

    write_program(&at("other"), "#!/bin/sh\necho another\n");
    let done = run(Command::new(&launcher).env("BOWLINE_BIN", at("other")));
    assert_eq!(String::from_utf8_lossy(&done.stdout), "another\n");
    let done = Command::new(&launcher).env("BOWLINE_BIN", at("nothing")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1));
    assert!(said.contains("is missing; install the package again"), "{said}");
}

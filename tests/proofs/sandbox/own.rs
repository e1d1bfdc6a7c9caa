//! The user's own programs: nearly everything is open to them, and what other programs obey stays as
//! it is, whatever they try.

#![expect(clippy::disallowed_methods, reason = "the tests play the attacker and the bystander")]

use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use exec::{Companion, Exit, Finished, Kind, Own, Shell, Spec, Walls};
use kit::files;
use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

use super::room::{PATH, Room, best_rooms, rooms};

/// What is there before anybody starts; all of it must be the same afterwards.
const KEPT: [(&str, &str); 9] = [
    ("outside/.bashrc", "a\n"),
    ("outside/.ssh/config", "b\n"),
    ("outside/.config/git/config", "c\n"),
    ("outside/.aws/config", "d\n"),
    ("outside/.claude/settings.json", "{}\n"),
    ("outside/state/settings.json", "{}\n"),
    ("project/.git/config", "[core]\n"),
    ("project/.git/hooks/pre-commit", "exit 0\n"),
    ("project/.mcp.json", "{}\n"),
];

/// The room's folder outside is the home.
struct Mine {
    room: Room,
    own: Own,
}

impl Mine {
    fn new(room: Room) -> Mine {
        for (path, text) in KEPT {
            files::write(&room.root.parent().unwrap().join(path), text);
        }
        let state = room.outside.join("state");
        files::write(&state.join("credentials.json"), "a key");
        files::make_folder(&state.join("data"));
        files::make_folder(&room.outside.join(".cache"));
        let own = Own {
            sandbox: room.confinement.sandbox.clone(),
            home: Some(room.outside.clone()),
            roots: vec![room.root.clone()],
            locked: vec![state.clone()],
            open: vec![state.join("data")],
            hidden: vec![state.join("credentials.json")],
        };
        Mine { room, own }
    }

    fn spec(&self, script: &str) -> Spec {
        let shell = Shell::find(PATH.as_ref()).unwrap();
        let walls = Walls::Own(Arc::new(self.own.clone()));
        let mut spec = shell.command(script, &self.room.root, walls);
        spec.env = self.room.env();
        spec.env.retain(|(name, _)| name != "HOME");
        spec.env.push(("HOME".into(), self.room.outside.clone().into()));
        spec.timeout = Duration::from_secs(60);
        spec
    }

    async fn run(&self, script: &str) -> Finished {
        let done = exec::run(self.spec(script), CancellationToken::new(), |_| ()).await;
        done.unwrap_or_else(|error| panic!("{:?}: {error}", self.room.kind()))
    }

    fn is_as_it_was(&self, script: &str) {
        for (path, text) in KEPT {
            let now = files::read(&self.path(path));
            assert_eq!(now, text, "{:?}: {path}: {script}", self.room.kind());
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.room.root.parent().unwrap().join(path)
    }
}

fn all(paths: &[(&str, &str)]) -> Vec<Mine> {
    rooms(paths).into_iter().map(Mine::new).collect()
}

#[tokio::test]
async fn the_users_own_programs_work_as_ever() {
    for mine in all(&[("src/a", "")]) {
        let script = "echo in > src/a && echo x > ~/.cache/x && echo x >> ~/state/data/x \
                      && touch ~/.aws/sso 2>/dev/null; cat src/a ~/.cache/x ~/.ssh/config";
        let done = mine.run(script).await;
        let found = (done.status, done.output.as_str());
        assert_eq!(found, (Exit::Code(0), "in\nx\nb\n"), "{:?}", mine.room.kind());
        assert!(mine.path("outside/.cache/x").exists());
        if mine.room.kind() == Kind::Bubblewrap {
            let done = mine.run("mkdir ~/new && echo x > ~/new/x && mv ~/new ~/other").await;
            assert_eq!(done.status, Exit::Code(0), "{}", done.output);
            let done = mine
                .run("unshare -U true && echo x > /dev/shm/bowline-own && rm /dev/shm/bowline-own")
                .await;
            assert_eq!(done.status, Exit::Code(0), "browsers and desktops: {}", done.output);
        }
        assert!(!mine.path("outside/.vscode").exists() && !mine.path("project/.vscode").exists());
    }
}

#[tokio::test]
async fn they_reach_the_network_and_services_of_this_machine() {
    for mine in all(&[]) {
        let network = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = network.local_addr().unwrap().port();
        let bus = mine.path("outside/bus");
        let _service = UnixListener::bind(&bus).unwrap();
        let connect = format!(
            "import socket; socket.create_connection((\"127.0.0.1\", {port})); \
             socket.socket(socket.AF_UNIX).connect(\"{}\"); print(\"both\")",
            bus.display()
        );
        let done = mine.run(&format!("python3 -c '{connect}'")).await;
        assert_eq!(done.output, "both\n", "{:?}", mine.room.kind());
    }
}

#[tokio::test]
async fn what_other_programs_obey_stays_as_it_is() {
    for mine in all(&[]) {
        for script in [
            "echo x >> ~/.bashrc",
            "rm -f ~/.bashrc && echo x > ~/.bashrc",
            "echo x > ~/.x && mv -f ~/.x ~/.bashrc",
            "echo x > ~/.ssh/config",
            "mv ~/.ssh ~/.s && mkdir ~/.ssh && echo x > ~/.ssh/config",
            "mv ~/.config ~/.c && mkdir -p ~/.config/git && echo x > ~/.config/git/config",
            "echo x > ~/.aws/config",
            "echo x > ~/.claude/settings.json",
            "echo x > ~/state/settings.json",
            "echo x > .git/config",
            "echo x > .git/hooks/pre-commit; echo x > .git/hooks/post-checkout; test -e .git/hooks/post-checkout",
            "mv .git .g && mkdir -p .git && echo x > .git/config",
            "echo x > .mcp.json",
            "ln -f ~/.bashrc ~/.hard && echo x >> ~/.hard",
        ] {
            let done = mine.run(script).await;
            assert_ne!(done.status, Exit::Code(0), "{:?}: {script}", mine.room.kind());
            mine.is_as_it_was(script);
        }
        let done = mine.run("cat ~/state/credentials.json").await;
        assert!(!done.output.contains("a key"), "{:?}: {}", mine.room.kind(), done.output);
    }
}

/// They may make namespaces of their own, and mounts in them; those lead nowhere.
#[tokio::test]
async fn a_namespace_of_their_own_does_not_take_the_walls_away() {
    for mine in best_rooms(&[]).into_iter().map(Mine::new) {
        let home = mine.room.outside.display().to_string();
        // Nobody is mapped in there, so that only the walls can be what refuses.
        mine.room.prepare("chmod -R a+rwX .. \"$OUTSIDE\"").await;
        for inside in [
            "umount ~/.bashrc && echo x >> ~/.bashrc",
            "umount -l ~/.ssh; echo x > ~/.ssh/config",
            "mount -o remount,bind,rw ~/.bashrc && echo x >> ~/.bashrc",
            "mkdir -p /tmp/own-view && mount --bind ~ /tmp/own-view && echo x >> /tmp/own-view/.bashrc",
            "mkdir -p /tmp/own-view && mount --bind / /tmp/own-view && echo x >> /tmp/own-view$HOME/.bashrc",
            "mount --move ~/.ssh /tmp && echo x > ~/.ssh/config",
            "umount -l /proc; ls /proc/1/root && echo x >> /proc/1/root$HOME/.bashrc",
        ] {
            mine.run(&format!("HOME={home} unshare -Um sh -c '{inside}'")).await;
            mine.is_as_it_was(inside);
        }
        let us = std::process::id();
        for look in ["cwd", "root/etc", "environ", "fd"] {
            let done = mine.run(&format!("cat /proc/{us}/{look} || ls /proc/{us}/{look}")).await;
            assert_ne!(done.status, Exit::Code(0), "{look}: {}", done.output);
        }
    }
}

#[tokio::test]
async fn they_inherit_nothing_gain_nothing_and_have_their_own_variables() {
    for mine in all(&[]) {
        let open = std::fs::File::open(mine.path("outside/.bashrc")).unwrap();
        rustix::io::fcntl_setfd(open.as_fd(), rustix::io::FdFlags::empty()).unwrap();
        let done = mine.run(&format!("cat <&{}", open.as_raw_fd())).await;
        assert_ne!(done.status, Exit::Code(0), "{:?}: {}", mine.room.kind(), done.output);
        let script = "grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | cut -f2 | sort -u | tr '\\n' ' '";
        assert_eq!(mine.run(script).await.stdout, "0000000000000000 1 2 ");
        let done = mine.run("env | cut -d= -f1 | sort | tr '\\n' ' '").await;
        assert_eq!(done.stdout.trim(), "HOME LC_ALL OUTSIDE PATH PWD SHLVL _");
    }
}

/// With all they started, also what left their group.
#[tokio::test]
async fn they_end_when_we_let_go_of_them() {
    for mine in best_rooms(&[]).into_iter().map(Mine::new) {
        let spec = mine.spec("");
        let script = "setsid sh -c 'echo up > ~/up; exec sleep 1000' & echo begun; sleep 1000";
        let arguments = ["-c".into(), script.into()];
        let started = Companion::start("sh", &arguments, &mine.room.root, &spec.env, &spec.walls);
        let Companion { mut output, process, input } = started.unwrap();
        let mut word = [0; 6];
        output.read_exact(&mut word).await.unwrap();
        let (up, leader) = (mine.path("outside/up"), process.id().unwrap());
        while !up.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        drop((process, input));
        while std::path::Path::new(&format!("/proc/{leader}")).exists() || left_over(&mine) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Whether a process still works in the room.
fn left_over(mine: &Mine) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut folders = processes.filter_map(|it| std::fs::read_link(it.path().join("cwd")).ok());
    folders.any(|folder| folder == mine.room.root)
}

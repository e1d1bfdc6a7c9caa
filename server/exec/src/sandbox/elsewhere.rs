//! Systems that are not Linux: macOS has profiles, others have nothing.

use std::ffi::{OsStr, OsString};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use super::caches;
use super::denial::{self, Denial};
use super::layout::Layout;
use super::seatbelt::{self, Reach};
use super::survey::survey;
use super::traces::{self, Before};
use super::{Confinement, Kind, Network, Own, Sandbox, Wanted};
use crate::proxy::{self, Serving};
use crate::run::Exit;
use crate::start::SpawnError;

/// The program of the system that enforces profiles.
const ENFORCER: &str = "/usr/bin/sandbox-exec";

impl Sandbox {
    pub const SEARCH_PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

    pub fn detect(_search_path: &OsStr, _workspace: &Path) -> Sandbox {
        if cfg!(target_os = "macos") && Path::new(ENFORCER).is_file() {
            let kind = Kind::Seatbelt;
            return Sandbox {
                kind,
                program: None,
                user_namespace: false,
                own_network: true,
                helper: None,
                why_not: None,
            };
        }
        Sandbox::none("There is no sandbox for this system.".to_owned())
    }

    pub fn with_helper(self, _program: &Path) -> std::io::Result<Sandbox> {
        Ok(self)
    }

    pub fn limits(&self) -> Option<String> {
        None
    }
}

pub(crate) struct Launch {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) cwd: PathBuf,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) passed: Vec<OwnedFd>,
    pub(crate) contained: Contained,
}

impl Launch {
    pub(crate) fn new(wanted: Wanted<'_>, confinement: &Confinement) -> Result<Launch, SpawnError> {
        check(&confinement.sandbox, wanted.cwd)?;
        let (layout, before) = survey(confinement, false).map_err(SpawnError::NoWalls)?;
        let (reach, serving, mut env) = network(&confinement.network).map_err(|error| {
            SpawnError::NoWalls(format!("the sandbox could not open its doors: {error}"))
        })?;
        env.push(("TMPDIR".into(), confinement.temp.clone().into()));
        env.extend(caches::environment(confinement.cache.as_deref(), wanted.env, &layout));
        let own: Vec<OsString> = env.iter().map(|(name, _)| name.clone()).collect();
        env.extend(wanted.env.iter().filter(|(name, _)| !own.contains(name)).cloned());
        let profile = seatbelt::profile(&layout, reach, &confinement.nearby);
        let contained = Contained { layout, before, serving };
        Ok(Launch::with(profile, wanted, env, contained))
    }

    /// Of a program of the user's own.
    pub(crate) fn own(wanted: Wanted<'_>, own: &Own) -> Result<Launch, SpawnError> {
        check(&own.sandbox, wanted.cwd)?;
        let layout = own.survey(false);
        let profile = seatbelt::profile_of_own(&layout);
        let contained = Contained { layout, before: None, serving: None };
        Ok(Launch::with(profile, wanted, wanted.env.to_vec(), contained))
    }

    fn with(
        profile: String,
        wanted: Wanted<'_>,
        env: Vec<(OsString, OsString)>,
        contained: Contained,
    ) -> Launch {
        let start = ["-p".into(), profile.into(), "--".into(), wanted.program.to_owned()];
        Launch {
            program: ENFORCER.into(),
            arguments: start.into_iter().chain(wanted.arguments.iter().cloned()).collect(),
            cwd: wanted.cwd.to_owned(),
            env,
            passed: Vec::new(),
            contained,
        }
    }
}

fn check(sandbox: &Sandbox, cwd: &Path) -> Result<(), SpawnError> {
    if sandbox.kind() != Kind::Seatbelt {
        let why = sandbox.why_not().unwrap_or("there is no sandbox");
        return Err(SpawnError::NoWalls(why.to_owned()));
    }
    match cwd.is_dir() {
        true => Ok(()),
        false => Err(SpawnError::NoFolder(cwd.to_owned())),
    }
}

type Doors = (Reach, Option<Serving>, Vec<(OsString, OsString)>);

fn network(network: &Network) -> std::io::Result<Doors> {
    let Network::Proxy(proxy) = network else {
        let open = matches!(network, Network::Open);
        let reach = if open { Reach::Everything } else { Reach::Nothing };
        return Ok((reach, None, Vec::new()));
    };
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let (http, socks) = (listen()?, listen()?);
    let ports = [http.local_addr()?.port(), socks.local_addr()?.port()];
    let env = proxy::environment(ports[0], ports[1]);
    Ok((Reach::Doors(ports), Some(proxy.serve(http, socks)), env))
}

/// What must be kept while a contained process runs.
pub(crate) struct Contained {
    layout: Layout,
    before: Option<Before>,
    serving: Option<Serving>,
}

/// The command is the process that was started.
#[derive(Debug)]
pub(crate) struct Leader;

impl Leader {
    pub(crate) fn get(&self) -> Option<Pid> {
        None
    }
}

impl std::fmt::Debug for Contained {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contained").finish_non_exhaustive()
    }
}

impl Contained {
    pub(crate) fn leader(&self) -> Leader {
        Leader
    }

    pub(crate) fn stays(&mut self) {
        self.before = None;
    }

    pub(crate) async fn failure(&mut self, _program: &Path, _cwd: &Path) -> Option<SpawnError> {
        None
    }

    pub(crate) async fn finish(
        self,
        _program: &Path,
        cwd: &Path,
        exit: Exit,
        output: &str,
    ) -> Result<Vec<Denial>, SpawnError> {
        let refused = self.serving.map(|serving| serving.refused()).unwrap_or_default();
        let hosts = refused.into_iter().map(|(host, port)| Denial::Host { host, port });
        let well = exit == Exit::Code(0);
        let paths = denial::paths(output, cwd, &self.layout, well);
        let socket = (!well && denial::wanted_socket(output)).then_some(Denial::UnixSocket);
        let (layout, before) = (self.layout, self.before);
        let looking = tokio::task::spawn_blocking(move || {
            before.map(|before| traces::clear(&before, &layout)).unwrap_or_default()
        });
        let made = looking.await.unwrap_or_default();
        Ok(hosts.chain(paths).chain(socket).chain(made).collect())
    }
}

//! From a command and its walls to a process that can be started: the one place where the parts of
//! the sandbox meet.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use policy::pinned::Blank;
use rustix::fs::{CWD, MemfdFlags, Mode, OFlags, ResolveFlags, memfd_create, openat2};

use super::bubblewrap::{self, Namespaces};
use super::caches;
use super::contained::{Contained, First};
use super::control::Control;
use super::crowd::Crowd;
use super::grants;
use super::layout::{Access, Layout};
use super::orders::{Expected, Net, Orders, Wall, Word};
use super::stubs::Stub;
use super::survey::{Surveyed, entries, survey};
use super::traces::Before;
use super::{Confinement, DOORS, Kind, Limits, Network, Own, Sandbox, Wanted};
use crate::start::SpawnError;

/// What to start instead, and what must be kept until it has ended.
pub(crate) struct Launch {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) cwd: PathBuf,
    pub(crate) env: Vec<(OsString, OsString)>,
    /// Passed on to the process, by their own numbers.
    pub(crate) passed: Vec<OwnedFd>,
    pub(crate) contained: Contained,
}

/// What either kind of walls comes down to.
struct Plan<'a> {
    sandbox: &'a Sandbox,
    network: &'a Network,
    limits: Limits,
    /// Of the process alone, where it has one.
    temp: Option<&'a Path>,
    cache: Option<&'a Path>,
    unix_sockets: bool,
    /// It is a program of the user's own.
    own: bool,
}

impl Launch {
    pub(crate) fn new(wanted: Wanted<'_>, confinement: &Confinement) -> Result<Launch, SpawnError> {
        let plan = Plan {
            sandbox: &confinement.sandbox,
            network: &confinement.network,
            limits: confinement.limits.clone(),
            temp: Some(&confinement.temp),
            cache: confinement.cache.as_deref(),
            unix_sockets: confinement.nearby.all_unix_sockets,
            own: false,
        };
        plan.launch(wanted, |mounts| survey(confinement, mounts).map_err(SpawnError::NoWalls))
    }

    /// Of a program of the user's own.
    pub(crate) fn own(wanted: Wanted<'_>, own: &Own) -> Result<Launch, SpawnError> {
        let plan = Plan {
            sandbox: &own.sandbox,
            network: &Network::Open,
            limits: Own::limits(),
            temp: None,
            cache: None,
            unix_sockets: true,
            own: true,
        };
        plan.launch(wanted, |mounts| Ok((own.survey(mounts), None)))
    }
}

impl Plan<'_> {
    fn launch(
        &self,
        wanted: Wanted<'_>,
        survey: impl FnOnce(bool) -> Result<Surveyed, SpawnError>,
    ) -> Result<Launch, SpawnError> {
        if !wanted.cwd.is_dir() {
            return Err(SpawnError::NoFolder(wanted.cwd.to_owned()));
        }
        let (layout, before) = survey(self.sandbox.kind() == Kind::Bubblewrap)?;
        match self.sandbox.kind() {
            Kind::Bubblewrap => self.behind_mounts(wanted, layout, before),
            Kind::Landlock => self.by_grants(wanted, layout, before),
            Kind::Seatbelt | Kind::None => {
                let why = self.sandbox.why_not().unwrap_or("there is no sandbox on this machine");
                Err(SpawnError::NoWalls(why.to_owned()))
            }
        }
        .map_err(|error| named(error, wanted.program))
    }
}

/// A failure of the sandbox, not of the program.
fn named(error: SpawnError, program: &OsStr) -> SpawnError {
    match error {
        SpawnError::Failed { source, .. } => {
            let program = Path::new(program).display();
            SpawnError::NoWalls(format!("the sandbox for `{program}` could not be built: {source}"))
        }
        other => other,
    }
}

impl From<io::Error> for SpawnError {
    fn from(source: io::Error) -> SpawnError {
        SpawnError::Failed { program: PathBuf::new(), source }
    }
}

impl Plan<'_> {
    fn behind_mounts(
        &self,
        wanted: Wanted<'_>,
        layout: Layout,
        before: Option<Before>,
    ) -> Result<Launch, SpawnError> {
        let Sandbox { program: Some(program), user_namespace, .. } = self.sandbox else {
            return Err(SpawnError::NoWalls("bubblewrap is missing: install it again".to_owned()));
        };
        let stubs = hold_stubs(&layout)?;
        let namespaces = Namespaces {
            user: *user_namespace,
            network: !matches!(self.network, Network::Open),
            sociable: self.own,
        };
        let arguments = bubblewrap::arguments(&layout, namespaces).map_err(SpawnError::NoWalls)?;
        let net = match self.network {
            Network::Off => Net::Private,
            Network::Proxy(_) => Net::Doors,
            Network::Open => Net::Open,
        };
        // A second one; the mounts are the first. The user's own programs may mount something
        // themselves, which nobody can behind such a wall.
        let second = || Wall {
            needed: false,
            alone: true,
            writable: words(grants::writable(&layout, &entries)),
            readable: None,
            listable: Vec::new(),
        };
        let orders = Orders {
            expected: expected(&layout)?,
            wall: (!self.own).then(second),
            shared_count: !user_namespace,
            ..self.orders(wanted, &layout, net)
        };
        let arguments = memory(&bubblewrap::as_file(&arguments))?;
        let info = memory(b"")?;
        let first = First::new(File::from(info.try_clone()?));
        let crowd = Crowd { first: first.clone(), most: self.limits.processes };
        let by_us = rustix::process::geteuid().is_root();
        let (control, line) = Control::open(self.network, by_us.then_some(crowd))?;
        let orders = memory(&serde_json::to_vec(&orders).map_err(io::Error::from)?)?;
        let helper = helper(self.sandbox)?;
        let number = |fd: &OwnedFd| OsString::from(fd.as_raw_fd().to_string());
        let command = vec![
            "--args".into(),
            number(&arguments),
            "--info-fd".into(),
            number(&info),
            "--".into(),
            by_number(helper.as_raw_fd()),
            super::HELPER.into(),
            number(&orders),
            number(&line),
        ];
        Ok(Launch {
            program: program.clone().into(),
            arguments: command,
            // The helper gets them with its orders, so that they do nothing to bubblewrap.
            cwd: "/".into(),
            env: Vec::new(),
            passed: vec![arguments, info, helper, orders, line],
            contained: Contained::new(
                control,
                (layout, before),
                stubs,
                Some(first),
                self.unix_sockets,
            ),
        })
    }

    fn by_grants(
        &self,
        wanted: Wanted<'_>,
        layout: Layout,
        before: Option<Before>,
    ) -> Result<Launch, SpawnError> {
        let net = match self.network {
            Network::Off => Net::None,
            Network::Proxy(_) => Net::OwnDoors,
            Network::Open => Net::Open,
        };
        let writable = grants::writable(&layout, &entries);
        let (readable, listable) = grants::readable(&layout, &entries).unzip();
        let wall = Wall {
            needed: true,
            alone: !self.own,
            writable: words(writable),
            readable: readable.map(words),
            listable: words(listable.unwrap_or_default()),
        };
        let orders = Orders { wall: Some(wall), ..self.orders(wanted, &layout, net) };
        let (control, line) = Control::open(self.network, None)?;
        let orders = memory(&serde_json::to_vec(&orders).map_err(io::Error::from)?)?;
        let helper = helper(self.sandbox)?;
        let number = |fd: &OwnedFd| OsString::from(fd.as_raw_fd().to_string());
        Ok(Launch {
            program: by_number(helper.as_raw_fd()),
            arguments: vec![super::HELPER.into(), number(&orders), number(&line)],
            cwd: "/".into(),
            env: Vec::new(),
            passed: vec![helper, orders, line],
            contained: Contained::new(
                control,
                (layout, before),
                Vec::new(),
                None,
                self.unix_sockets,
            ),
        })
    }

    /// What the orders say whatever the kind of the walls.
    fn orders(&self, wanted: Wanted<'_>, layout: &Layout, net: Net) -> Orders {
        let arguments = wanted.arguments.iter().map(AsRef::as_ref);
        let argv = std::iter::once(wanted.program).chain(arguments);
        let proxied = matches!(self.network, Network::Proxy(_));
        let doors =
            if proxied { crate::proxy::environment(DOORS[0], DOORS[1]) } else { Vec::new() };
        let temp = self.temp.map(|temp| (OsString::from("TMPDIR"), temp.into()));
        let caches = caches::environment(self.cache, wanted.env, layout);
        let own: Vec<(OsString, OsString)> = doors.into_iter().chain(temp).chain(caches).collect();
        let given = wanted.env.iter().filter(|(name, _)| own.iter().all(|(ours, _)| ours != name));
        let env = given.chain(&own).map(|(name, value)| (Word::from(name), Word::from(value)));
        Orders {
            argv: argv.map(Word::from).collect(),
            cwd: Word::from(wanted.cwd),
            env: env.collect(),
            expected: Vec::new(),
            wall: None,
            net,
            unix_sockets: self.unix_sockets,
            own: self.own,
            limits: self.limits.clone(),
            shared_count: true,
        }
    }
}

fn helper(sandbox: &Sandbox) -> io::Result<OwnedFd> {
    let helper = sandbox.helper.as_ref().ok_or(io::ErrorKind::NotFound)?;
    helper.try_clone()
}

/// A program that is open already, whatever became of the file it came from.
fn by_number(descriptor: RawFd) -> OsString {
    format!("/proc/self/fd/{descriptor}").into()
}

fn hold_stubs(layout: &Layout) -> Result<Vec<Arc<Stub>>, SpawnError> {
    let missing = layout.places().filter_map(|(path, place)| Some((path, place.blank?)));
    missing
        .map(|(path, blank)| {
            Stub::hold(path, blank).map_err(|error| {
                SpawnError::NoWalls(format!(
                    "the sandbox could not guard {}, which is missing: {error}",
                    path.display()
                ))
            })
        })
        .collect()
}

/// Who is at each place now. No link may be on the way: paths were followed before.
fn expected(layout: &Layout) -> Result<Vec<Expected>, SpawnError> {
    let identify = |(path, source, same): (&Path, &Path, bool)| {
        let (device, inode) = identity(source).map_err(|error| {
            SpawnError::NoWalls(format!("{} cannot be given: {error}", source.display()))
        })?;
        Ok(Expected { path: path.into(), device, inode, same })
    };
    let places = layout.places().map(|(path, place)| {
        let hidden = matches!(place.access, Access::HiddenFolder | Access::HiddenFile);
        let same = !hidden && place.blank != Some(Blank::Folder);
        (path, place.source.as_path(), same)
    });
    places.map(identify).collect()
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    let metadata = File::from(opened).metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

fn words(paths: Vec<PathBuf>) -> Vec<Word> {
    paths.into_iter().map(Word::from).collect()
}

/// A file that is nowhere but in memory.
fn memory(text: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("bowline", MemfdFlags::CLOEXEC)?);
    file.write_all(text)?;
    file.rewind()?;
    Ok(file.into())
}

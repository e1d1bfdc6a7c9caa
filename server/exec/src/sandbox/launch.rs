//! From a command and its walls to a process that can be started: the one place where the parts of
//! the sandbox meet.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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
use super::survey::{entries, survey};
use super::traces::Before;
use super::{Confinement, DOORS, Kind, Network, Sandbox, Wanted};
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

impl Launch {
    pub(crate) fn new(wanted: Wanted<'_>, confinement: &Confinement) -> Result<Launch, SpawnError> {
        let sandbox = &confinement.sandbox;
        if !wanted.cwd.is_dir() {
            return Err(SpawnError::NoFolder(wanted.cwd.to_owned()));
        }
        let mounts = sandbox.kind() == Kind::Bubblewrap;
        let (layout, before) = survey(confinement, mounts).map_err(SpawnError::NoWalls)?;
        match sandbox.kind() {
            Kind::Bubblewrap => behind_mounts(wanted, confinement, layout, before),
            Kind::Landlock => by_grants(wanted, confinement, layout, before),
            Kind::Seatbelt | Kind::None => {
                let why = sandbox.why_not().unwrap_or("there is no sandbox on this machine");
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

fn behind_mounts(
    wanted: Wanted<'_>,
    confinement: &Confinement,
    layout: Layout,
    before: Before,
) -> Result<Launch, SpawnError> {
    let Sandbox { program: Some(program), user_namespace, .. } = confinement.sandbox.as_ref()
    else {
        return Err(SpawnError::NoWalls("bubblewrap is missing: install it again".to_owned()));
    };
    let stubs = hold_stubs(&layout)?;
    let namespaces = Namespaces {
        user: *user_namespace,
        network: !matches!(confinement.network, Network::Open),
    };
    let arguments = bubblewrap::arguments(&layout, namespaces).map_err(SpawnError::NoWalls)?;
    let net = match &confinement.network {
        Network::Off => Net::Private,
        Network::Proxy(_) => Net::Doors,
        Network::Open => Net::Open,
    };
    let orders = Orders {
        expected: expected(&layout)?,
        wall: Wall {
            // A second one; the mounts are the first.
            needed: false,
            writable: words(grants::writable(&layout, &entries)),
            ..Wall::default()
        },
        shared_count: !user_namespace,
        ..orders(wanted, confinement, &layout, net)
    };
    let arguments = memory(&bubblewrap::as_file(&arguments))?;
    let info = memory(b"")?;
    let first = || info.try_clone().map(|info| First(File::from(info)));
    let crowd = Crowd { first: first()?, most: confinement.limits.processes };
    let by_us = rustix::process::geteuid().is_root();
    let (control, line) = Control::open(&confinement.network, by_us.then_some(crowd))?;
    let first = first()?;
    let orders = memory(&serde_json::to_vec(&orders).map_err(io::Error::from)?)?;
    let helper = helper(&confinement.sandbox)?;
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
        contained: Contained::new(control, (layout, before), stubs, Some(first)),
    })
}

fn by_grants(
    wanted: Wanted<'_>,
    confinement: &Confinement,
    layout: Layout,
    before: Before,
) -> Result<Launch, SpawnError> {
    let net = match &confinement.network {
        Network::Off => Net::None,
        Network::Proxy(_) => Net::OwnDoors,
        Network::Open => Net::Open,
    };
    let writable = grants::writable(&layout, &entries);
    let (readable, listable) = grants::readable(&layout, &entries).unzip();
    let orders = Orders {
        wall: Wall {
            needed: true,
            writable: words(writable),
            readable: readable.map(words),
            listable: words(listable.unwrap_or_default()),
        },
        ..orders(wanted, confinement, &layout, net)
    };
    let (control, line) = Control::open(&confinement.network, None)?;
    let orders = memory(&serde_json::to_vec(&orders).map_err(io::Error::from)?)?;
    let helper = helper(&confinement.sandbox)?;
    let number = |fd: &OwnedFd| OsString::from(fd.as_raw_fd().to_string());
    Ok(Launch {
        program: by_number(helper.as_raw_fd()),
        arguments: vec![super::HELPER.into(), number(&orders), number(&line)],
        cwd: "/".into(),
        env: Vec::new(),
        passed: vec![helper, orders, line],
        contained: Contained::new(control, (layout, before), Vec::new(), None),
    })
}

fn helper(sandbox: &Sandbox) -> io::Result<OwnedFd> {
    let helper = sandbox.helper.as_ref().ok_or(io::ErrorKind::NotFound)?;
    helper.try_clone()
}

/// A program that is open already, whatever became of the file it came from.
fn by_number(descriptor: RawFd) -> OsString {
    format!("/proc/self/fd/{descriptor}").into()
}

/// What the orders say whatever the kind of the walls.
fn orders(wanted: Wanted<'_>, confinement: &Confinement, layout: &Layout, net: Net) -> Orders {
    let argv = std::iter::once(wanted.program).chain(wanted.arguments.iter().map(AsRef::as_ref));
    let proxied = matches!(confinement.network, Network::Proxy(_));
    let doors = if proxied { crate::proxy::environment(DOORS[0], DOORS[1]) } else { Vec::new() };
    let temp = (OsString::from("TMPDIR"), confinement.temp.clone().into_os_string());
    let caches = caches::environment(confinement.cache.as_deref(), wanted.env, layout);
    let own: Vec<_> = doors.into_iter().chain([temp]).chain(caches).collect();
    let given = wanted.env.iter().filter(|(name, _)| own.iter().all(|(ours, _)| ours != name));
    let env = given.chain(&own).map(|(name, value)| (Word::from(name), Word::from(value)));
    Orders {
        argv: argv.map(Word::from).collect(),
        cwd: Word::from(wanted.cwd),
        env: env.collect(),
        expected: Vec::new(),
        wall: Wall::default(),
        net,
        limits: confinement.limits.clone(),
        shared_count: true,
    }
}

fn hold_stubs(layout: &Layout) -> Result<Vec<Stub>, SpawnError> {
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

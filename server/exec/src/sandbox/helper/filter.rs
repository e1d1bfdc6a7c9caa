//! The calls to the kernel that a contained process does not need, and that could lead out.
//!
//! Calls of another architecture end the process, as they would pass by the list.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::super::orders::{Failure, Net};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Refused whatever their arguments are: other processes' memory, mounts and namespaces, keys, and
/// the second way into the kernel (io_uring). Programs of the user's own may: they see no process but
/// those they started, and mounts that they make are theirs alone.
const REFUSED: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_userfaultfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
];

/// Refused to everybody: the kernel's own machinery, and the way to a file past its path.
const MACHINERY: &[i64] = &[
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

#[cfg(target_arch = "x86_64")]
const MACHINERY_HERE: &[i64] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_kexec_file_load];
#[cfg(not(target_arch = "x86_64"))]
const MACHINERY_HERE: &[i64] = &[];

/// Namespaces of any kind, in the flags of `clone` and `unshare`.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Putting words into a terminal, as if they had been typed there.
const TYPING: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

pub(super) fn install(net: Net, unix: bool, own: bool) -> Result<(), Failure> {
    let programs =
        if own { program_of_own().map(|it| vec![it]) } else { programs(net, unix).map(Vec::from) };
    programs
        .and_then(|programs| {
            programs.iter().try_for_each(|program| seccompiler::apply_filter(program))
        })
        .map_err(|error| Failure::NoWalls(format!("the sandbox could not set its filter: {error}")))
}

fn programs(net: Net, unix: bool) -> Result<[BpfProgram; 2], seccompiler::Error> {
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    // Programs that know it fall back to `clone`, whose arguments can be looked at.
    let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
    let newer = Rules::from([(libc::SYS_clone3, Vec::new())]);
    Ok([program(newer, unknown)?, program(rules(net, unix)?, refused)?])
}

fn program_of_own() -> Result<BpfProgram, seccompiler::Error> {
    let mut rules = machinery();
    rules.insert(libc::SYS_ioctl, typing()?);
    program(rules, SeccompAction::Errno(libc::EPERM as u32))
}

fn program(rules: Rules, action: SeccompAction) -> Result<BpfProgram, seccompiler::Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?;
    let mut program = no_other_abi();
    program.extend(BpfProgram::try_from(filter)?);
    Ok(program)
}

/// On x86 every call has a second number, of an ABI that nobody uses.
fn no_other_abi() -> BpfProgram {
    const LOAD_NUMBER: sock_filter = sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 };
    const IF_SECOND: sock_filter = sock_filter { code: 0x45, jt: 0, jf: 1, k: 0x4000_0000 };
    const END: sock_filter =
        sock_filter { code: 0x06, jt: 0, jf: 0, k: libc::SECCOMP_RET_KILL_PROCESS };
    if cfg!(target_arch = "x86_64") { vec![LOAD_NUMBER, IF_SECOND, END] } else { Vec::new() }
}

fn rules(net: Net, unix: bool) -> Result<Rules, seccompiler::Error> {
    let mut rules = machinery();
    rules.extend(REFUSED.iter().map(|call| (*call, Vec::new())));
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        let flags = NAMESPACES.iter().map(|flag| {
            let flag = u64::from(flag.cast_unsigned());
            rule(&[(0, SeccompCmpOp::MaskedEq(flag), flag)])
        });
        rules.insert(call, flags.collect::<Result<_, _>>()?);
    }
    rules.insert(libc::SYS_ioctl, typing()?);
    rules.insert(libc::SYS_socket, sockets(net, unix)?);
    if !unix {
        rules.insert(libc::SYS_socketpair, pairs()?);
    }
    Ok(rules)
}

fn machinery() -> Rules {
    MACHINERY.iter().chain(MACHINERY_HERE).map(|call| (*call, Vec::new())).collect()
}

fn typing() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    TYPING.iter().map(|request| rule(&[(1, SeccompCmpOp::Eq, *request)])).collect()
}

/// No socket but those of the internet, and those only where the network is ours or open: Unix
/// sockets lead to services that act for whoever asks, so they need the user's word.
fn sockets(net: Net, unix: bool) -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let not = |family: i32| (0, SeccompCmpOp::Ne, u64::from(family.cast_unsigned()));
    let mut others = Vec::from_iter(unix.then(|| not(libc::AF_UNIX)));
    if matches!(net, Net::None | Net::OwnDoors) {
        return if others.is_empty() { Ok(Vec::new()) } else { Ok(vec![rule(&others)?]) };
    }
    others.extend([not(libc::AF_INET), not(libc::AF_INET6)]);
    // In a network of its own a process may ask which interfaces there are; many do.
    if matches!(net, Net::Private | Net::Doors) {
        others.push(not(libc::AF_NETLINK));
    }
    Ok(vec![rule(&others)?])
}

/// A pair that is connected already leads nowhere else; one for datagrams could be used to send
/// to any address.
fn pairs() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    const KIND: u64 = 0xf;
    let is =
        |kind: i32| rule(&[(1, SeccompCmpOp::MaskedEq(KIND), u64::from(kind.cast_unsigned()))]);
    [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM].into_iter().map(is).collect()
}

fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::Error> {
    let conditions = conditions.iter().map(|(argument, operator, value)| {
        // The kernel looks at these arguments as 32 bits, so the rest must not count.
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    });
    Ok(SeccompRule::new(conditions.collect::<Result<_, _>>()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_network_has_a_filter() {
        for net in [Net::None, Net::Open, Net::Private, Net::Doors, Net::OwnDoors] {
            let [first, second] = programs(net, false).unwrap();
            assert!(first.len() > 3 && second.len() > first.len(), "{net:?}");
            assert!(program_of_own().unwrap().len() < second.len());
        }
    }
}

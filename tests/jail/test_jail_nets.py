"""Each net by itself, and what happens where one is missing: nothing runs weaker without somebody's word."""

from __future__ import annotations

import asyncio
import errno
import json
import struct
import subprocess
import sys
import textwrap
from collections.abc import Collection
from pathlib import Path

import pytest
from elsewhere import ROOT, refusing
from jail_parts import Yard, crafted, program, refuse, run

from runtime.core.errors import Unavailable
from runtime.jail import seccomp
from runtime.jail.level import REQUIRED, Level, Nets, NetsMissing
from runtime.jail.report import ABOUT, FROM_OUTSIDE, examine
from runtime.jail.syscalls import AARCH64, ARCHITECTURES, X86_64, Architecture, architecture


def alone(code: str) -> list[str]:
    """Run `code` in a process of its own; return its lines."""
    head = """
        import errno, os, socket, sys
        from runtime.jail import landlock, nets, seccomp, system
        def tried(act):
            try:
                act()
                print("done")
            except OSError as error:
                print(errno.errorcode[error.errno])
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(code)],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.split()


def test_landlock_alone_opens_no_path_and_reaches_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    lines = alone(f"""
        server = socket.create_server(("127.0.0.1", 0))
        system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
        parts = landlock.restrict()
        tried(lambda: open({str(tmp_path / "file")!r}))
        tried(lambda: os.listdir({str(tmp_path)!r}))
        tried(lambda: open({str(tmp_path / "new")!r}, "w"))
        tried(lambda: os.unlink({str(tmp_path / "file")!r}))
        if "tcp" in parts:
            tried(lambda: socket.create_connection(server.getsockname(), 1))
        if "scopes" in parts:
            tried(lambda: os.kill(os.getppid(), 0))
    """)
    assert lines[:4] == ["EACCES"] * 4
    assert set(lines[4:]) <= {"EACCES", "EPERM"}


def test_an_empty_network_reaches_nothing_where_namespaces_are_permitted() -> None:
    lines = alone("""
        server = socket.create_server(("127.0.0.1", 0))
        try:
            nets._leave_network()
        except OSError:
            print("ENETUNREACH")
        else:
            tried(lambda: socket.create_connection(server.getsockname(), 1))
    """)
    assert lines == ["ENETUNREACH"]


def test_limits_alone_keep_files_and_processes_away() -> None:
    lines = alone("""
        import signal, tempfile
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        nets._become_nobody()
        file = tempfile.TemporaryFile()
        found = nets.limit({"cpu": 5, "address_space": 256 << 20, "open_files": 16})
        assert not any(found.values()), found
        tried(lambda: os.write(file.fileno(), b"x"))
        tried(os.fork)
        tried(lambda: [os.dup(0) for _ in range(20)])
        try:
            bytearray(300 << 20)
        except MemoryError:
            print("ENOMEM")
    """)
    assert lines == ["EFBIG", "EAGAIN", "EMFILE", "ENOMEM"]


def test_the_rights_of_a_user_are_gone() -> None:
    lines = alone("""
        was = os.getuid()
        nets._become_nobody()
        print(os.getuid() if was == 0 else 65534)
        for line in open("/proc/self/status"):
            if line.startswith(("CapEff", "CapPrm")):
                print(int(line.split()[1], 16))
        tried(lambda: os.setuid(0) if was == 0 else os.setuid(was + 1))
    """)
    assert lines == ["65534", "0", "0", "EPERM"]


def verdict(code: bytes, audit: int, number: int, *arguments: int) -> int:
    """Run a filter as the kernel would, on one system call."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=iIQ6Q", number, audit, 0, *padded)
    at, loaded = 0, 0
    while True:
        step, yes, no, value = struct.unpack_from("=HBBI", code, at * 8)
        at += 1
        match step:
            case 0x20:
                (loaded,) = struct.unpack_from("=I", data, value)
            case 0x54:
                loaded &= value
            case 0x15:
                at += yes if loaded == value else no
            case 0x35:
                at += yes if loaded >= value else no
            case 0x06:
                return int(value)


@pytest.mark.parametrize("machine", [X86_64, AARCH64], ids=["x86_64", "aarch64"])
class TestTheFilter:
    """What the filter of a child says, for every number that there is."""

    def test_it_allows_the_list_and_kills_at_all_else(self, machine: Architecture) -> None:
        code = seccomp.for_child(machine, 77)
        allowed = {n for n in range(1024) if verdict(code, machine.audit, n) == seccomp.ALLOW}
        names = {name for name, number in machine.numbers.items() if number in allowed}
        assert len(names) == len(allowed)
        assert {"read", "write", "futex", "getrandom", "exit_group", "munmap"} <= names
        forbidden = {"clone", "clone3", "fork", "sendmsg", "recvmsg", "wait4", "prctl", "seccomp", "dup3"}
        assert not names & (forbidden | {"prlimit64", "setrlimit", "setsid", "landlock_restrict_self"})
        assert len(names) <= 31

    def test_it_kills_calls_of_another_architecture_or_convention(self, machine: Architecture) -> None:
        code = seccomp.for_child(machine, 77)
        read = machine.numbers["read"]
        assert verdict(code, 0x40000003, read) == seccomp.KILL  # 32-bit x86
        assert verdict(code, machine.audit, 0x40000000 | read) == seccomp.KILL
        assert verdict(code, machine.audit, -1) == seccomp.KILL

    def test_memory_is_never_executable(self, machine: Architecture) -> None:
        code = seccomp.for_child(machine, 77)
        for name in ("mmap", "mprotect"):
            number = machine.numbers[name]
            assert verdict(code, machine.audit, number, 0, 4096, 3) == seccomp.ALLOW
            assert verdict(code, machine.audit, number, 0, 4096, 7) == seccomp.KILL
            assert verdict(code, machine.audit, number, 0, 4096, 4) == seccomp.KILL

    def test_a_process_may_abort_itself_and_signal_nobody(self, machine: Architecture) -> None:
        code, number = seccomp.for_child(machine, 77), machine.numbers["tgkill"]
        assert verdict(code, machine.audit, number, 77, 77, 6) == seccomp.ALLOW
        assert verdict(code, machine.audit, number, 78, 77, 6) == seccomp.KILL
        assert verdict(code, machine.audit, number, 77, 77, 9) == seccomp.KILL

    def test_the_zygote_makes_processes_and_no_namespaces(self, machine: Architecture) -> None:
        code, clone = seccomp.for_zygote(machine), machine.numbers["clone"]
        assert verdict(code, machine.audit, clone, 0x01200011) == seccomp.ALLOW
        for flags in (0x10000011, 0x40000011, 0x00010F00, 0x4111, 0x8011):
            assert verdict(code, machine.audit, clone, flags) == seccomp.KILL
        clone3 = verdict(code, machine.audit, machine.numbers["clone3"])
        assert clone3 == seccomp.REFUSE | errno.ENOSYS
        assert verdict(code, machine.audit, machine.numbers["prctl"], 4) == seccomp.KILL

    def test_a_child_may_nothing_that_its_zygote_may_not(self, machine: Architecture) -> None:
        child, zygote = seccomp.for_child(machine, 77), seccomp.for_zygote(machine)
        for number in range(1024):
            if verdict(child, machine.audit, number) == seccomp.ALLOW:
                assert verdict(zygote, machine.audit, number) == seccomp.ALLOW


def test_an_unknown_architecture_has_no_table() -> None:
    assert architecture("vax") is None
    assert set(ARCHITECTURES) == {"x86_64", "aarch64"}


def test_a_child_without_a_required_net_never_gets_the_task() -> None:
    async def test() -> None:
        yard = Yard(launcher=crafted("ready_with_less.py"))
        with pytest.raises(Unavailable, match=r"the jail lacks `landlock` \(too old\)") as caught:
            await yard.jail.call(program("return 1"), [], refuse)
        assert caught.value.details["missing"] == ["landlock"]
        assert yard.reasons == ["nets"]
        assert "got the task" not in str(caught.value.details.get("stderr", ""))

    run(test)


@pytest.mark.parametrize("answer", [True, False])
def test_the_owner_is_asked_once_whether_it_may_run_with_less(answer: bool) -> None:
    asked: list[Collection[str]] = []

    async def agree(missing: Collection[str]) -> bool:
        asked.append(missing)
        return answer

    async def test() -> None:
        yard = Yard(launcher=crafted("ready_with_less.py"), agree=agree)
        for _ in range(2):
            if answer:
                assert await yard.jail.call(program("return 1"), [], refuse) == "got the task"
            else:
                with pytest.raises(NetsMissing):
                    await yard.jail.call(program("return 1"), [], refuse)
        assert asked == [["landlock"]]

    run(test)


def test_a_program_can_not_have_the_owner_asked() -> None:
    async def agree(_missing: Collection[str]) -> bool:
        raise AssertionError("the owner was asked")

    body = """
      local details = {part = "jail", missing = {"seccomp"}}
      return nil, errors.new({kind = "Unavailable", message = "no", details = details})
    """

    async def test() -> None:
        with pytest.raises(Unavailable):
            await Yard(agree=agree).jail.call(program(body), [], refuse)

    run(test)


def test_at_basic_it_runs_with_what_there_is() -> None:
    async def test() -> None:
        yard = Yard(launcher=crafted("ready_with_less.py"), level=Level.BASIC)
        assert await yard.jail.call(program("return 1"), [], refuse) == "got the task"

    run(test)


def test_without_landlock_a_call_is_unavailable_and_says_why() -> None:
    code = """
        import asyncio
        from jail_parts import Yard, program, refuse
        from runtime.jail.level import Level
        from runtime.jail.report import examine
        async def main():
            try:
                await Yard().jail.call(program("return 1"), [], refuse)
            except Exception as error:
                print(json.dumps([type(error).__name__, error.message]))
            print(json.dumps(await Yard(level=Level.BASIC).jail.call(program("return 1"), [], refuse)))
            report = await examine()
            print(json.dumps([report.level, report.missing]))
        asyncio.run(main())
    """
    ended = refusing(code, landlock_create_ruleset=errno.ENOSYS)
    assert ended.returncode == 0, ended.stderr
    refused, value, report = map(json.loads, ended.stdout.splitlines())
    assert refused[0] == "NetsMissing"
    assert "`landlock` ([Errno 38] Function not implemented)" in refused[1]
    assert value == 1
    assert report == ["basic", ["landlock"]]


def test_the_report_tells_every_net() -> None:
    report = asyncio.run(examine())
    assert {net.name for net in report.nets} == set(ABOUT)
    assert {net.name for net in report.nets if net.required} == {*FROM_OUTSIDE, *REQUIRED}
    assert report.missing == []
    assert report.to_value()["level"] == "full"


def test_nets_that_were_not_told_are_missing() -> None:
    assert Nets((), {}).missing() == list(REQUIRED)
    assert Nets(REQUIRED, {}).missing() == []

"""Host processes under other conditions than this one's: another user, or a system that refuses calls."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_REFUSING = """
import errno, json, os
from runtime.jail import seccomp, system
from runtime.jail.attacks.numbers import numbers
from runtime.jail.syscalls import architecture
machine = architecture()
table = {**machine.numbers, **numbers()}
rules = [seccomp.Rule(name, verdict=seccomp.REFUSE | number) for name, number in REFUSED.items()]
system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
seccomp.install(seccomp.assemble(rules, machine._replace(numbers=table), otherwise=seccomp.ALLOW))
"""

# As root: shows the interpreter, which others may not be able to reach, in a folder that they can, and goes
# on there as an ordinary user.
_ORDINARY = """
import ctypes, os, sys
folder, site, root, tests, code = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
must(libc.unshare(0x20000))
must(libc.mount(b"none", b"/", None, 0x44000, None))
paths = []
for name, source in (("python", sys.base_prefix), ("site", site), ("root", root), ("tests", tests)):
    place = os.path.join(folder, name)
    os.mkdir(place)
    must(libc.mount(source.encode(), place.encode(), None, 4096, None))
    paths.append(place)
python = os.path.join(paths[0], os.path.relpath(os.path.realpath(sys.executable), sys.base_prefix))
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
os.chdir("/")
os.execve(python, [python, "-c", code], {"PYTHONPATH": ":".join(paths[1:]), "PYTHONDONTWRITEBYTECODE": "1"})
"""


def refusing(code: str, **refused: int) -> subprocess.CompletedProcess[str]:
    """Run `code` where each system call named in `refused` fails with that number."""
    return _python(f"REFUSED = {refused!r}\n{_REFUSING}\n{textwrap.dedent(code)}")


def as_ordinary_user(code: str) -> subprocess.CompletedProcess[str]:
    """Run `code` as a user without rights: as `nobody` when this is root, else as who this is."""
    code = textwrap.dedent(code)
    if os.getuid() != 0:
        return _python(code)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        import lupa

        site = str(Path(lupa.__file__).parent.parent)
        arguments = (folder, site, str(ROOT), str(Path(__file__).parent), code)
        return _python(_ORDINARY, *arguments)


def _python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

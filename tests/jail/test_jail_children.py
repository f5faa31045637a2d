"""Children that break rules: each file of `children` says how the host must answer it."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jail_parts import CHILDREN, Yard, crafted, is_gone, program, run

from runtime.core.errors import Error
from runtime.jail.level import REQUIRED, Level
from runtime.jail.limits import JailLimits

CASES = sorted(path.name for path in CHILDREN.glob("*.py") if path.name not in ("crafted.py", "probe.py"))
SHORT = JailLimits(wall_clock=1.0, reply_bytes=4 * 1024 * 1024)


def header(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^# (\w+): (.*)$", path.read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", CASES)
def test_a_child_that_breaks_a_rule_is_answered_as_its_file_says(name: str) -> None:
    said = header(CHILDREN / name)
    pids: list[int] = []

    async def dispatch(_command: str, args: list[Any]) -> tuple[Any, ...]:
        if args == ["wait"]:
            await asyncio.Event().wait()
        if args == ["large"]:
            return ("x" * 100_000,)
        pids.extend(int(text) for text in re.findall(r"grandchild (\d+)", str(args)))
        return (True,)

    async def test() -> None:
        # The wall clock is short only where the case is about time: a loaded machine is slow to start.
        limits = SHORT if said.get("reason") == "wall_clock" else JailLimits(reply_bytes=SHORT.reply_bytes)
        yard = Yard(limits, crafted(name), Level(said.get("level", "basic")))
        call = yard.jail.call(program("return 1", modules=["env"]), [], dispatch)
        if "value" in said:
            assert await call == json.loads(said["value"])
            assert yard.killed == []
        else:
            kind, _, text = said["expect"].partition(" | ")
            with pytest.raises(Error) as caught:
                await call
            assert type(caught.value).__name__ == kind, caught.value
            assert text in caught.value.message
            assert yard.reasons == [said["reason"]]
            stderr = str(caught.value.details.get("stderr", ""))
            assert said.get("stderr", "") in stderr
            assert len(stderr) <= 4096
            pids.extend(int(number) for number in re.findall(r"grandchild (\d+)", stderr))
        if "grandchild" in name:
            assert pids
            assert all(map(is_gone, pids))

    run(test)


def test_a_child_has_nothing_but_its_pipes_and_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-canary-canary")

    async def test() -> None:
        yard = Yard(launcher=crafted("probe.py"))
        found = await yard.jail.call(program("return 1"), [], _nothing)
        assert set(found["environment"]) <= {"LC_ALL", "TZ"}
        assert found["folder"] == "/"
        assert found["leads_its_session"] is True
        assert found["descriptors"] == [0, 1, 2]
        limits = found["limits"]
        assert limits["RLIMIT_CPU"] == [10, 11]
        assert limits["RLIMIT_AS"][1] == 256 * 1024 * 1024
        assert limits["RLIMIT_FSIZE"] == [0, 0]
        assert limits["RLIMIT_CORE"] == [0, 0]
        assert limits["RLIMIT_NPROC"] == [0, 0]
        assert limits["RLIMIT_NOFILE"][1] <= 16
        assert set(REQUIRED) <= set(found["nets"])
        assert found["user"] != 0

    run(test)


async def _nothing(name: str, args: list[Any]) -> tuple[Any, ...]:
    raise AssertionError(f"`{name}` was dispatched with {args}")

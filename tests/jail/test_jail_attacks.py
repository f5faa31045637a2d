"""The hostile corpus: nothing gets through the nets, everything that claims to be an attack is one."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import subprocess
from collections.abc import AsyncIterator

import pytest
from elsewhere import as_ordinary_user, refusing
from jail_parts import LIBRARY

from runtime.jail.attacks import corpus

ATTACK = """
    import asyncio, json
    from runtime.jail.attacks import corpus
    from runtime.jail.report import examine
    async def main():
        found = [[o.attack.name, o.ending, o.detail] async for o in corpus.run_native(corpus.native())]
        report = await examine()
        off = {net.name: net.why for net in report.nets if not net.on}
        print(json.dumps({"found": found, "off": off, "way": report.way, "level": report.level}))
    asyncio.run(main())
"""


def outcomes(attacks: AsyncIterator[corpus.Outcome]) -> list[corpus.Outcome]:
    async def collect() -> list[corpus.Outcome]:
        return [outcome async for outcome in attacks]

    return asyncio.run(collect())


def told(ended: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert ended.returncode == 0, ended.stderr
    found: dict[str, object] = json.loads(ended.stdout)
    return found


def assert_all_refused(found: object) -> None:
    assert isinstance(found, list)
    assert len(found) == len(corpus.native())
    assert [row for row in found if row[1] not in ("killed", "refused")] == []
    assert sum(row[1] == "killed" for row in found) > 100


def test_each_attack_says_what_it_wants() -> None:
    attacks = [*corpus.native(), *corpus.lua()]
    assert all(attack.wants and attack.source for attack in attacks)
    assert len(corpus.native()) >= 40
    assert len(corpus.lua()) >= 20


def test_no_native_attack_gets_through_the_nets() -> None:
    found = outcomes(corpus.run_native(corpus.native()))
    assert_all_refused([[outcome.attack.name, outcome.ending, outcome.detail] for outcome in found])


def test_native_attacks_succeed_where_there_are_no_nets() -> None:
    attacks = [
        attack
        for attack in corpus.native()
        if attack.marks.get("bare", "may lose") == "may lose"  # what harms or ends the host is not tried
    ]
    lost = [outcome for outcome in outcomes(corpus.run_native(attacks, bare=True)) if not outcome.won]
    if os.getuid() == 0:
        assert [outcome for outcome in lost if "bare" not in outcome.attack.marks] == []
    assert len(lost) < len(attacks) / 2


@pytest.mark.parametrize("attack", corpus.lua(), ids=lambda attack: attack.name)
def test_no_attack_in_lua_gets_through_the_jail(attack: corpus.Attack) -> None:
    [outcome] = outcomes(corpus.run_lua([attack], LIBRARY))
    assert not outcome.won, outcome.detail
    assert outcome.ending == attack.marks.get("ending", "refused"), outcome.detail


def test_the_nets_hold_for_an_ordinary_user() -> None:
    found = told(as_ordinary_user(ATTACK))
    assert found["level"] == "full"
    assert found["way"] == "zygote"
    assert_all_refused(found["found"])


def test_the_nets_hold_where_namespaces_are_refused_as_in_a_container() -> None:
    found = told(refusing(ATTACK, unshare=errno.EPERM, mount=errno.EPERM, keyctl=errno.EPERM))
    assert found["level"] == "full"
    assert found["off"] == {"network": "[Errno 1] Operation not permitted"}
    assert_all_refused(found["found"])

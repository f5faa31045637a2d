"""A host whose Lua hangs is told of once, and again when it hangs again."""

from __future__ import annotations

import asyncio

from runtime.process.heartbeat import Heartbeat, Silence


def test_a_hang_is_told_once_each_time() -> None:
    found = [Silence("app:host", 5.0, "app:slow", "`rep` at slow.lua:3"), Silence("app:other", 0.1)]

    async def main() -> None:
        told: list[Silence] = []
        heard = asyncio.Event()
        looks = 0

        def silences() -> list[Silence]:
            nonlocal looks
            looks += 1
            if looks in (4, 5):
                return []  # it came back
            if looks == 8:
                heard.set()
            return found

        heartbeat = Heartbeat(silences, look_seconds=0.001)
        heartbeat.listen(told.append)
        heartbeat.start()
        await asyncio.wait_for(heard.wait(), 10)
        assert heartbeat.hung == {"app:host"}
        heartbeat.stop()
        assert told == [found[0]] * 2
        assert "`app:slow` holds up the host `app:host` for 5 s" in str(told[0])
        assert "last seen at `rep` at slow.lua:3" in str(told[0])

    asyncio.run(main())

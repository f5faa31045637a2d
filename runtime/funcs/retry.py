"""The option `retry` of a call: how often and how soon a call that failed is made again.

Only an error that says that it may be retried is, unless the option names kinds. Read once, bounded, refused
by name where it is wrong.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from runtime.core.errors import Error, Invalid
from runtime.lua.modules.time.durations import parse_duration

MAX_ATTEMPTS = 100


@dataclass(frozen=True, slots=True)
class Retry:
    """Attempts in all, and seconds between two of them: the first wait, the longest, the factor, the spread.

    With `retry_kinds` those kinds are retried and no others; `skip_kinds` never are.
    """

    max_attempts: int = 1
    initial_delay: float = 0.1
    max_delay: float = 10.0
    backoff_factor: float = 2.0
    jitter: float = 0.1
    retry_kinds: frozenset[str] = frozenset()
    skip_kinds: frozenset[str] = frozenset()

    def again(self, error: Error) -> bool:
        """Whether a call that failed with `error` is worth another attempt."""
        if error.kind in self.skip_kinds:
            return False
        return error.kind in self.retry_kinds if self.retry_kinds else error.retryable is True

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait after the failed attempt of that number, which starts at 1."""
        plain = min(self.max_delay, self.initial_delay * self.backoff_factor ** (attempt - 1))
        return plain * (1 + self.jitter * random.uniform(-1, 1))

    async def run(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """Return what `call` gives; raise its last Error when all attempts are used up."""
        for attempt in range(1, self.max_attempts):
            try:
                return await call()
            except Error as error:
                if not self.again(error):
                    raise
                await asyncio.sleep(self.delay(attempt))
        return await call()


ONCE = Retry()


def read_retry(options: Any) -> Retry:
    """Return the retry of a map of call options, ONCE where it has none; raise Invalid where it is wrong."""
    given = options.get("retry") if isinstance(options, Mapping) else None
    if given is None or given == []:
        return ONCE
    if not isinstance(given, Mapping):
        raise Invalid("option `retry` must be a table such as { max_attempts = 3 }")
    unknown = sorted(set(map(str, given)) - set(Retry.__dataclass_fields__))
    if unknown:
        raise Invalid(
            f"option `retry.{unknown[0]}` is unknown: expected {', '.join(Retry.__dataclass_fields__)}"
        )
    return Retry(
        max_attempts=int(_number(given, "max_attempts", 1, 1, MAX_ATTEMPTS)),
        initial_delay=_seconds(given, "initial_delay", 0.1),
        max_delay=_seconds(given, "max_delay", 10.0),
        backoff_factor=_number(given, "backoff_factor", 2.0, 1, 1000),
        jitter=_number(given, "jitter", 0.1, 0, 1),
        retry_kinds=_kinds(given, "retry_kinds"),
        skip_kinds=_kinds(given, "skip_kinds"),
    )


def _number(given: Mapping[Any, Any], name: str, default: float, low: float, high: float) -> float:
    value = given.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise Invalid(f"option `retry.{name}` must be a number from {low:g} to {high:g}")
    return value


def _seconds(given: Mapping[Any, Any], name: str, default: float) -> float:
    """A number is in milliseconds; a text is a duration such as `1s`."""
    value = given.get(name)
    if value is None:
        return default
    if isinstance(value, str):
        try:
            value = cast("int", parse_duration(value)) / 1e6
        except Invalid as error:
            raise Invalid(f"option `retry.{name}`: {error.message}") from error
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 3.6e6:
        raise Invalid(
            f"option `retry.{name}` must be milliseconds, or a duration such as `100ms`, up to an hour"
        )
    return value / 1000


def _kinds(given: Mapping[Any, Any], name: str) -> frozenset[str]:
    value = given.get(name) or []
    if not isinstance(value, list) or not all(isinstance(kind, str) for kind in value):
        raise Invalid(f"option `retry.{name}` must be a list of error kinds")
    return frozenset(value)

"""The module `io`: casts in order, and what it says without a terminal."""

from __future__ import annotations

from typing import Any

from module_host import ModuleHost, given, run

from runtime.core.errors import Unavailable


def test_io_writes_by_casts_in_order_and_asks_for_a_terminal_once() -> None:
    host = ModuleHost({"io.available": lambda: True})
    body = 'io.write("a", 1, 1.5, nil, true) io.print("b", "c") io.eprint("d") return io.print()'
    assert run(body, "io", host) is True
    assert [cast.args[0] for cast in host.casts] == [
        {"stream": "stdout", "text": "a11.5niltrue"},
        {"stream": "stdout", "text": "b\tc\n"},
        {"stream": "stderr", "text": "d\n"},
        {"stream": "stdout", "text": "\n"},
    ]
    assert {cast.name for cast in host.casts} == {"io.write"}
    assert given(host) == [("io.available", [])]


def test_io_without_a_terminal_writes_nothing_and_says_so() -> None:
    def no_terminal(*_: Any) -> Any:
        raise Unavailable("no terminal context", retryable=False)

    host = ModuleHost(
        dict.fromkeys(("io.available", "io.readline", "io.args", "io.is_terminal"), no_terminal)
    )
    body = """
    local ok, err = io.print("x")
    local line, read_err = io.readline()
    return { ok == nil, err:kind(), line == nil, read_err:message(), #io.args(), io.is_terminal() }
    """
    found = run(body, "io", host)
    assert found == [True, "Unavailable", True, "no terminal context", 0, False]
    assert host.casts == []


def test_io_reads_lines_bytes_and_arguments() -> None:
    lines = iter(["first", None, None])
    host = ModuleHost(
        {
            "io.readline": lambda *prompt: next(lines) or (prompt[0] if prompt else None),
            "io.read": lambda count: "x" * min(count, 3),
            "io.args": lambda: ["a", "b"],
            "io.flush": lambda: True,
            "io.raw": lambda enable: enable,
        }
    )
    body = """
    return { io.readline("> "), io.readline() == nil, io.readline("? "), io.read(2), io.read(), io.read(-1),
      io.args(), io.flush(), io.raw(), io.raw(false) }
    """
    assert run(body, "io", host) == ["first", True, "? ", "xx", "xxx", "xxx", ["a", "b"], True, True, False]
    assert [args for name, args in given(host) if name == "io.read"] == [[2], [1024], [1024]]

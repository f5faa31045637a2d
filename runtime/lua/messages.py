"""What goes into a Lua machine and what comes out of it: frozen data, and its bytes on the wire.

The same messages drive a machine in its thread and in a jailed child; `encode_*` and `decode_*` are the
child's protocol. Decoding takes hostile bytes and raises Invalid and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from runtime.core.errors import Error, Invalid
from runtime.core.wire import pack, unpack
from runtime.lua.program import Program


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """Limits of a task: seconds of running between two waits, seconds in all (None: any), bytes of memory."""

    running_seconds: float = 10.0
    total_seconds: float | None = None
    memory_bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Spawn:
    """Start a task: run `program` with `args`; `values` are what `ctx` reads, `info` is {id, pid, host}.

    With a name in `kept_as` it runs in the environment that an earlier task of that name and program left
    when it ended well, and leaves it for the next one.
    """

    task: str
    program: Program
    args: tuple[Any, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    info: Mapping[str, Any] = field(default_factory=dict)
    limits: TaskLimits = TaskLimits()
    kept_as: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to the command `call` of a task: values, or an error, which Lua gets as `nil, err`."""

    task: str
    call: int
    values: tuple[Any, ...] = ()
    error: Error | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A message to a task; its payloads are one or more values, `sender` is a PID or empty."""

    task: str
    topic: str
    sender: str = ""
    payloads: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Kill:
    """End a task with an error."""

    task: str
    error: Error


@dataclass(frozen=True, slots=True)
class Retire:
    """Ask a task to end: by `event` where it listens to `topic`, else by `error` as soon as it rests.

    One that does not listen and is not to be treated `patient`ly is ended at once.
    """

    task: str
    topic: str
    event: Any
    error: Error
    patient: bool = True


@dataclass(frozen=True, slots=True)
class Drop:
    """Forget the environment that is kept under a name; a task that runs in it goes on."""

    kept_as: str


@dataclass(frozen=True, slots=True)
class Become:
    """Drop what a task runs and run `program` with `args` in its place: name, mailbox and limits stay."""

    task: str
    program: Program
    args: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Raise Canceled, once and catchable, in what a task computes now; one that waits goes on waiting."""

    task: str


@dataclass(frozen=True, slots=True)
class Withhold:
    """Stop the calls that a task waits for inside its Lua state, and let it ask for everything again."""

    task: str


@dataclass(frozen=True, slots=True)
class Command:
    """A task waits for the host to do something: answer with a Reply that has the same `call`."""

    task: str
    call: int
    name: str
    args: list[Any]


@dataclass(frozen=True, slots=True)
class Cast:
    """A task tells the host to do something and does not wait."""

    task: str
    name: str
    args: list[Any]


@dataclass(frozen=True, slots=True)
class Exited:
    """A task has ended, with a value or an error; said once for each task."""

    task: str
    value: Any = None
    error: Error | None = None


class Started(NamedTuple):
    """Tasks that the Lua state started itself, as the host had allowed; told before all that they say.

    `program` is the number that the host gave the program when it allowed that, `form` the way in which a
    process is started, `call` the command of `parent` that a called function answers (0 for processes).
    """

    parent: str
    entry: str
    program: int
    form: str
    call: int
    tasks: list[str]


Input: TypeAlias = Spawn | Reply | Message | Become | Kill | Retire | Interrupt | Withhold | Drop
Output: TypeAlias = Command | Cast | Exited | Started


def encode_inputs(inputs: Sequence[Input]) -> bytes:
    """Return the inputs as bytes; raise Invalid where a value is no plain data."""
    return pack([_input_fields(item) for item in inputs])


def decode_inputs(data: bytes) -> list[Input]:
    """Return the inputs of `encode_inputs`; raise Invalid for anything else."""
    return [_read_input(fields) for fields in _rows(data)]


def encode_outputs(outputs: Sequence[Output]) -> bytes:
    """Return the outputs as bytes; raise Invalid where a value is no plain data."""
    return pack([_output_fields(item) for item in outputs])


def decode_outputs(data: bytes) -> list[Output]:
    """Return the outputs of `encode_outputs`; raise Invalid for anything else, hostile bytes included."""
    return [_read_output(fields) for fields in _rows(data)]


def _rows(data: bytes) -> list[Any]:
    rows = unpack(data)
    if not isinstance(rows, list):
        raise Invalid("messages are not a list")
    return rows


def _input_fields(item: Input) -> list[Any]:
    match item:
        case Spawn(task, program, args, values, info, limits, kept_as):
            bounds = [limits.running_seconds, limits.total_seconds, limits.memory_bytes]
            given = [list(args), dict(values), dict(info)]
            return ["spawn", task, program.to_value(), *given, bounds, kept_as]
        case Drop(kept_as):
            return ["drop", kept_as]
        case Reply(task, call, values, error):
            return ["reply", task, call, list(values), error]
        case Message(task, topic, sender, payloads):
            return ["message", task, topic, sender, list(payloads)]
        case Become(task, program, args):
            return ["become", task, program.to_value(), list(args)]
        case Kill(task, error):
            return ["kill", task, error]
        case Retire(task, topic, event, error, patient):
            return ["retire", task, topic, event, error, patient]
        case Interrupt(task):
            return ["interrupt", task]
        case Withhold(task):
            return ["withhold", task]


def _read_input(fields: Any) -> Input:
    match fields:
        case [
            "spawn",
            str(task),
            dict(program),
            list(args),
            dict(values),
            dict(info),
            [int() | float() as running, int() | float() | None as total, int(memory)],
            str(kept_as),
        ]:
            limits = TaskLimits(running, total, memory)
            return Spawn(task, Program.from_value(program), tuple(args), values, info, limits, kept_as)
        case ["drop", str(kept_as)]:
            return Drop(kept_as)
        case ["reply", str(task), int(call), list(values), Error() | None as error]:
            return Reply(task, call, tuple(values), error)
        case ["message", str(task), str(topic), str(sender), list(payloads)]:
            return Message(task, topic, sender, tuple(payloads))
        case ["become", str(task), dict(program), list(args)]:
            return Become(task, Program.from_value(program), tuple(args))
        case ["kill", str(task), Error() as error]:
            return Kill(task, error)
        case ["retire", str(task), str(topic), event, Error() as error, bool(patient)]:
            return Retire(task, topic, event, error, patient)
        case ["interrupt", str(task)]:
            return Interrupt(task)
        case ["withhold", str(task)]:
            return Withhold(task)
    raise Invalid("an input is not of the protocol")


def _output_fields(item: Output) -> list[Any]:
    match item:
        case Command(task, call, name, args):
            return ["command", task, call, name, args]
        case Cast(task, name, args):
            return ["cast", task, name, args]
        case Exited(task, value, error):
            return ["exited", task, value, error]
        case Started():
            raise Invalid(f"`{item.entry}` was started where nobody could allow it")


def _read_output(fields: Any) -> Output:
    match fields:
        case ["command", str(task), int(call), str(name), list(args)]:
            return Command(task, call, name, args)
        case ["cast", str(task), str(name), list(args)]:
            return Cast(task, name, args)
        case ["exited", str(task), value, Error() | None as error]:
            return Exited(task, value, error)
    raise Invalid("an output is not of the protocol")

"""The parts of a running host and how they hold together; nothing here decides anything itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.app.announcing import Announcer
from runtime.app.checks import keep_policies
from runtime.app.containment import contain, warm
from runtime.app.denials import Denials
from runtime.app.entry_checks import check_entries
from runtime.app.opening import Opened
from runtime.app.options import Options
from runtime.app.outcome import Outcome
from runtime.app.pages import documentation
from runtime.app.services import Services
from runtime.app.session import Session
from runtime.app.trust import model_of
from runtime.app.wording import Wording
from runtime.core.values import Value
from runtime.evolution.consent import Approve, Consent, Question
from runtime.funcs.calls import FunctionCalls
from runtime.funcs.contracts import ContractCommands
from runtime.jail.zygote import ZygoteLauncher
from runtime.llm.recorder import Recorder
from runtime.llm.selection import Selector, Wishes
from runtime.llm.service import LlmService, Ways
from runtime.lua.dispatch import Caller, Dispatcher, Handler
from runtime.lua.library import Library
from runtime.lua.thread import LuaThread
from runtime.process.control import ProcessCommands
from runtime.process.events import EventBus
from runtime.process.heartbeat import Heartbeat
from runtime.process.programs import Programs
from runtime.process.spawning import SpawnCommands
from runtime.process.system import Run, SystemCommands
from runtime.process.tasks import Tasks
from runtime.registry.known_settings import seconds
from runtime.security.engine import Engine
from runtime.security.guard import Guard
from runtime.services.environment import EnvironmentCommands
from runtime.services.http import HttpService
from runtime.services.log import LogCommands
from runtime.services.registry_commands import RegistryCommands
from runtime.services.security_commands import SecurityCommands
from runtime.services.store_commands import StoreCommands
from runtime.services.stores import Stores
from runtime.services.terminal import Terminal
from runtime.services.terminal_commands import TerminalCommands
from runtime.services.tokens import TokenCommands


@dataclass(slots=True)
class Parts:
    """What a run needs of the wired host."""

    tasks: Tasks
    programs: Programs
    guard: Guard
    open_terminal: Callable[[str], None]
    """Opens the terminal host of that id and gives its processes the terminal."""
    llm: LlmService
    zygote: ZygoteLauncher
    services: Services
    heartbeat: Heartbeat
    on_exit: list[Callable[[], None]]
    """Called when a process asked the run to end."""

    async def close(self) -> None:
        """End the services in order, every other task, then the connections and the zygote."""
        await self.services.stop()
        self.heartbeat.stop()
        await self.tasks.close()
        await self.llm.close()
        self.zygote.close()


def build(
    opened: Opened,
    options: Options,
    terminal: Terminal,
    wording: Wording,
    outcome: Outcome,
    session: Session,
) -> Parts:
    """Wire the host of `opened`; raises Invalid where the project's `policies.conf` is refused."""
    registry, redactor = opened.registry, opened.redactor
    settings = opened.project.settings
    library = Library.discover()
    model, notice = model_of(opened.project)
    if notice:
        terminal.notice(f"notice: {notice}")
    engine = Engine(model)
    guard = Guard(
        engine, settings.get("security.strict_mode", True), Denials(session.denied, terminal.notice)
    )
    check_entries(registry, library, settings, terminal.notice)
    registry.subscribe(keep_policies(engine))

    dispatcher = Dispatcher()
    zygote = ZygoteLauncher()
    asked = terminal.interactive and options.approve is Approve.ASK
    agrees = wording.agrees if asked else None
    jail = contain(library, settings, zygote, session.killed, terminal, agrees)
    if terminal.interactive:
        registry.subscribe(warm(zygote))
    tasks = Tasks(
        dispatcher,
        lambda name, deliver: LuaThread(name, library, deliver),
        confine=jail.call,
        on_spawned=session.spawned,
        on_exited=session.exited,
    )
    registry.subscribe(lambda _: tasks.policies_changed())
    programs = Programs(registry, library)
    unattended: list[str] = settings.get("evolution.unattended", [])
    consent = Consent(
        options.consent,
        frozenset(unattended),
        ask=_asking(terminal, wording) if asked else None,
        on_pending=outcome.wait_for_owner,
        record=session.record,
    )
    llm = _llm(opened, options, guard, tasks, outcome)
    dispatcher.register("llm.generate", llm.generate)
    dispatcher.register("llm.select", _announcing(llm, terminal, wording))
    http = HttpService(guard, documentation(library), offline=options.offline)
    calls = FunctionCalls(tasks, programs, registry, guard, opened.journal)
    events = EventBus(tasks, guard)
    announcer = Announcer(events.publish)
    registry.subscribe(announcer.changed, announcer.refused)
    environment, stores = options.environment, Stores(opened.clock)
    tokens = TokenCommands(guard, lambda: registry.current, stores, environment, redactor)
    registry.subscribe(tokens.changed)
    for handlers in (
        calls.handlers(),
        ContractCommands(calls, guard, lambda: registry.current).handlers(),
        events.handlers(),
        ProcessCommands(tasks, guard).handlers(),
        SpawnCommands(tasks, guard, programs, lambda: registry.current).handlers(),
        RegistryCommands(registry, guard, consent).handlers(),
        SecurityCommands(guard).handlers(),
        tokens.handlers(),
        StoreCommands(guard, lambda: registry.current, stores).handlers(),
        EnvironmentCommands(guard, lambda: registry.current, environment, redactor).handlers(),
        LogCommands(redactor).handlers(),
        http.handlers(),
    ):
        _register(dispatcher, handlers)

    def open_terminal(host: str) -> None:
        tasks.open_host(host)
        _register(dispatcher, TerminalCommands(terminal, host).handlers())

    services = Services(
        registry,
        tasks,
        programs,
        guard,
        session.stream,
        lambda line: terminal.notice(redactor.text(line)),
        seconds(settings.get("shutdown.timeout", "30s")),
    )
    on_exit: list[Callable[[], None]] = []

    def exit_with(code: int) -> None:
        outcome.asked_code = code
        for each in on_exit:
            each()

    node: str = settings.get("relay.node_name") or "local"
    system = SystemCommands(tasks, guard, library, Run(lambda: services.supervisor, exit_with, node))
    _register(dispatcher, system.handlers())
    return Parts(
        *(tasks, programs, guard, open_terminal, llm, zygote, services),
        heartbeat=_heartbeat(tasks, terminal),
        on_exit=on_exit,
    )


def _register(dispatcher: Dispatcher, handlers: Mapping[str, Handler]) -> None:
    for name, handler in handlers.items():
        dispatcher.register(name, handler)


def _heartbeat(tasks: Tasks, terminal: Terminal) -> Heartbeat:
    heartbeat = Heartbeat(tasks.silences)
    heartbeat.listen(lambda silence: terminal.notice(f"notice: {silence}"))
    return heartbeat


def _asking(terminal: Terminal, wording: Wording) -> Callable[[Question], Awaitable[bool]]:
    async def ask(question: Question) -> bool:
        return wording.agrees(await terminal.ask(wording.question(question)))

    return ask


def _llm(opened: Opened, options: Options, guard: Guard, tasks: Tasks, outcome: Outcome) -> LlmService:
    settings = opened.project.settings
    wishes = Wishes(
        model=options.model,
        default_provider=settings.get("llm.default_provider"),
        context_window=settings.get("llm.context_window"),
        offline=options.offline,
        prompt=options.prompt is not None,
        locked=options.locked,
        frozen=options.frozen,
    )
    selector = Selector(options.environment, wishes, opened.redactor.learn)

    def send(caller: Caller, pid: str, topic: str, payloads: list[Value]) -> None:
        tasks.send(pid, topic, payloads, sender=caller.task)

    ways = Ways(lambda: opened.registry.current, send, lambda caller: caller.task, outcome.refuse)
    return LlmService(selector, Recorder(opened.journal, opened.redactor), guard, ways)


def _announcing(llm: LlmService, terminal: Terminal, wording: Wording) -> Handler:
    """Return the handler of `llm.select` that says which model answers, once for each choice."""
    said: set[str] = set()

    async def select(caller: Caller, args: list[Any]) -> dict[str, Value]:
        chosen = await llm.select(caller, args)
        line = wording.model_line(chosen)
        if line not in said:
            said.add(line)
            terminal.notice(line)
        return chosen

    return select

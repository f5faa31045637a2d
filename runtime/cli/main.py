"""The command `runtime`: the tree of commands, and how every ending becomes an exit code."""

from __future__ import annotations

import sys

import click

from runtime import __version__
from runtime.cli import branch, doctor, journal, lint, policy, registry, replay, run, trust, version
from runtime.cli.exit_codes import DONE, FAILED, INTERRUPTED, USAGE, exit_code
from runtime.cli.options import wanted_format
from runtime.cli.render.output import close_quietly, say, show_error
from runtime.core.errors import Error


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="runtime")
def runtime() -> None:
    """Run Lua applications declared in YAML, in sandboxes, under policies."""


runtime.add_command(run.run)
runtime.add_command(registry.registry)
runtime.add_command(journal.journal)
runtime.add_command(branch.branch)
runtime.add_command(replay.replay)
runtime.add_command(policy.policy)
runtime.add_command(lint.lint)
runtime.add_command(doctor.doctor)
runtime.add_command(trust.trust)
runtime.add_command(version.version)


def run_command_line(arguments: list[str]) -> int:
    """Run `arguments` and return the exit code; whatever happens is said once, on standard error."""
    try:
        result = runtime.main(arguments, prog_name="runtime", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else DONE
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return USAGE
    except BrokenPipeError:
        close_quietly()
        return DONE
    except Error as error:
        show_error(error, wanted_format(arguments))
        return exit_code(error)
    except Exception as error:  # the last line of defence: no trace for people, but no silence either
        import os
        import traceback

        if os.environ.get("RUNTIME_DEBUG"):
            traceback.print_exc()
        say(f"error: internal fault: {type(error).__name__}: {error}; set RUNTIME_DEBUG=1 for the trace")
        return FAILED

"""Entry point of the command `runtime` and of `python -m runtime`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end with its exit code."""
    from runtime.cli.main import run_command_line

    sys.exit(run_command_line(sys.argv[1:]))


if __name__ == "__main__":
    main()

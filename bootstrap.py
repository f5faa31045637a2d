"""Set up a virtual environment in `.venv` and run the program or its tests in it.

    python3 bootstrap.py run app agent     set up, then run `runtime run app agent`
    python3 bootstrap.py test              set up with the development tools, then run the tests

Needs Python 3.11 or later with `venv` and `pip`, and nothing else. Runs on any Python 3, to say so clearly.
"""

import hashlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = os.path.join(HERE, ".venv")
BIN = os.path.join(ENVIRONMENT, "Scripts" if os.name == "nt" else "bin")


def fail(message):
    """Say what is missing and what to do, and end."""
    sys.stderr.write("error: " + message + "\n")
    sys.exit(2)


def check_python():
    """Refuse a Python that is too old or comes without venv and pip, naming the package to install."""
    version = "%d.%d" % sys.version_info[:2]
    if sys.version_info < (3, 11):
        fail(
            "Python 3.11 or later is needed, this is %s; install a newer one and run the command with it"
            % version
        )
    for module in ("venv", "ensurepip"):
        try:
            __import__(module)
        except ImportError:
            fail(
                "this Python has no `%s`; install the package python%s-venv (Debian, Ubuntu), python3-pip (Fedora) or "
                "py3-pip (Alpine) and run the command again" % (module, version)
            )


def wanted(extra):
    """Return what the environment must have been made from: the interpreter, the extra and pyproject.toml."""
    with open(os.path.join(HERE, "pyproject.toml"), "rb") as file:
        return "%s %s %s" % (sys.version, extra, hashlib.sha256(file.read()).hexdigest())


def set_up(extra):
    """Create the environment and install the project, unless that was done already; dependencies only as wheels."""
    mark = os.path.join(ENVIRONMENT, "made-from.txt")
    marks = [wanted("[dev]"), wanted(extra)]  # the development set holds the plain one
    made_from = ""
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            made_from = file.read()
        if made_from in marks:
            return
    # Made by the same Python: what is missing is added, so that a program that runs in it goes on.
    fresh = not made_from.startswith(sys.version + " ")
    sys.stderr.write("setting up %s (once, about half a minute)\n" % os.path.relpath(ENVIRONMENT))
    python = os.path.join(BIN, "python")
    install = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary=:all:",
    ]
    steps = [[*install, "--editable", HERE + extra]]
    if fresh:
        steps.insert(0, [sys.executable, "-m", "venv", "--clear", ENVIRONMENT])
    for step in steps:
        if subprocess.call(step, stdin=subprocess.DEVNULL) != 0:
            fail(
                "setting up failed, see above; if `venv` or `pip` is missing install python%d.%d-venv, if a package "
                "could not be had check the network, then run the command again" % sys.version_info[:2]
            )
    with open(mark, "w", encoding="utf-8") as file:
        file.write(wanted(extra))


def main(arguments):
    """Set up what `arguments` need and become that program."""
    if arguments[:1] in ([], ["-h"], ["--help"]):
        sys.stdout.write(__doc__ + "\nEverything else goes to `runtime`; see `bootstrap.py run --help`.\n")
        return
    check_python()
    os.chdir(HERE)
    if arguments[:1] == ["test"]:
        set_up("[dev]")
        command = [os.path.join(BIN, "python"), "-m", "pytest", *arguments[1:]]
    else:
        set_up("")
        command = [os.path.join(BIN, "runtime"), *arguments]
    sys.stderr.flush()
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])

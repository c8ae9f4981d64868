"""The command `memdb`. Its verbs stand in `commands`; this is what it needs before they can be had."""

import sys


def main() -> None:
    """Run the command line; without typer and rich, say what to install."""
    try:
        from memdb.interfaces.commands import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        print(f"memdb: The command line needs {error.name}; install it with: pip install 'memdb[cli]'", file=sys.stderr)
        sys.exit(1)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign shows another, and the command goes on
    app(prog_name="memdb")


if __name__ == "__main__":
    main()

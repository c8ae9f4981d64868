"""The command `memdb` from its first moment: Ctrl-C ends it without a word also while the package is imported."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from memdb.interfaces.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)

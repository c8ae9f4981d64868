"""The command `memdb` from its first moment: Ctrl-C ends it without a word also while the package is imported."""

import gc
import sys


def main() -> None:
    """Run the command line."""
    try:
        gc.disable()  # what is imported stays, the package as what the command imports then, which has it enabled again
        from memdb.interfaces.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
    except RuntimeError as error:  # as which Python 3.11 tells of one while a class is made
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        sys.exit(130)

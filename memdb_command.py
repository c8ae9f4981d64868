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
    except Exception as error:  # Python 3.11 says so of one while a class is made, pydantic of one while it makes what checks a record
        if not isinstance(error.__cause__, KeyboardInterrupt) and "KeyboardInterrupt" not in str(error):
            raise
        sys.exit(130)

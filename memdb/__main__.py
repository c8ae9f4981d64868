"""`python -m memdb` is the command `memdb`."""

import signal

from memdb_command import main

if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # main() is interrupted without a word by itself
    main()

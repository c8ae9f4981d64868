"""SQLite without its count of the memory in use, which every allocation would wait for, and which nobody here reads."""

from __future__ import annotations

import sys

# Only before anybody else can have a connection, and only where no other library of the process has the same SQLite.
if "apsw" not in sys.modules:
    import apsw

    if apsw.using_amalgamation:
        apsw.shutdown()
        apsw.config(apsw.SQLITE_CONFIG_MEMSTATUS, False)
        apsw.initialize()

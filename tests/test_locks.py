"""How a lock on the file is waited for."""

from __future__ import annotations

from memdb.locks import Patience


def test_each_lock_is_waited_for_anew() -> None:
    patience = Patience()
    patience.seconds = 60.0
    assert patience(0)
    assert patience(1)
    patience.seconds = 0.0
    assert not patience(2)
    patience.seconds = 60.0
    assert patience(0)

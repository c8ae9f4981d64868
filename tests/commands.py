"""The command, and scripts in a Python of their own, as tests run them."""

from __future__ import annotations

import subprocess
import sys

from typer.testing import CliRunner, Result

from memdb.interfaces.commands import app


def run(*arguments: object, given: str | None = None) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), input=given)


def printed(result: Result) -> str:
    """What a command printed that did what it was told."""
    assert result.exit_code == 0, result.stderr
    return result.stdout


def ok(*arguments: object) -> str:
    return printed(run(*arguments))


def output_of(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300).stdout.strip()

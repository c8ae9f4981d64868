import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, at=ROOT)
    (built,) = folder.glob("memdb-*.whl")
    return built


def run(*command: str | Path, at: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(list(map(str, command)), cwd=at, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shipped(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.startswith("memdb-")}


def test_the_wheel_holds_all_that_is_not_python(wheel: Path) -> None:
    folders = [folder for folder in ("sql", "prompts", "rules") if (ROOT / folder).is_dir()]
    beside = {f"memdb/{path.relative_to(ROOT).as_posix()}" for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()}
    inside = {"memdb/py.typed", "memdb/data/demo.json", "memdb/interfaces/inspector/templates/base.html"}
    assert beside | inside <= shipped(wheel)
    assert "memdb/sql/retrieve.sql" in beside


def test_the_wheel_holds_nothing_of_the_tests(wheel: Path) -> None:
    assert {name.split("/")[0] for name in shipped(wheel)} == {"memdb", "memdb_command.py"}


def test_an_installation_in_a_checkout_leaves_no_copy_of_the_sql_behind(tmp_path: Path) -> None:
    code = "import hatchling.build, sys; print(hatchling.build.build_editable(sys.argv[1]))"
    name = run(sys.executable, "-c", code, tmp_path, at=ROOT).splitlines()[-1]
    assert not [file for file in shipped(tmp_path / name) if file.endswith(".sql")]


def test_a_clean_environment_runs_the_demo_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", f"memdb[cli] @ {wheel.as_uri()}", at=tmp_path)
    told = run(tmp_path / "env" / "bin" / "memdb", "demo", "--embedder", "none", at=tmp_path)
    assert "What is believed" in told
    assert (tmp_path / "mem.db").stat().st_size > 0
    assert str(tmp_path) in run(python, "-c", "import memdb; print(memdb.__file__)", at=tmp_path)


def test_a_clean_environment_without_the_extra_can_remember_but_has_no_commands(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel, at=tmp_path)
    code = "import memdb\nwith memdb.open('m.db') as memory:\n  print(memory.remember('Ana lives in Lisbon.', user_id='ana').value_text)"
    assert run(python, "-c", code, at=tmp_path) == "Ana lives in Lisbon.\n"
    done = subprocess.run([tmp_path / "env" / "bin" / "memdb", "stats"], capture_output=True, text=True, check=False)
    assert (done.returncode, "pip install 'memdb[cli]'" in done.stderr) == (1, True)

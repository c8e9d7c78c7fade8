"""Embedding models without torch, made from a sentence-transformers folder.

    python -m benchmarks.light_models --model FOLDER --out FOLDER

Writes three folders: `NAME-onnx` (the same weights, exported), `NAME-int8` (the same, quantized)
and `NAME-static` (a vector for each word piece, by model2vec). Making them needs torch, onnx and
`model2vec[distill]`; using them does not.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

OPSET = 17


def export(source: str, folder: str) -> None:
    """A BERT-like model as `model.onnx`, beside the files that say how to use it."""
    import torch  # noqa: PLC0415 - needed here alone
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415

    class Pieces(torch.nn.Module):
        def __init__(self, model: torch.nn.Module) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            found = self.model(input_ids=input_ids, attention_mask=attention_mask)
            return found.last_hidden_state

    place = Path(folder)
    (place / "1_Pooling").mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "sentence_bert_config.json", "1_Pooling/config.json"):
        shutil.copy(Path(source) / name, place / name)
    model = AutoModel.from_pretrained(source, attn_implementation="eager").eval()
    tokens = AutoTokenizer.from_pretrained(source)(
        ["a short text", "one that is longer"], padding=True, return_tensors="pt"
    )
    given, answered = ["input_ids", "attention_mask"], "last_hidden_state"
    torch.onnx.export(
        Pieces(model),
        tuple(tokens[name] for name in given),
        str(place / "model.onnx"),
        input_names=given,
        output_names=[answered],
        dynamic_axes={name: {0: "texts", 1: "pieces"} for name in [*given, answered]},
        opset_version=OPSET,
        dynamo=False,
    )


def quantize(exported: Path, folder: Path) -> None:
    """Weights of eight bits."""
    from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415

    shutil.copytree(exported, folder, dirs_exist_ok=True)
    quantize_dynamic(exported / "model.onnx", folder / "model.onnx", weight_type=QuantType.QInt8)


def distill(source: str, folder: Path, *, dims: int) -> None:
    """A static vector for each word piece of the model's vocabulary."""
    from model2vec.distill import distill_from_model  # noqa: PLC0415
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415

    model = AutoModel.from_pretrained(source)
    tokenizer = AutoTokenizer.from_pretrained(source)
    distill_from_model(model, tokenizer, pca_dims=dims, device="cpu").save_pretrained(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", required=True, help="a sentence-transformers folder")
    parser.add_argument("--out", required=True, type=Path, help="where the new folders go")
    parser.add_argument("--name", default="all-MiniLM-L6-v2")
    parser.add_argument("--dims", type=int, default=256, help="of the static vectors")
    chosen = parser.parse_args()
    exported = chosen.out / f"{chosen.name}-onnx"
    export(chosen.model, str(exported))
    quantize(exported, chosen.out / f"{chosen.name}-int8")
    distill(chosen.model, chosen.out / f"{chosen.name}-static", dims=chosen.dims)
    for folder in sorted(chosen.out.iterdir()):
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        print(f"{folder.name:32}{size / 1e6:8.1f} MB")


if __name__ == "__main__":
    main()

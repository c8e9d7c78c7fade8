"""The pictures: drawn from figures alone, and of a size that a page can show."""

from __future__ import annotations

import json

import pytest

plots = pytest.importorskip("benchmarks.plots", reason="matplotlib is in the extra `bench`")

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def figures(tmp_path):
    curve = [[40.0 * k, 90.0 * k / (k + 3)] for k in range(1, 21)]
    recall = {f"turns.{lane}curve": curve for lane in plots.RECALL_LANES}
    stores = {
        "tables": [
            {
                "size": size,
                "layout": "one",
                "figures": {
                    lane: {operation: [1.5, 1.6] for _, operation in plots.LATENCY_LANES}
                    for lane, _ in plots.LATENCY_LANES
                },
            }
            for size in (1_000, 10_000)
        ]
    }
    for name, found in (("recall", recall), ("stores", stores)):
        (tmp_path / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    return tmp_path


def test_both_pictures_are_written(figures):
    plots.main([
        "--recall", str(figures / "recall.json"), "--stores", str(figures / "stores.json"),
        "--out", str(figures),
    ])  # fmt: skip

    for name in ("recall_by_tokens.png", "latency_by_size.png"):
        picture = (figures / name).read_bytes()
        width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
        assert PNG == picture[:8]
        assert 1000 < width < 2000
        assert 500 < height < 1000


def test_lanes_that_were_not_measured_are_not_drawn(figures):
    (figures / "recall.json").write_text(json.dumps({"turns.curve": [[1, 2], [3, 4]]}))
    plots.main(["--recall", str(figures / "recall.json"), "--out", str(figures)])

    assert (figures / "recall_by_tokens.png").is_file()
    assert not (figures / "latency_by_size.png").exists()


def test_nothing_to_draw_is_an_error(capsys):
    with pytest.raises(SystemExit):
        plots.main([])
    assert "--recall" in capsys.readouterr().err

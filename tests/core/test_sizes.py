"""The estimate of tokens, measured against OpenAI's own tokenizer."""

import gzip
import hashlib
from importlib.util import find_spec
from pathlib import Path

import pytest
import tiktoken
from tiktoken.load import load_tiktoken_bpe
from tiktoken_ext import openai_public

from langgraph_agentmem.ranking import line_tokens
from langgraph_agentmem.sizes import estimate_tokens

# None of these texts took part in choosing the weights.
TEXTS = {
    "English": """
        The keys are in the drawer under the printer, and the cat gets half a tin in the evening.
        If the boiler starts to knock, turn the small red valve a quarter to the left and wait.
        My sister arrives on Friday around noon; she has her own key and will water the plants.
        Please don't open the window in the study while it rains, because the frame leaks and the
        books below it have already been wet twice this year. Thank you so much for looking after
        everything, and call me whenever something seems odd, even late at night.
        """,
    "English with figures": """
        Order 88213-B ships on 3 June 2026: 12 chairs at £49.90, 2 tables at £310 (10% off), and
        delivery to 14 Mill Lane, Bristol BS1 4QD. Questions? Write to orders@example.org or ring
        0117 496 0999 between 8:30 am and 5 pm.
        """,
    "Hindi": """
        दादी हर सुबह छत पर बैठकर चाय पीती हैं और अख़बार पढ़ती हैं। उनके घुटनों में दर्द रहता है,
        फिर भी वे रोज़ बाज़ार तक पैदल जाती हैं। पिछले हफ़्ते उन्होंने मुझे एक पुरानी कहानी सुनाई
        जिसमें एक किसान अपने बैल के साथ नदी पार करता है।
        मुझे वह कहानी बहुत अच्छी लगी, इसलिए मैंने उसे लिख लिया ताकि मेरे बच्चे भी उसे पढ़ सकें।
        """,
    "Chinese": """
        外婆每天早上都坐在阳台上喝茶看报纸。虽然她的膝盖经常疼,但是她还是坚持走路去菜市场。
        上个星期她给我讲了一个很老的故事,说的是一个农夫带着他的牛过河。我觉得这个故事很有意思,
        所以把它写了下来,希望以后孩子们也能读到。昨天我们一起包了饺子,味道比饭馆里的还要好。
        """,
    "Python": Path(gzip.__file__).read_text(encoding="utf-8"),
    "more Python": Path(hashlib.__file__).read_text(encoding="utf-8"),
    "TypeScript": """
        export interface Booking { id: string; rooms: number; guests?: Guest[]; paid: boolean }

        export async function cancel(id: string, reason = "none"): Promise<Booking> {
          const response = await fetch(`/api/bookings/${id}`, {
            method: "DELETE",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ reason }),
          });
          if (!response.ok) {
            throw new Error(`cancel failed: ${response.status}`);
          }
          return (await response.json()) as Booking;
        }
        """,
    "JSON": str([{"id": n, "name": f"room {n}", "free": n % 2 == 0} for n in range(40)]),
    "German": """
        Der Schlüssel liegt in der Schublade unter dem Drucker, und die Katze bekommt abends eine
        halbe Dose. Wenn die Heizung klopft, drehen Sie das kleine rote Ventil nach links.
        """,
    "Russian": """
        Бабушка каждое утро сидит на балконе, пьёт чай и читает газету. Колени у неё болят, но она
        всё равно ходит на рынок пешком и никогда не жалуется на погоду.
        """,  # noqa: RUF001 - Cyrillic looks like Latin
}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    """OpenAI's `o200k_base`. tiktoken would fetch its ranks; a package brings the same ones."""
    packed = Path(find_spec("bpe_openai").origin).parent / "data" / "o200k_base.tiktoken.gz"
    ranks = tmp_path_factory.mktemp("ranks") / "o200k_base.tiktoken"
    ranks.write_bytes(gzip.decompress(packed.read_bytes()))

    def load_here(_url, expected_hash):
        return load_tiktoken_bpe(str(ranks), expected_hash=expected_hash)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", load_here)
        patch.setenv("TIKTOKEN_CACHE_DIR", "")
        return tiktoken.Encoding(**openai_public.o200k_base())


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_estimate_is_right_within_a_fifth(tokenizer, text):
    true = len(tokenizer.encode(text))

    assert 0.8 * true <= estimate_tokens(text) <= 1.2 * true


def test_a_very_long_text_is_judged_by_samples_and_still_right_within_a_fifth(tokenizer):
    book = (TEXTS["English"] + TEXTS["Python"]) * 20
    true = len(tokenizer.encode(book))

    assert len(book) > 64_000
    assert 0.8 * true <= estimate_tokens(book) <= 1.2 * true


@pytest.mark.parametrize("text", ["", " ", "\t"])
def test_nothing_costs_nothing(text):
    assert 0 == estimate_tokens(text)


@pytest.mark.parametrize("text", ["a", "7", "?", "ü", "मै", "河", "🚲", "\ud800"])
def test_anything_that_is_written_costs_something(text):
    assert estimate_tokens(text) >= 1


def test_a_line_of_the_context_costs_more_than_its_text():
    assert line_tokens("pet", "a cat") > estimate_tokens("pet") + estimate_tokens("a cat")

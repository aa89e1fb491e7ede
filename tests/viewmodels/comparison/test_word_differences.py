from __future__ import annotations

import random

import app.viewmodels.comparison.word_differences as word_differences
from app.viewmodels.comparison.word_differences import Differences, Span, differences, marked_words
from tests.seeds import each_seed


def without(text: str, spans: tuple[Span, ...]) -> list[str]:
    """The words of a text that are not marked."""
    for one in reversed(spans):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text.split()


def marked(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[one.start : one.end] for one in spans]


def test_words_that_differ_are_marked_on_either_side() -> None:
    left, right = "Stay in Baixa, near the river.", "Stay in Arroios, near the river."
    found = differences(left, right)
    assert found is not None
    assert marked(left, found.left) == ["Baixa"]
    assert marked(right, found.right) == ["Arroios"]


def test_words_that_were_added_are_marked_on_their_side_alone() -> None:
    left, right = "Take the tram before nine.", "Take the old yellow tram before nine."
    found = differences(left, right)
    assert found is not None
    assert (marked(left, found.left), marked(right, found.right)) == ([], ["old yellow"])


def test_equal_texts_have_no_marks_and_unlike_ones_are_not_compared() -> None:
    text = "Stay where you are."
    assert differences(text, text) == Differences()
    assert not differences(text, text)
    unlike = "one two three four five six seven eight nine ten", "a b c d e f g h i j k l m n"
    assert differences(*unlike) is None


def test_a_short_answer_is_marked_however_little_it_shares() -> None:
    assert differences("Yes", "No") == Differences((Span(0, 3),), (Span(0, 2),))


def test_a_sentence_is_not_torn_at_every_comma() -> None:
    left = "We begin with bread, cheese, ham and then we leave for the long way home."
    right = "We begin with rice, beans, figs and then we leave for the long way home."
    found = differences(left, right)
    assert found is not None
    assert marked(left, found.left) == ["bread, cheese, ham"]
    assert marked(right, found.right) == ["rice, beans, figs"]


def test_a_sentence_that_was_put_in_is_marked_with_its_own_end() -> None:
    for left, right, added in (
        ("We go home.", "We go home. We sleep well there.", ["We sleep well there."]),
        ("We sleep there.", "We go home. We sleep there.", ["We go home."]),
    ):
        found = differences(left, right)
        assert found is not None
        assert marked(right, found.right) == added
        assert found.left == ()


def test_words_without_spaces_emoji_and_accents_are_kept_whole() -> None:
    for left, right, what in (
        ("我喜欢红茶和牛奶", "我喜欢绿茶和牛奶", ["红"]),
        ("family 👨‍👩‍👧 here now", "family 👨‍👩‍👦 here now", ["👨‍👩‍👧"]),
        ("a cafe\u0301 by the sea", "a bar by the sea", ["cafe\u0301"]),
    ):
        found = differences(left, right)
        assert found is not None
        assert marked(left, found.left) == what


@each_seed(range(300))
def test_without_the_marked_words_both_sides_say_the_same(seed: int) -> None:
    rng = random.Random(seed)
    words = [rng.choice(("alpha", "beta", "gamma", "of", "a", "delta", "10")) for _ in range(rng.randrange(60))]
    other = list(words)
    for _ in range(rng.randrange(6)):
        at = rng.randrange(len(other) + 1)
        other[at : at + rng.randrange(4)] = rng.choices(("alpha", "zeta", "eta", "of"), k=rng.randrange(4))
    left, right = " ".join(words), rng.choice((" ", "\n", "  ")).join(other)
    found = differences(left, right)
    if found is None:
        return
    assert without(left, found.left) == without(right, found.right)
    for text, spans in ((left, found.left), (right, found.right)):
        places = [place for one in spans for place in one]
        assert places == sorted(places)
        assert all(text[one.start : one.end].strip() == text[one.start : one.end] != "" for one in spans)


def test_a_long_text_is_compared_by_lines_and_a_longer_one_not_at_all() -> None:
    lines = [f"line {number} of a long report" for number in range(2_000)]
    left, right = "\n".join(lines), "\n".join([*lines[:500], "a new line", *lines[500:]])
    assert len(left) > word_differences.MOST_OF_WORDS
    found = differences(left, right)
    assert found is not None
    assert (marked(left, found.left), marked(right, found.right)) == ([], ["a new line"])
    assert differences("x\n" * 2_200_000, "y\n" * 2_200_000) is None
    assert differences("x\n" * 30_000, "y\n" * 30_000) is None


def test_the_work_is_bounded_whatever_the_texts_are() -> None:
    """Two texts of words that are all different, and two whose every word is alike but for its place."""
    counted = 0

    class Word(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal counted
            counted += 1
            return str.__eq__(self, other)

    rng = random.Random(1)
    for texts, most in (
        (([f"l{n}" for n in range(9_000)], [f"r{n}" for n in range(9_000)]), 9),
        ((rng.choices("abcd", k=9_000), rng.choices("abcd", k=9_000)), word_differences.MOST_EDITS**2 + 9_000 * 4),
    ):
        ours, theirs = ([Word(one) for one in text] for text in texts)
        counted = 0
        assert word_differences._matches(ours, theirs) is None
        assert counted < most


def test_marked_words_are_told_to_a_screen_reader() -> None:
    text = "one two three four"
    spans = (Span(0, 3), Span(4, 7), Span(8, 13))
    assert marked_words(text, spans, 2, str.upper) == "“ONE”, “TWO”, and 1 more"
    assert marked_words(text, spans[:1], 2, str) == "“one”"

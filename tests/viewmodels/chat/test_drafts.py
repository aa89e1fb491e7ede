"""What stands in the composer of each conversation."""

from __future__ import annotations

import random

from app.protocol.chat import Attachment
from app.viewmodels.chat.drafts import Draft, Drafts


def test_each_conversation_has_its_own_words() -> None:
    drafts = Drafts()
    drafts.write("a", "one")
    drafts.write("b", "two")
    assert (drafts.of("a").text, drafts.of("b").text, drafts.of("c")) == ("one", "two", Draft())


def test_an_edit_puts_the_words_aside_until_it_ends() -> None:
    drafts = Drafts()
    drafts.write("a", "a draft")
    drafts.edit("a", "m1", "First")
    drafts.write("a", "First, changed")
    drafts.edit("a", "m2", "Second")
    assert drafts.of("a") == Draft("Second", "m2", "a draft\nFirst, changed")
    drafts.edit("a", "m3", "Third", is_changed=False)
    drafts.cancel_edit("a")
    assert drafts.of("a") == Draft("a draft\nFirst, changed")
    drafts.edit("a", "m1", "First")
    assert drafts.take("a").editing == "m1"
    assert drafts.of("a") == Draft("a draft\nFirst, changed")


def test_words_wait_in_line_in_the_order_they_were_sent() -> None:
    drafts = Drafts()
    for name in "abc":
        drafts.write(name, name)
    drafts.send("b")
    drafts.send("a")
    assert drafts.sent[0] == "b"
    drafts.write("b", "b")
    assert drafts.sent[0] == "b"
    drafts.write("b", "b, longer")
    assert drafts.sent[0] == "a"
    drafts.send("b")
    drafts.hold("b")
    assert drafts.sent[0] == "a"
    assert drafts.take("a").text == "a"
    assert not drafts.sent


def test_words_that_come_back_stand_before_what_was_typed_since() -> None:
    drafts = Drafts()
    drafts.write("a", "typed since")
    drafts.give_back("a", "came back", None)
    assert drafts.of("a").text == "came back\ntyped since"
    drafts.write("b", "typed since")
    drafts.give_back("b", "an edit", "m1")
    assert drafts.of("b") == Draft("an edit", "m1", "typed since")
    drafts.give_back("c", "came back", None)
    assert drafts.of("c").text == "came back"


def test_words_that_come_back_take_no_others_away() -> None:
    """Whatever was being written, and whatever an edit has put aside for it."""
    rng = random.Random(7)
    for number in range(300):
        drafts, there = Drafts(), set()
        attached: list[str] = []
        for place in range(rng.randint(1, 6)):
            words = f"<{number}.{place}>"
            what = rng.choice(["write", "edit", "back", "back an edit", "restore"])
            before = drafts.of("a")
            if what == "write":
                drafts.write("a", before.text + words)
            elif what == "edit" and before.editing is None:
                drafts.edit("a", "m1", words)
            elif what == "restore":
                drafts.restore("a", Draft(words, rng.choice([None, "m2"])))
            else:
                drafts.give_back("a", words, "m3" if what == "back an edit" else None)
            there.add(words)
            if rng.random() < 0.4:
                drafts.attach("a", Attachment(words, "text", ""))
                attached.append(words)
            left = drafts.of("a")
            assert sorted(one.name for one in left.attachments + left.attachments_aside) == sorted(attached)
            kept = drafts.of("a").text + drafts.of("a").aside
            assert all(kept.count(one) == 1 for one in there), (number, what, before, drafts.of("a"))


def test_what_is_attached_goes_where_its_words_go() -> None:
    drafts, one, two = Drafts(), Attachment("1.txt", "text", ""), Attachment("2.txt", "text", "")
    drafts.write("a", "a draft")
    drafts.attach("a", one)
    drafts.edit("a", "m1", "First", attachments=(two,))
    assert drafts.of("a") == Draft("First", "m1", "a draft", attachments=(two,), attachments_aside=(one,))
    drafts.send("a")
    drafts.detach("a", 0)
    assert drafts.sent == ()
    assert drafts.take("a").attachments == ()
    assert drafts.of("a") == Draft("a draft", attachments=(one,))
    drafts.edit("a", "m1", "First", attachments=(two,))
    drafts.cancel_edit("a")
    assert drafts.of("a") == Draft("a draft", attachments=(one,))
    drafts.give_back("a", "back", None, (two,))
    assert drafts.of("a") == Draft("back\na draft", attachments=(two, one))
    drafts.give_back("a", "edit", "m1", (one,))
    assert drafts.of("a") == Draft("edit", "m1", "back\na draft", attachments=(one,), attachments_aside=(two, one))

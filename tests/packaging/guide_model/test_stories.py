"""Stories are about what was asked, and hardly two are alike."""

from __future__ import annotations

from random import Random

import pytest
from guide_model import stories


@pytest.mark.parametrize("subject", stories.MAIN_SUBJECTS)
def test_a_story_is_about_its_subject(subject: str) -> None:
    story = stories.tell(Random(2), subject, "Rufus")
    assert subject in story.text
    assert "Rufus" in story.text
    assert 4 <= story.text.count(".") <= 6


def test_stories_differ() -> None:
    rng = Random(3)
    assert len({stories.tell(rng, "fox", "Rufus").text for _ in range(500)}) > 495


def test_a_request_names_the_subject() -> None:
    rng = Random(4)
    assert all("owl" in stories.request(rng, "owl") for _ in range(50))


@pytest.mark.parametrize(("noun", "spoken"), [("owl", "an owl"), ("fox", "a fox"), ("unicorn", "a unicorn")])
def test_articles(noun: str, spoken: str) -> None:
    assert stories.with_article(noun) == spoken

"""Markdown that keeps its own structure, whatever stands in the messages; looked at with a parser of CommonMark."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from app.conversation.message import Conversation, Message
from app.conversation.records import Document
from app.exchange import markdown_of_path, markdown_of_tree, read_any
from app.protocol.chat import Attachment
from tests.exchange.samples import NASTY, forked, packed, random_document
from tests.seeds import chosen, each_seed


def outer(markdown: str) -> list[str]:
    """The headings and the kinds of everything outside of the quotes; raw HTML is refused anywhere."""
    found: list[str] = []
    tokens = MarkdownIt("commonmark").parse(markdown)
    for place, token in enumerate(tokens):
        raw = [child for child in token.children or () if child.type == "html_inline"]
        assert token.type != "html_block", token.content
        assert not raw, [child.content for child in raw]
        if token.level == 0 and token.nesting >= 0:
            is_heading = token.type == "heading_open"
            found.append(f"{token.markup} {tokens[place + 1].content}" if is_heading else token.type)
    return found


def test_the_parser_finds_raw_html() -> None:
    for markdown in ("> a <b>", "> <!-- a", "# <i>"):
        with pytest.raises(AssertionError):
            outer(markdown)


def conversation_of(*texts: str) -> Document:
    conversation = Conversation.new("Pears")
    messages: list[Message] = []
    for number, text in enumerate(texts):
        parent = messages[-1].id if messages else None
        messages.append(Message.new(conversation.id, parent, "assistant" if number % 2 else "user", text))
    return Document(conversation, tuple(messages))


def test_a_path_is_read_from_top_to_bottom() -> None:
    document = read_any("x", packed(forked())).documents[0]
    assert markdown_of_path(document) == ("# Pears\n\n## You\n\n> Which pears keep?\n\n## oak-1\n\n> Winter pears.\n")
    last = next(message.id for message in document.messages if message.text == "Until March.")
    assert outer(markdown_of_path(document, last)) == [
        "# Pears",
        *("## You", "blockquote_open", "## oak-2", "blockquote_open"),
        *("## You", "blockquote_open", "## Answer", "blockquote_open"),
    ]
    with pytest.raises(LookupError):
        markdown_of_path(document, "0" * 32)


def test_what_is_attached_stands_in_a_fence_before_the_words() -> None:
    conversation = Conversation.new("Pears")
    attached = Attachment("notes.md", "markdown", "# Pears\n```\n<b>")
    question = Message.new(conversation.id, None, "user", "Which?", attachments=(attached,))
    text = markdown_of_path(Document(conversation, (question,), (), question.id))
    assert "> notes.md\n> ````\n> # Pears\n> ```\n> <b>\n> ````\n>\n> Which?" in text


def test_a_tree_tells_its_forks() -> None:
    document = read_any("x", packed(forked())).documents[0]
    messages = tuple(
        replace(message, name="Two *kinds*", is_pinned=True) if message.text == "Hard ones." else message
        for message in document.messages
    )
    assert markdown_of_tree(replace(document, messages=messages)) == (
        "# Pears\n\n*5\u00a0messages on 2\u00a0paths.*\n\n"
        "## Branch 1\n\n### 1 · You\n\n> Which pears keep?\n\n"
        "**A fork:** 2 branches follow.\n\n- Branch 2: “Hard ones.”\n- Branch 3: “Winter pears.”\n\n"
        "## Branch 2, after message 1: Two \\*kinds\\*\n\n### 2 · oak-2 (pinned)\n\n> Hard ones.\n\n"
        "### 3 · You\n\n> How long?\n\n### 4 · Answer\n\n> Until March.\n\n"
        "## Branch 3, after message 1\n\n### 5 · oak-1\n\n> Winter pears.\n"
    )


def test_several_beginnings_are_a_fork_and_nothing_is_said_to_be_nothing() -> None:
    conversation = Conversation.new()
    first, second = (Message.new(conversation.id, None, "user", text) for text in ("A", "B"))
    answer = Message.new(conversation.id, second.id, "assistant", model_name="Oak <b>")
    markdown = markdown_of_tree(Document(conversation, (first, second, answer)))
    assert outer(markdown) == [
        *("# Conversation", "paragraph_open", "paragraph_open", "bullet_list_open"),
        *("## Branch 1", "### 1 · You", "blockquote_open", "## Branch 2", "### 2 · You", "blockquote_open"),
        *("### 3 · Oak \\<b\\> (not finished)", "paragraph_open"),
    ]
    assert markdown.endswith("*Nothing was said.*\n")
    assert markdown_of_path(Document(conversation)) == "# Conversation\n"
    assert markdown_of_tree(Document(conversation)) == "# Conversation\n\n*0\u00a0messages on 0\u00a0paths.*\n"


@pytest.mark.parametrize("text", NASTY)
def test_no_text_breaks_out_of_its_quote(text: str) -> None:
    body = "paragraph_open" if text == " " else "blockquote_open"
    assert outer(markdown_of_path(conversation_of(text, text, "end"))) == [
        "# Pears",
        *("## You", body, "## Answer (not finished)", body, "## You", "blockquote_open"),
    ]


PIECES = [
    *(
        "```",
        "~~~",
        "````",
        "`",
        "``",
        "    ",
        "  ",
        "\n",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "2. ",
        "10) ",
        "-\n",
        "   ",
        "> ",
        "# ",
    ),
    *(
        "<b>",
        "</blockquote>",
        "<!--",
        "-->",
        "\\",
        "word ",
        "<https://pears.example>",
        "<https://p`q>",
        "<?x",
        "<![CDATA[",
    ),
    *(
        "---\n",
        "***\n",
        "===\n",
        "|",
        "|-|-|\n",
        "a|b\n",
        "[a]: b\n",
        "[a]: <j> '`\n",
        "\t",
        "\t",
        "```html\n",
        "~~~ x|\n",
    ),
    *("\u00a0", "\f", "\v", "\u2028", "\x1c", "\x85", "&lt;b>", "&#60;b>", "[x](javascript:a)", "[x](<javascript:a>)"),
    *(
        "[x](&#106;avascript:a)",
        "[r]:\n",
        "[r]: javascript:b\n",
        "[r]",
        "<javascript:a>",
        "[x](data:text/html,a)",
        "[x](\n",
    ),
    *(
        "![i](javascript:a)",
        "<img src=x onerror=a>",
        "\r\n",
        "javascript:c",
        "java\tscript:c)",
        "\0",
        "<a href='",
        "'>",
    ),
    *("[x](  JaVaScript:c)", "[x](\\javascript:c)", "[x](https://ok.example)", "[a\nb]: javascript:z\n"),
]
_HARMLESS = re.compile(r"(https?://|mailto:).*|[A-Za-z0-9_./#-]*")


def reader(kind: str, html: bool = True) -> MarkdownIt:
    """A reader that hides nothing: every link is made, so that what it leads to can be looked at."""
    made = MarkdownIt(kind, {"html": html, "linkify": False})
    made.validateLink = lambda _address: True  # type: ignore[method-assign]
    return made


COMMONMARK, GFM, NO_HTML = reader("commonmark"), reader("gfm-like"), reader("commonmark", html=False)
NO_HTML.validateLink = lambda address: bool(_HARMLESS.fullmatch(address))  # type: ignore[method-assign]


def random_text(rng: random.Random) -> str:
    pool = rng.sample(PIECES, rng.randint(4, 14)) if rng.random() < 0.7 else PIECES
    return "x" + "".join(rng.choice(pool) for _ in range(rng.randint(1, 30)))


def dangers(markdown: str, parser: MarkdownIt) -> list[str]:
    """Raw HTML, and links to what is no page."""
    found: list[str] = []
    for token in parser.parse(markdown):
        for one in (token, *(token.children or ())):
            if one.type in ("html_block", "html_inline"):
                found.append(one.content)
            address = str(one.attrs.get("href") or one.attrs.get("src") or "")
            if re.match(r"[a-z][a-z0-9+.-]*:(?<!http:)(?<!https:)(?<!mailto:)", address.lower()):
                found.append(address)
    return found


def test_no_random_text_brings_html_or_script_or_leaves_its_quote() -> None:
    for seed in chosen(range(1500)):
        text = random_text(random.Random(seed))
        markdown = markdown_of_path(conversation_of(text, "end"))
        for parser in (COMMONMARK, GFM):
            assert not dangers(markdown, parser), f"seed {seed}: {text!r}"
        ended = ["# Pears", "## You", "blockquote_open", "## Answer (not finished)", "blockquote_open"]
        assert outer(markdown) == ended, f"seed {seed}: {text!r}"


def test_the_structure_of_a_text_is_read_as_it_was_written() -> None:
    """The quote has what a reader makes of the text where it shows HTML as words; backslashes may stand in code."""
    differing = []
    for seed in chosen(range(1500)):
        text = random_text(random.Random(seed)).replace("p`q", "pq")
        shown = COMMONMARK.render(markdown_of_path(conversation_of(text)).split("\n\n", 2)[2])
        text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        wanted = f"<blockquote>\n{NO_HTML.render(text + chr(10))}</blockquote>\n"
        if _without_doubt(shown) != _without_doubt(wanted):
            differing.append(seed)
    assert len(differing) < 75, differing  # the columns of a tab, and what else is in doubt


def _without_doubt(html: str) -> str:
    return re.sub(r"language-[^\">]*", "", html.replace("\\", ""))


def test_ordinary_code_in_lists_stays_as_it_was() -> None:
    rng = random.Random(1)
    for _ in range(300):
        lines: list[str] = []
        for number in range(rng.randint(1, 4)):
            mark = rng.choice(["- ", "* ", f"{number + 1}. "])
            space = " " * len(mark)
            code = [f"{space}{line}".rstrip() for line in ("```html", "<div>", "", "  <b>[a](javascript:b)</b>", "```")]
            lines += [f"{mark}Do this:", *([""] if rng.random() < 0.5 else []), *code, ""]
        text = "\n".join(lines).strip("\n")
        quoted = markdown_of_path(conversation_of(text)).split("\n\n", 2)[2]
        assert re.sub(r"(?m)^> ?", "", quoted).rstrip("\n") == text


@pytest.mark.parametrize(
    "text",
    [
        "Use `<b>` and ``a ` <i>``.",
        "```html\n<div>\n```\nafter",
        "1. A list\n\n   ```html\n   <div>\n   ```\n\n2. Two",
        "- A list\n  - inner\n\n    ~~~\n    <!-- -->\n    ~~~",
        "See <https://pears.example/a>.",
        "a < b and 3<4, x <- y",
    ],
)
def test_code_and_sums_stay_as_they_were(text: str) -> None:
    quoted = markdown_of_path(conversation_of(text)).split("\n\n", 2)[2]
    assert re.sub(r"(?m)^> ?", "", quoted).rstrip("\n") == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<b>bold</b>", r"> \<b>bold\</b>"),
        ("a <!-- b", r"> a \<!-- b"),
        (r"\<b>", r"> \<b>"),
        (r"\\<b>", r"> \\\<b>"),
        (r"\`<b>`", r"> \`\<b>`"),
        ("`open <b>", r"> `open \<b>"),
        ("`a\nb` <i> `c`", r"> b` \<i> `c`"),
        ("> ```\n<div>", r"> \<div>"),
        ("- ```\n\n<div>", r"> \<div>"),
        ("- a\n  ```\n<div>\n```\n<p>", r"> \<div>"),
        ("- a\nb\n  ```\n<div>", r"> \<div>"),
        ("2. a\n   ```\n<div>", r"> \<div>"),
        ("\f```\n<div>", r"> \<div>"),
        ("\u00a0```\n<div>", r"> \<div>"),
        ("[a](javascript:b)", r"> [a]\(javascript:b)"),
        ("[a]( <&#106;avascript:b>)", r"> [a]\( <&#106;avascript:b>)"),
        ("[a]:\njavascript:b", r"> [a]\:"),
        ("<javascript:a>", r"> \<javascript:a>"),
        ("`|` `a|<b>`\n-|-", r"> `|` `a|\<b>`"),
        ("~~~ |\n\t---", "> ~~~  "),
    ],
)
def test_tags_are_shown_and_not_obeyed(text: str, line: str) -> None:
    markdown = markdown_of_path(conversation_of(text))
    assert line in markdown.split("\n")
    outer(markdown)


@each_seed(range(20))
def test_every_message_of_a_tree_stands_in_it_once(seed: int) -> None:
    document = random_document(seed)
    headings = [line for line in outer(markdown_of_tree(document)) if line.startswith("###")]
    assert [line.split()[1] for line in headings] == [str(number + 1) for number in range(len(document.messages))]


def test_a_deep_tree_and_a_long_line_take_no_recursion() -> None:
    conversation = Conversation.new("Long")
    messages: list[Message] = [Message.new(conversation.id, None, "user", "0")]
    for number in range(3000):
        parent = messages[-2 if number % 2 and number > 1 else -1]
        messages.append(Message.new(conversation.id, parent.id, "user", str(number)))
    assert markdown_of_tree(Document(conversation, tuple(messages))).count("\n### ") == 3001
    line = "".join("`" * number + " <b>" for number in range(1, 1000))
    assert markdown_of_path(conversation_of(line)).count(r"\<b>") == 999


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece", ["- ", "-", "1. ", "> ", "`", "```\n", "\\", "<", "](", "]:", "<https://", "|", "- \n", "\t"]
)
def test_no_long_text_takes_long(piece: str) -> None:
    """Quadratic in these would be minutes."""
    text = piece * 100_000 + "x <b>"
    assert len(markdown_of_path(conversation_of(text))) < 4 * len(text) + 1000


def test_instructions_stand_before_the_question_from_which_they_hold() -> None:
    conversation = Conversation.new("Pears")
    first = Message.new(conversation.id, None, "user", "Which keep?", instructions="Be *brief*.\n# Really")
    second = Message.new(conversation.id, first.id, "user", "And why?", instructions="")
    text = markdown_of_path(Document(conversation, (first, second), (), second.id))
    told = text.index("*Instructions from here on:*")
    assert told < text.index("> Be *brief*.") < text.index("Which keep?")
    assert text.index("Which keep?") < text.index("*Without instructions from here on.*") < text.index("And why?")


def test_a_thought_stands_in_a_quote_of_its_own_before_its_answer() -> None:
    document = conversation_of("Which pears?", "Late ones.")
    *before, answer = document.messages
    thought = replace(document, messages=(*before, replace(answer, thinking="# So\n</details>")))
    around = ["paragraph_open", "blockquote_open"] * 2
    assert outer(markdown_of_path(thought)) == [*outer(markdown_of_path(document))[:-1], *around]
    assert "*Thought:*\n\n> # So\n" in markdown_of_path(thought)
    assert markdown_of_path(thought).endswith("*Answer:*\n\n> Late ones.\n")

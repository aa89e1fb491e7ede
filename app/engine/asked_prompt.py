"""The prompt that a command asks for: of turns, of a text, or of token ids as they are."""

from __future__ import annotations

from collections.abc import Sequence

from app.engine.open_model import OpenModel
from app.prompting.codec import Codec
from app.prompting.length import AT_ONCE, MARGIN
from app.prompting.problems import RequestError, TooLongError
from app.prompting.prompt import Prompt
from app.prompting.steps import Steps
from app.protocol.chat import Turn
from app.protocol.commands import LONGEST_TEXT, Generate, Tokenize
from app.protocol.figures import number


def read_prompt(command: Generate | Tokenize, open_model: OpenModel) -> Steps[Prompt]:
    """Read the prompt of a command. What no conversation has is not kept. Raises RequestError where there is none."""
    ids = command.ids if isinstance(command, Generate) else ()
    if sum(map(bool, (ids, command.text, command.turns))) > 1:
        raise RequestError("These are several prompts at once", "Send a conversation, a text, or token ids.")
    prompts = open_model.model.prompts
    if command.text:
        if len(command.text) > LONGEST_TEXT:
            raise RequestError("The prompt is too long", f"It may have {number(LONGEST_TEXT)} characters.")
        open_model.step_memory.require_room_to_read([Turn("user", command.text)])
        ids = yield from _read_text(command.text, prompts.codec, open_model.model.context_length)
    if ids:
        prompts.require_known(ids)
        return _without_turns(ids)
    is_guest = isinstance(command, Tokenize) or command.is_guest
    return (yield from open_model.read(command.turns, command.options, is_kept=not is_guest))


def _read_text(text: str, codec: Codec, context: int) -> Steps[tuple[int, ...]]:
    """Read a text. One that is far too long is refused before it is read as a whole, which is one step."""
    counted = 0
    for at in range(0, len(text) if len(text) > MARGIN * context else 0, AT_ONCE):
        counted += len(codec.whole(text[at : at + AT_ONCE]))
        if counted > MARGIN * context:
            raise TooLongError(context)
        yield
    return codec.whole(text)


def _without_turns(ids: Sequence[int]) -> Prompt:
    """Return a prompt that nothing is known of but its tokens. The same one may be asked again."""
    return Prompt(tuple(ids), (len(ids) - 1,) if len(ids) > 1 else (), (), ())

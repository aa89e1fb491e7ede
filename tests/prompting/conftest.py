"""The engines and model folders of the engine's tests, for those of prompts that are seen through a whole engine."""

from tests.engine.conftest import (  # noqa: F401
    _engines_are_dropped,
    guide,
    mixed,
    mixed_folder,
    tiny,
    tiny_folder,
)

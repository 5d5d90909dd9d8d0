"""Every error the engine raises, as one tree. Each message carries the offending value and a way out.

EngineError
├── InvalidPolicy        ratios, limits or shares that can't work
├── InvalidInput         an event, revision or profile the engine can't take
├── UnknownWindow        the model's window is not known and nobody said it
└── UnknownTokenizer     no vocabulary for that name
"""

from __future__ import annotations


class EngineError(Exception):
    """Base of the engine's errors."""


class InvalidPolicy(EngineError):
    """A policy whose figures contradict each other."""


class InvalidInput(EngineError):
    """An input that has not the shape its type promises."""


class UnknownWindow(EngineError):
    """The model's context window is unknown; the engine never guesses one."""


class UnknownTokenizer(EngineError):
    """No vocabulary is carried for that tokenizer."""

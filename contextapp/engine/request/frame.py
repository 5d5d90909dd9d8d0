"""Tokens that a request costs besides its texts: role marks, separators, call frames. Figures of the public Chat format.

Providers publish no exact rule for calls and tools; what these figures miss, the calibrated factor of the model carries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contextapp.engine.request.neutral import Block

ANSWER_TOKENS = 3  # every answer is primed with its role
MESSAGE_TOKENS = 4  # start, role, separator, end
CALL_TOKENS = 6  # id, type and braces of one call
TOOLS_TOKENS = 12  # once, where any tool is listed
JOIN_TOKENS = 1  # the blank line between joined blocks


def joined(blocks: Sequence[Block]) -> list[list[Block]]:
    """Blocks that share one message: neighbouring system blocks, and the neighbouring parts of the trailing block."""
    groups: list[list[Block]] = []
    for block in blocks:
        if block.tools:
            continue
        if groups and _shares(groups[-1][-1], block):
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _shares(before: Block, block: Block) -> bool:
    if before.role != block.role:
        return False
    return block.role == "system" or before.part == block.part == "trailing"


def frame_tokens(blocks: Sequence[Block]) -> int:
    """The overhead of the request as a whole."""
    messages = joined(blocks)
    joins = sum(len(group) - 1 for group in messages)
    tools = TOOLS_TOKENS if any(block.tools for block in blocks) else 0
    return ANSWER_TOKENS + tools + len(messages) * MESSAGE_TOKENS + joins * JOIN_TOKENS + _calls(blocks) * CALL_TOKENS


def message_frame(call_count: int) -> int:
    """The overhead of one transcript message that stands alone."""
    return MESSAGE_TOKENS + call_count * CALL_TOKENS


def _calls(blocks: Iterable[Block]) -> int:
    return sum(len(block.calls) for block in blocks)

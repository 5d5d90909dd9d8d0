"""Closing an account from the command line, and opening it again."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from contextapp.accounts.models import AuditEntry, User
from tests.world import World


def test_an_account_is_closed_and_opened_and_both_are_audited(world: World) -> None:
    call_command("account", "bob", "--close", stdout=StringIO())
    assert not User.objects.get(username="bob").is_active

    call_command("account", "bob", "--open", stdout=StringIO())

    assert User.objects.get(username="bob").is_active
    actions = AuditEntry.objects.filter(target="user:bob", actor="command:account").order_by("n")
    assert list(actions.values_list("action", flat=True)) == ["user.disabled", "user.enabled"]


def test_a_name_that_nobody_has_is_told(world: World) -> None:
    with pytest.raises(CommandError, match="'eve'; there are: alice, bob, charlie"):
        call_command("account", "eve", "--close")

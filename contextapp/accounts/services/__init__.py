"""Who gets in and what is written about what they did. Every change leaves an audit entry in the same transaction."""

from __future__ import annotations

from contextapp.accounts.errors import LoginLinkRefused
from contextapp.accounts.services.administrator import ADMINISTRATOR, DEFAULT_PROJECT, ensure_administrator
from contextapp.accounts.services.audit import AuditVerification, note_read, record, verify_audit, verify_audits
from contextapp.accounts.services.invitations import accept_invitation, create_invitation, revoke_invitation
from contextapp.accounts.services.keys import create_api_key, note_key_use, revoke_api_key, rotate_api_key
from contextapp.accounts.services.links import create_login_link, use_login_link
from contextapp.accounts.services.members import add_member, remove_member
from contextapp.accounts.services.people import (
    actor_name,
    change_password,
    disable_user,
    enable_user,
    note_lockout,
    note_login,
)
from contextapp.accounts.services.projects import change_settings, create_project, settings_state
from contextapp.accounts.services.usage import Reached, admit_request, note_events, note_refusal

__all__ = [
    "ADMINISTRATOR",
    "DEFAULT_PROJECT",
    "AuditVerification",
    "LoginLinkRefused",
    "Reached",
    "accept_invitation",
    "actor_name",
    "add_member",
    "admit_request",
    "change_password",
    "change_settings",
    "create_api_key",
    "create_invitation",
    "create_login_link",
    "create_project",
    "disable_user",
    "enable_user",
    "ensure_administrator",
    "note_events",
    "note_key_use",
    "note_lockout",
    "note_login",
    "note_read",
    "note_refusal",
    "record",
    "remove_member",
    "revoke_api_key",
    "revoke_invitation",
    "rotate_api_key",
    "settings_state",
    "use_login_link",
    "verify_audit",
    "verify_audits",
]

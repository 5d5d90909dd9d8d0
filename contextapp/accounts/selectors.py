"""Who a person or key is and which projects they reach. The only way for a door to get a project."""

from __future__ import annotations

import hmac
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

import psycopg
from django.db import connection
from django.db.models import Case, IntegerField, Max, Q, QuerySet, Sum, When
from django.utils import timezone

from contextapp.accounts import permissions
from contextapp.accounts.models import ApiKey, AuditEntry, Invitation, Membership, Project, Role, Scope, Usage, User

KEY_PREFIX = "ctx"
ROLES = tuple(Role.choices)  # for doors, which don't name models
SCOPES = tuple(Scope.choices)
_NOBODY = sha256(b"").digest()
_KEY_FIELDS = ApiKey._meta.concrete_fields
_KEY_COLUMNS = [field.attname for field in _KEY_FIELDS]
_KEY_NAMED = (
    f"SELECT {', '.join(f'k.{field.column}' for field in _KEY_FIELDS)}, "  # noqa: S608  the model's own columns
    "p.limit_events_per_minute, u.is_active FROM accounts_apikey k JOIN accounts_project p ON p.id = k.project_id "
    "LEFT JOIN accounts_user u ON u.id = k.created_by_id WHERE k.key_id = %s"
)


def digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def projects_of(user: User) -> QuerySet[Project]:
    """The projects a person is a member of; the administrator of the installation is a member of all."""
    if not user.is_active:
        return Project.objects.none()
    if user.is_superuser:
        return Project.objects.order_by("is_sample", "created_at")
    return Project.objects.filter(memberships__user=user).order_by("is_sample", "created_at")


def projects_where(user: User, action: str) -> QuerySet[Project]:
    """The projects in which the person may do it. As a subquery it costs no query of its own."""
    if user.is_superuser:
        return projects_of(user)
    roles = [role for role in Role.values if permissions.may(role, action)]
    return projects_of(user).filter(memberships__user=user, memberships__role__in=roles)


def project_for(user: User, slug: str) -> Project | None:
    return projects_of(user).filter(slug=slug).first()


def role_in(user: User, project: Project | UUID) -> str | None:
    """The role of the person in the project; None for a stranger."""
    if not user.is_active:
        return None
    if user.is_superuser:
        return Role.ADMIN
    project_id = project.id if isinstance(project, Project) else project
    return Membership.objects.filter(user=user, project_id=project_id).values_list("role", flat=True).first()


def key_for(header_value: str) -> ApiKey | None:
    """The live key of an Authorization or X-API-Key header. An unknown id takes as long as a wrong secret."""
    text = header_value.strip()
    if text[:7].lower() == "bearer ":
        text = text[7:].strip()
    prefix, _, rest = text.partition("_")
    key_id, _, secret = rest.partition("_")
    found = None
    if prefix == KEY_PREFIX and key_id.isascii() and key_id.isalnum() and len(key_id) <= 16:
        found = _key_named(key_id)
    is_right = hmac.compare_digest(bytes(found.secret_sha256) if found else _NOBODY, digest(secret))
    if found is None or not is_right or not _is_live(found):
        return None
    return found


def _key_named(key_id: str) -> ApiKey | None:
    """With its project's limit and its maker's standing. Each request asks this, so it is a statement that the server keeps
    prepared, and no query set."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        row = cursor.execute(_KEY_NAMED, (key_id,), binary=True).fetchone()
    if row is None:
        return None
    *columns, limit, is_active = row
    key = ApiKey.from_db(connection.alias, _KEY_COLUMNS, columns)
    key.project = Project.from_db(connection.alias, ["id", "limit_events_per_minute"], [key.project_id, limit])
    if key.created_by_id is not None:
        key.created_by = User.from_db(connection.alias, ["id", "is_active"], [key.created_by_id, is_active])
    return key


def api_keys_of(project: Project) -> QuerySet[ApiKey]:
    return ApiKey.objects.filter(project=project).order_by("-created_at")


def live_api_keys_of(project: Project) -> QuerySet[ApiKey]:
    not_expired = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return api_keys_of(project).filter(not_expired, revoked_at=None)


def live_key_count(project: Project, action: str) -> int:
    """How many keys may do it now."""
    keys = live_api_keys_of(project).select_related("created_by")
    return sum(1 for key in keys if _is_live(key) and permissions.key_may(key.scopes, action))


def _is_live(key: ApiKey) -> bool:
    if key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= timezone.now()):
        return False
    return key.created_by is None or key.created_by.is_active  # a disabled owner disables their keys


@dataclass(frozen=True, slots=True)
class KeyUsage:
    """What one key asked in the last day."""

    name: str
    key_id: str
    requests: int
    events: int
    refused: tuple[tuple[str, int], ...]  # (code of the problem, how often), the most frequent first
    busiest_events: int  # of one minute


def usage_of(project: Project) -> tuple[KeyUsage, ...]:
    """Keys that were used in the last day, the busiest first."""
    since = timezone.now() - timedelta(days=1)
    rows = (
        Usage.objects.filter(project=project, minute__gte=since)
        .values("key__name", "key__key_id")
        .annotate(Sum("requests"), Sum("events"), Max("events"))
        .order_by("-events__sum", "-requests__sum", "key__key_id")
    )
    refused: defaultdict[str, Counter[str]] = defaultdict(Counter)
    told = Usage.objects.filter(project=project, minute__gte=since).exclude(refused={})
    for key_id, codes in told.values_list("key__key_id", "refused"):
        refused[key_id].update(codes)
    return tuple(
        KeyUsage(
            row["key__name"],
            row["key__key_id"],
            row["requests__sum"],
            row["events__sum"],
            tuple(refused[row["key__key_id"]].most_common()),
            row["events__max"],
        )
        for row in rows
    )


def members_of(project: Project) -> QuerySet[Membership]:
    """Who is in, admins first."""
    order = Case(*(When(role=role, then=place) for place, role in enumerate(Role.values)), output_field=IntegerField())
    return Membership.objects.filter(project=project).select_related("user").order_by(order, "user__username")


def member_of(project: Project, user_id: int) -> Membership | None:
    return Membership.objects.filter(project=project, user_id=user_id).select_related("user").first()


def api_key_of(project: Project, key_id: str) -> ApiKey | None:
    return ApiKey.objects.filter(project=project, key_id=key_id).select_related("project").first()


def invitations_of(project: Project) -> QuerySet[Invitation]:
    """Those that can still be used."""
    unused = Invitation.objects.filter(project=project, accepted_at=None, revoked_at=None)
    return unused.filter(expires_at__gt=timezone.now()).select_related("created_by").order_by("-created_at")


def invitation_of(project: Project, invitation_id: UUID) -> Invitation | None:
    return Invitation.objects.filter(project=project, id=invitation_id).select_related("project").first()


def open_invitation(token: str) -> Invitation | None:
    """The invitation behind the token of a link, while it can be used."""
    found = Invitation.objects.filter(token_sha256=digest(token), accepted_at=None, revoked_at=None)
    return found.filter(expires_at__gt=timezone.now()).select_related("project", "created_by").first()


def projects_permitting(user: User, action: str) -> tuple[Project, ...]:
    """Those of a person's projects where their role permits the action."""
    if user.is_superuser and user.is_active:
        return tuple(projects_of(user))
    roles = dict(Membership.objects.filter(user=user).values_list("project_id", "role"))
    return tuple(project for project in projects_of(user) if permissions.may(roles.get(project.id), action))


@dataclass(frozen=True, slots=True)
class AuditFilters:
    """`actor` and `action` are beginnings: `user:` is every person, `api_key.` everything about keys."""

    actor: str = ""
    action: str = ""
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Newest first; how many match, how many there are, and below which number the next page begins."""

    entries: tuple[AuditEntry, ...]
    matching: int
    total: int
    next_before: int | None


def list_audit(project: Project, filters: AuditFilters, *, before: int | None = None, limit: int = 50) -> AuditPage:
    everything = AuditEntry.objects.filter(project=project)
    matching = everything
    if filters.actor:
        matching = matching.filter(actor__startswith=filters.actor)
    if filters.action:
        matching = matching.filter(action__startswith=filters.action)
    if filters.since is not None:
        matching = matching.filter(at__gte=filters.since)
    ordered = matching.order_by("-n")
    page = tuple((ordered if before is None else ordered.filter(n__lt=before))[: limit + 1])
    following = page[limit - 1].n if len(page) > limit else None
    return AuditPage(page[:limit], matching.count(), everything.count(), following)

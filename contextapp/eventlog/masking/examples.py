"""What each built-in rule finds, for people who read the list. Made up and cut, so that nothing here is a secret."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.eventlog.masking.rules import RULES

# Where a name alone says too little. Everything else is told by its name: vendor, then kind.
_SHOWN = {
    "private_key": "-----BEGIN RSA PRIVATE" + " KEY-----",
    "jwt": "ey….ey….…",
    "database_password": "postgresql://app:▮▮▮@db/app",
    "url_password": "https://build:▮▮▮@host/",
    "authorization_header": "Authorization: Bearer ▮▮▮",
    "bearer_token": "bearer ▮▮▮",
    "api_key_header": "X-API-Key: ▮▮▮",
    "aws_secret_key": "AWS_SECRET_ACCESS_KEY=▮▮▮",
    "azure_storage_key": "AccountKey=▮▮▮",
    "npm_auth_token": "_authToken=▮▮▮",
    "slack_webhook": "hooks.slack.com/services/▮▮▮",
    "discord_webhook": "discord.com/api/webhooks/1/▮▮▮",
}


@dataclass(frozen=True, slots=True)
class ExplainedRule:
    """`finds` is a shortened example, or the expression that leads to the secret."""

    name: str
    finds: str
    pattern: str


def explained_rules() -> tuple[ExplainedRule, ...]:
    return tuple(ExplainedRule(rule.name, _SHOWN.get(rule.name, rule.hint), rule.secret) for rule in RULES)

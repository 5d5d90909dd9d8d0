"""What a secret looks like: prefixes and shapes that hardly anything else has. Guesses nothing from entropy.

`before` must stand in front and is kept; `secret` is replaced. `hint` finds the rule in JSON text, where quotes, line
breaks and backslashes are escaped: it may find too much, never too little. Hints are short, which keeps the scan fast.
"""

from __future__ import annotations

from dataclasses import dataclass

_START = r"(?:\b|\\[nrt])"  # also after an escape inside JSON that is quoted in a string
_SCHEMES = r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse)(?:\+[a-z0-9]+)?"
_PASSWORD = r"[^\s/@\"'<>{}$*]{3,}"


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    secret: str
    hint: str
    before: str = _START
    after: str = ""

    @property
    def pattern(self) -> str:
        return f"{self.before}({self.secret}){self.after}"  # the only group of the rule


RULES: tuple[Rule, ...] = (
    Rule(
        "private_key",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[A-Za-z0-9+/=\s\\:,.|>\"'\x80-\xff-]*?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:\s|\\[nr])*[A-Za-z0-9+/=\s\\]{40,})",
        before="",
        hint=r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY",
    ),
    Rule("age_secret_key", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", hint=r"AGE-SECRET-KEY-1"),
    Rule("anthropic_key", r"sk-ant-[a-z0-9]{2,10}-[A-Za-z0-9_-]{20,}", hint=r"sk-ant-[a-z0-9]"),
    Rule(
        "openai_key",
        r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}",
        hint=r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{4}",
    ),
    Rule(
        "openai_legacy_key",
        r"sk-(?:[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48})",
        after=r"\b",
        hint=r"sk-[A-Za-z0-9]{20}",
    ),
    Rule("openrouter_key", r"sk-or-v1-[a-f0-9]{64}", hint=r"sk-or-v1-"),
    Rule(
        "aws_access_key",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
        after=r"\b",
        hint=r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{4}",
    ),
    Rule(
        "aws_secret_key",
        r"[A-Za-z0-9/+]{40}",
        before=r"(?i:aws_?secret_?(?:access_?)?key|secretaccesskey)[\"'\s:=\\>]{1,10}",
        after=r"(?:[^A-Za-z0-9/+=]|$)",
        hint=r"(?i:aws_?secret_?(?:access_?)?key|secretaccesskey)",
    ),
    Rule("github_token", r"gh[pousr]_[A-Za-z0-9]{36,255}", hint=r"gh[pousr]_[A-Za-z0-9]{8}"),
    Rule("github_fine_grained_token", r"github_pat_[A-Za-z0-9_]{50,255}", hint=r"github_pat_"),
    Rule(
        "gitlab_token",
        r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|agent|imt)-[A-Za-z0-9_.-]{20,}",
        hint=r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|agent|imt)-[A-Za-z0-9_.-]{8}",
    ),
    Rule("slack_token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}", hint=r"xox[abeoprs]-"),
    Rule("slack_app_token", r"xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]+", hint=r"xapp-[0-9]"),
    Rule(
        "slack_webhook",
        r"[A-Za-z0-9+/]{40,60}",
        before=r"hooks\.slack\.com/(?:services|workflows|triggers)/",
        hint=r"hooks\.slack\.com",
    ),
    Rule("stripe_key", r"(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{16,}", hint=r"[sr]k_(?:live|test|prod)_"),
    Rule("stripe_webhook_secret", r"whsec_[A-Za-z0-9+/]{32,}={0,2}", hint=r"whsec_[A-Za-z0-9]"),
    Rule("google_api_key", r"AIza[A-Za-z0-9_-]{35}", hint=r"AIza[A-Za-z0-9_-]{4}"),
    Rule("google_oauth_secret", r"GOCSPX-[A-Za-z0-9_-]{28}", hint=r"GOCSPX-"),
    Rule("google_oauth_token", r"ya29\.[A-Za-z0-9_-]{20,}", hint=r"ya29\."),
    Rule("jwt", r"ey[A-Za-z0-9_-]{17,}\.ey[A-Za-z0-9_-]{17,}\.[A-Za-z0-9_-]{10,}", hint=r"\.ey[A-Za-z0-9_-]{8}"),
    Rule("npm_token", r"npm_[A-Za-z0-9]{36}", after=r"\b", hint=r"npm_[A-Za-z0-9]{20}"),
    Rule("npm_auth_token", r"[^\s\"'$]{20,}", before=r"_authToken\s?=\s?", hint=r"_authToken"),
    Rule("pypi_token", r"pypi-AgEI[A-Za-z0-9_-]{50,}", hint=r"pypi-AgEI"),
    Rule("sendgrid_key", r"SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}", hint=r"SG\.[A-Za-z0-9_-]{8}"),
    Rule("twilio_key", r"SK[0-9a-f]{32}", after=r"\b", hint=r"SK[0-9a-f]{8}"),
    Rule("mailgun_key", r"key-[0-9a-f]{32}", after=r"\b", hint=r"key-[0-9a-f]{8}"),
    Rule("mailchimp_key", r"[0-9a-f]{32}-us[0-9]{1,2}", after=r"\b", hint=r"[0-9a-f]{8}-us[0-9]"),
    Rule("telegram_token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,33}", hint=r"[0-9]:AA[A-Za-z0-9_-]{8}"),
    Rule(
        "discord_webhook",
        r"[A-Za-z0-9_-]{60,}",
        before=r"discord(?:app)?\.com/api/webhooks/[0-9]+/",
        hint=r"api/webhooks/[0-9]",
    ),
    Rule("azure_storage_key", r"[A-Za-z0-9+/]{86}==", before=r"AccountKey\s?=\s?", hint=r"AccountKey"),
    Rule("azure_client_secret", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", hint=r"[0-9]Q~"),
    Rule("huggingface_token", r"hf_[A-Za-z0-9]{34}", after=r"\b", hint=r"hf_[A-Za-z0-9]{20}"),
    Rule("digitalocean_token", r"do[opr]_v1_[a-f0-9]{64}", hint=r"do[opr]_v1_"),
    Rule("shopify_token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", hint=r"shp(?:at|ca|pa|ss)_"),
    Rule("databricks_token", r"dapi[a-f0-9]{32}(?:-[0-9])?", after=r"\b", hint=r"dapi[a-f0-9]{8}"),
    Rule("vault_token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}", hint=r"hv[sbr]\.[A-Za-z0-9_-]{8}"),
    Rule("terraform_token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}", hint=r"\.atlasv1\."),
    Rule("linear_key", r"lin_api_[A-Za-z0-9]{40}", hint=r"lin_api_"),
    Rule("atlassian_token", r"ATATT3[A-Za-z0-9_=-]{100,}", hint=r"ATATT3"),
    Rule("grafana_token", r"gl(?:c|sa)_[A-Za-z0-9+/_]{32,}={0,2}", hint=r"gl(?:c|sa)_[A-Za-z0-9+/_]{8}"),
    Rule("sentry_token", r"sntry[su]_[A-Za-z0-9+/=_-]{50,}", hint=r"sntry[su]_"),
    Rule("groq_key", r"gsk_[A-Za-z0-9]{52}", hint=r"gsk_[A-Za-z0-9]{8}"),
    Rule("contextapp_key", r"ctx_[a-z0-9]{8,16}_[A-Za-z0-9_-]{43}", hint=r"ctx_[a-z0-9]{8}"),
    Rule(
        "database_password",
        _PASSWORD,
        before=_START + _SCHEMES + r"://[^\s:/@\"']*:",
        after="@",
        hint=_SCHEMES + r"://",
    ),
    Rule(
        "url_password",
        r"[^\s/@\"'<>{}$*]{8,}",
        before=_START + r"https?://[^\s:/@\"'<>{}$]+:",
        after="@",
        hint=r"https?://[^\s/@\"]+:[^\s/@\"]{8,}@",
    ),
    Rule(
        "authorization_header",
        r"[A-Za-z0-9._~+/-]{20,}={0,2}",
        before=r"(?i:authorization[\"'\\]{0,4}\s*[:=,]\s*[\"'\\]{0,4}(?:bearer|token|basic)\s+)",
        hint=r"(?i:authorization)",
    ),
    Rule(
        "bearer_token",
        r"[A-Za-z0-9._~+/-]{32,}={0,2}",
        before=r"\b(?i:bearer) ",
        hint=r"(?i:bearer) [A-Za-z0-9._~+/-]{32}",
    ),
    Rule(
        "api_key_header",
        r"[A-Za-z0-9._~+/-]{20,}={0,2}",
        before=r"(?i:x-api-key[\"'\\]{0,4}\s*[:=,]\s*[\"'\\]{0,4})",
        hint=r"(?i:x-api-key)",
    ),
)

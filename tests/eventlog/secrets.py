"""One example per masking rule, made up and split so that no scanner takes this file for a leak: (before, secret, after)."""

from __future__ import annotations

_HEX = "0123456789abcdef"
_MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"
_LETTERS = _MIXED * 10


def letters(count: int) -> str:
    return _LETTERS[:count]


PEM = "\n".join(
    ["-----BEGIN RSA PRIVATE" + " KEY-----", *(letters(64) for _ in range(4)), "-----END RSA PRIVATE" + " KEY-----"]
)

SECRETS: dict[str, tuple[str, str, str]] = {
    "private_key": ("", PEM, ""),
    "age_secret_key": ("", "AGE-SECRET-" + "KEY-1" + "QPZRY9X8GF" * 5 + "QPZRY9X8", ""),
    "anthropic_key": ("", "sk-" + "ant-api03-" + letters(80), ""),
    "openai_key": ("", "sk-" + "proj-" + letters(60), ""),
    "openai_legacy_key": ("", "sk-" + letters(48), ""),
    "openrouter_key": ("", "sk-" + "or-v1-" + _HEX * 4, ""),
    "aws_access_key": ("", "AKIA" + "Q3EGR7ZBWCHNTKMA", ""),
    "aws_secret_key": ("AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzzzzzzzzzz", ""),
    "github_token": ("", "ghp_" + letters(36), ""),
    "github_fine_grained_token": ("", "github_" + "pat_" + letters(82), ""),
    "gitlab_token": ("", "glpat-" + letters(20), ""),
    "slack_token": ("", "xoxb-" + "12345678901-" + letters(24), ""),
    "slack_app_token": ("", "xapp-" + "1-A0123-456-" + _HEX, ""),
    "slack_webhook": (
        "https://hooks.slack.com/services/",
        "T" + letters(8) + "/B" + letters(8) + "/" + letters(24),
        "",
    ),
    "stripe_key": ("", "sk_" + "live_" + letters(24), ""),
    "stripe_webhook_secret": ("", "whsec_" + letters(32), ""),
    "google_api_key": ("", "AIza" + letters(35), ""),
    "google_oauth_secret": ("", "GOCSPX-" + letters(28), ""),
    "google_oauth_token": ("", "ya29." + letters(40), ""),
    "jwt": ("", "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkw." + letters(43), ""),
    "npm_token": ("", "npm_" + letters(36), ""),
    "npm_auth_token": ("//registry.example/:_authToken=", letters(36), ""),
    "pypi_token": ("", "pypi-" + "AgEIcHlwaS5vcmc" + letters(60), ""),
    "sendgrid_key": ("", "SG." + letters(22) + "." + letters(43), ""),
    "twilio_key": ("", "SK" + _HEX * 2, ""),
    "mailgun_key": ("", "key-" + _HEX * 2, ""),
    "mailchimp_key": ("", _HEX * 2 + "-us12", ""),
    "telegram_token": ("", "123456789:" + "AA" + letters(33), ""),
    "discord_webhook": ("https://discord.com/api/webhooks/1234567/", letters(68), ""),
    "azure_storage_key": ("AccountKey=", letters(86) + "==", ""),
    "azure_client_secret": ("", "abc8Q~" + letters(34), ""),
    "huggingface_token": ("", "hf_" + letters(34), ""),
    "digitalocean_token": ("", "dop_" + "v1_" + _HEX * 4, ""),
    "shopify_token": ("", "shpat_" + _HEX * 2, ""),
    "databricks_token": ("", "dapi" + _HEX * 2, ""),
    "vault_token": ("", "hvs." + letters(30), ""),
    "terraform_token": ("", letters(14) + ".atlasv1." + letters(64), ""),
    "linear_key": ("", "lin_" + "api_" + letters(40), ""),
    "atlassian_token": ("", "ATATT3" + letters(180), ""),
    "grafana_token": ("", "glsa_" + letters(32), ""),
    "sentry_token": ("", "sntrys_" + letters(60), ""),
    "groq_key": ("", "gsk_" + letters(52), ""),
    "contextapp_key": ("", "ctx_" + "0123abcd_" + letters(43), ""),
    "database_password": ("postgresql+psycopg://app:", "hunter2-correct", "@db.example:5432/app"),
    "url_password": ("https://build:", "s3cretpass", "@git.example/repo"),
    "authorization_header": ("Authorization: Bearer ", letters(24), ""),
    "bearer_token": ("sends bearer ", letters(40), ""),
    "api_key_header": ("X-API-Key: ", letters(24), ""),
}

HARMLESS = (
    "task-force disk-usage sk-learn risk-based",
    "-----BEGIN CERTIFICATE-----\n" + letters(64) + "\n-----END CERTIFICATE-----",
    "Authorization: Bearer $TOKEN",
    "postgresql://app:${PASSWORD}@db/app and postgresql://app@db/app",
    "https://example.org:8443/a@b and git@github.com:owner/repo.git",
    "sha256 " + _HEX * 4 + " commit " + _HEX + _HEX[:8],
    "the key-value store keeps npm_config_registry and hf_hub_download",
    "bearer of good news; x-api-key is a header; AccountKey= is a field",
    "AKIA is a prefix, ghp_ too, glpat- as well, xoxb- also, hvs.",
    "密码在环境变量里。",
    "data:image/png;base64," + letters(200),
)

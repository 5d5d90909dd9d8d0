"""Settings of the one installation, switched by environment variables (docs/settings.md). Holds no secret and no host."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

from celery.schedules import crontab
from django.utils.csp import CSP
from django.utils.translation import gettext_lazy as _

from contextapp.config.environment import database, env_bool, env_int, env_list, env_str, libpq_keywords, secret_key
from contextapp.config.local.postgres import local_database_url

BASE_DIR = Path(__file__).resolve().parent.parent.parent
DATA_DIR = Path(env_str("DATA_DIR", str(BASE_DIR / "data")))

DEBUG = env_bool("DEBUG", False)
SECRET_KEY = secret_key(DATA_DIR)
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", [])
HTTPS = env_bool("HTTPS", False)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "axes",
    "django_htmx",
    "contextapp.accounts",
    "contextapp.jobs",
    "contextapp.eventlog",
    "contextapp.policy",
    "contextapp.memory",
    "contextapp.compaction",
    "contextapp.contexts",
    "contextapp.intake",
    "contextapp.api",
    "contextapp.web",
    "contextapp.config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "contextapp.web.logins.LoginAgeMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "contextapp.config.urls"
WSGI_APPLICATION = "contextapp.config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "contextapp.web.context.frame",
            ],
        },
    },
]

DATABASE_URL = os.environ.get("DATABASE_URL") or local_database_url()
DATABASES = {"default": database(DATABASE_URL)}
if ERASER_DATABASE_URL := env_str("ERASER_DATABASE_URL", ""):
    DATABASES["eraser"] = database(ERASER_DATABASE_URL)
DATABASE_STATEMENT_TIMEOUT_SECONDS = env_int("DATABASE_STATEMENT_TIMEOUT_SECONDS", 30)
DATABASE_LOCK_TIMEOUT_SECONDS = env_int("DATABASE_LOCK_TIMEOUT_SECONDS", 5)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "sessions:list"
LOGIN_LINK_LIFETIME = timedelta(minutes=env_int("LOGIN_LINK_MINUTES", 60))
LOGIN_IDLE = timedelta(minutes=env_int("LOGIN_IDLE_MINUTES", 12 * 60))
LOGIN_LIFETIME = timedelta(hours=env_int("LOGIN_HOURS", 7 * 24))
SESSION_COOKIE_AGE = int(LOGIN_LIFETIME.total_seconds())
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
# A browser takes a __Host- cookie from this very host alone, over HTTPS alone, for every path.
SESSION_COOKIE_NAME = "__Host-contextapp_session" if HTTPS else "contextapp_session"
CSRF_USE_SESSIONS = True
CSRF_FAILURE_VIEW = "contextapp.web.views.errors.csrf_failure"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",  # what was set before is read, and hashed anew at the next login
]
AXES_FAILURE_LIMIT = env_int("LOGIN_FAILURES", 5)
AXES_COOLOFF_TIME = timedelta(minutes=env_int("LOGIN_LOCKOUT_MINUTES", 15))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # nobody locks another person out from elsewhere
AXES_LOCKOUT_CALLABLE = "contextapp.web.views.login.locked_out"
AXES_CLIENT_IP_CALLABLE = "contextapp.web.logins.client_address"
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True  # who logged in stands in the audit trail
AXES_SENSITIVE_PARAMETERS = ["username", "password"]
AXES_VERBOSE = False
AXES_ENABLE_ADMIN = False
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

SECURE_SSL_REDIRECT = HTTPS
BEHIND_PROXY = env_bool("BEHIND_PROXY", False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # asked from inside, where there is no TLS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS and env_bool("HSTS_SUBDOMAINS", False)
# Subdomains are not ours to speak for: whoever owns the domain says so with HSTS_SUBDOMAINS.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(env_str("STATIC_ROOT", str(DATA_DIR / "static")))
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
DATA_UPLOAD_MAX_MEMORY_SIZE = env_int("UPLOAD_LIMIT_BYTES", 64 * 1024 * 1024)
FILE_UPLOAD_TEMP_DIR = None

API_BODY_LIMIT_BYTES = env_int("API_BODY_LIMIT_BYTES", 16 * 1024 * 1024)
API_EVENT_LIMIT_BYTES = env_int("API_EVENT_LIMIT_BYTES", 8 * 1024 * 1024)
API_ARTIFACT_LIMIT_BYTES = env_int("API_ARTIFACT_LIMIT_BYTES", 32 * 1024 * 1024)
API_BATCH_LIMIT = env_int("API_BATCH_LIMIT", 1000)
API_WAITERS = env_int("API_WAITERS", 4)
API_JSON_DEPTH_LIMIT = env_int("API_JSON_DEPTH_LIMIT", 64)
API_REQUESTS_PER_MINUTE = env_int("API_REQUESTS_PER_MINUTE", 60_000)
API_EVENTS_PER_MINUTE = env_int("API_EVENTS_PER_MINUTE", 1_000_000)
API_USAGE_WRITE_MS = env_int("API_USAGE_WRITE_MS", 1000)
IMPORT_LINE_LIMIT_BYTES = env_int("IMPORT_LINE_LIMIT_BYTES", 64 * 1024 * 1024)
MEMORY_EXTRACTION = env_bool("MEMORY_EXTRACTION", True)
MEMORY_LLM_URL = env_str("MEMORY_LLM_URL", "")
MEMORY_LLM_MODEL = env_str("MEMORY_LLM_MODEL", "gpt-5-mini")
MEMORY_LLM_KEY = env_str("MEMORY_LLM_KEY", "")
MEMORY_EMBEDDINGS_URL = env_str("MEMORY_EMBEDDINGS_URL", "")
MEMORY_EMBEDDINGS_MODEL = env_str("MEMORY_EMBEDDINGS_MODEL", "text-embedding-3-small")
MEMORY_EMBEDDINGS_KEY = env_str("MEMORY_EMBEDDINGS_KEY", "")
MASKING_MODE = env_str("MASKING_MODE", "mask")

CHECKPOINT_MINUTES = env_int("CHECKPOINT_MINUTES", 15)
CHECKPOINT_ORIGIN = env_str("CHECKPOINT_ORIGIN", "")
CHECKPOINT_KEY_FILE = Path(env_str("CHECKPOINT_KEY_FILE", str(DATA_DIR / "checkpoint_key.pem")))
CHECKPOINT_FILE = Path(env_str("CHECKPOINT_FILE", str(DATA_DIR / "checkpoints.txt")))
CHECKPOINT_WEBHOOK = env_str("CHECKPOINT_WEBHOOK", "")
OUTBOUND_ALLOW_HOSTS = env_list("OUTBOUND_ALLOW_HOSTS", [])

WORKER_NICENESS = env_int("WORKER_NICENESS", 10)
CELERY_BROKER_URL = env_str("CELERY_BROKER_URL", "pgmq://")
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "conn_string": libpq_keywords(DATABASES["default"]),
        "init_extension": False,
        "visibility_timeout": 7200,
        "wait_time_seconds": 1,  # a longer poll would make Ctrl-C wait
    }
    if CELERY_BROKER_URL.startswith("pgmq")
    else {
        "visibility_timeout": 7200,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        "max_retries": 1,  # a broker that is down costs a writer a moment, not seconds: the sweeper sends again
        "interval_start": 0,
        "interval_step": 0.1,
        "interval_max": 0.2,
    }
)
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 3600
CELERY_TASK_DEFAULT_QUEUE = "contextapp"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "contextapp.jobs.tasks.sweep", "schedule": 30.0},
    "verify_new": {
        "task": "contextapp.jobs.tasks.enqueue",
        "schedule": 3600.0,
        "args": ("eventlog.verify", "new"),
    },
    "verify_all": {
        "task": "contextapp.jobs.tasks.enqueue",
        "schedule": crontab(hour=3, minute=17),
        "args": ("eventlog.verify", "full"),
    },
    "memory_age": {
        "task": "contextapp.jobs.tasks.enqueue",
        "schedule": 3600.0,
        "args": ("memory.age", "all"),
    },
    "retention": {
        "task": "contextapp.jobs.tasks.enqueue",
        "schedule": crontab(hour=4, minute=43),
        "args": ("eventlog.retention", "daily"),
    },
}
if CHECKPOINT_MINUTES > 0:
    CELERY_BEAT_SCHEDULE["checkpoint"] = {
        "task": "contextapp.jobs.tasks.enqueue",
        "schedule": CHECKPOINT_MINUTES * 60.0,
        "args": ("eventlog.checkpoint", "log"),
    }

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env_str("LOG_LEVEL", "INFO")},
}

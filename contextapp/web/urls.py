"""Every address of the pages, one namespace per noun. Holds no logic; language is a cookie and never part of a URL."""

from __future__ import annotations

from django.urls import include, path
from django.views.i18n import set_language

from contextapp.web import urls_session, urls_settings
from contextapp.web.access import anyone
from contextapp.web.views import (
    home,
    imports,
    invitation,
    jobs,
    login,
    memory,
    memory_known,
    memory_record,
    policies,
    preferences,
    profile,
    search,
    sessions,
)

sessions_urls = [
    path("", sessions.list_, name="list"),
    *urls_session.sessions,
]
imports_urls = [
    path("", imports.list_, name="list"),
    path("new/", imports.new, name="new"),
    path("<uuid:import_id>/", imports.detail, name="detail"),
    path("<uuid:import_id>/forget/", imports.forget, name="forget"),
]
jobs_urls = [
    path("", jobs.list_, name="list"),
    path("<int:job_id>/retry/", jobs.retry, name="retry"),
    path("<int:job_id>/cancel/", jobs.cancel, name="cancel"),
]
memory_urls = [
    path("", memory.list_, name="list"),
    path("start/", memory.start, name="start"),
    path("round/", memory.round_, name="round"),
    path("bulk/", memory.bulk, name="bulk"),
    path("new/", memory.new, name="new"),
    path("quality/", memory_known.quality, name="quality"),
    path("known/<int:known_id>/", memory_known.detail, name="known"),
    path("known/<int:known_id>/decide/", memory_known.decide, name="known-decide"),
    path("<int:record_id>/", memory_record.detail, name="detail"),
    path("<int:record_id>/decide/", memory_record.decide, name="decide"),
    path("<int:record_id>/undo/", memory_record.undo, name="undo"),
    path("<int:record_id>/claim/", memory_record.claim, name="claim"),
    path("<int:record_id>/effect/", memory_record.effect, name="effect"),
    path("<int:record_id>/leave/", memory_record.leave, name="leave"),
]

policies_urls = [
    path("", policies.list_, name="list"),
    path("<slug:slug>/new/", policies.new, name="new"),
    path("<slug:slug>/import/", policies.import_, name="import"),
    path("<slug:slug>/<int:number>/", policies.detail, name="detail"),
    path("<slug:slug>/<int:number>/edit/", policies.edit, name="edit"),
    path("<slug:slug>/<int:number>/publish/", policies.publish, name="publish"),
    path("<slug:slug>/<int:number>/discard/", policies.discard, name="discard"),
    path("<slug:slug>/<int:number>/roll-back/", policies.roll_back, name="roll_back"),
    path("<slug:slug>/<int:number>/policy.json", policies.export, name="export"),
]

urlpatterns = [
    path("", home.home, name="home"),
    path("search/", search.events, name="search"),
    path("sessions/", include((sessions_urls, "sessions"))),
    path("sessions/<uuid:session_id>/turns/", include((urls_session.turns, "turns"))),
    path("sessions/<uuid:session_id>/steps/", include((urls_session.steps, "steps"))),
    path("imports/", include((imports_urls, "imports"))),
    path("jobs/", include((jobs_urls, "jobs"))),
    path("memory/", include((memory_urls, "memory"))),
    path("policies/", include((policies_urls, "policies"))),
    path("login/", login.login, name="login"),
    path("login/", include(([path("<str:token>/", login.link, name="link")], "login"))),
    path("logout/", login.logout, name="logout"),
    path("settings/", include((urls_settings.settings, "settings"))),
    path("invitation/<str:token>/", invitation.accept, name="invitation"),
    path("profile/", profile.password, name="profile"),
    path("language/", anyone(set_language), name="set_language"),
    path("preferences/", preferences.change, name="preferences"),
]

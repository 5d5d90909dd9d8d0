"""Every address of the pages, one namespace per noun. Holds no logic; language is a cookie and never part of a URL."""

from __future__ import annotations

from django.urls import include, path
from django.views.i18n import set_language

from contextapp.web import urls_session, urls_settings
from contextapp.web.access import anyone
from contextapp.web.views import home, imports, invitation, login, preferences, profile, sessions

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

urlpatterns = [
    path("", home.home, name="home"),
    path("sessions/", include((sessions_urls, "sessions"))),
    path("sessions/<uuid:session_id>/turns/", include((urls_session.turns, "turns"))),
    path("sessions/<uuid:session_id>/steps/", include((urls_session.steps, "steps"))),
    path("imports/", include((imports_urls, "imports"))),
    path("login/", login.login, name="login"),
    path("login/", include(([path("<str:token>/", login.link, name="link")], "login"))),
    path("logout/", login.logout, name="logout"),
    path("settings/", include((urls_settings.settings, "settings"))),
    path("invitation/<str:token>/", invitation.accept, name="invitation"),
    path("profile/", profile.password, name="profile"),
    path("language/", anyone(set_language), name="set_language"),
    path("preferences/", preferences.change, name="preferences"),
]

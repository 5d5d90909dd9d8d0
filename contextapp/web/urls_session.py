"""Addresses of one session and what is inside it: its turns and its steps. `urls.py` puts each list into its namespace."""

from __future__ import annotations

from django.urls import URLPattern, path

from contextapp.web.views import compactions, events, evidence, search, session, strip
from contextapp.web.views import steps as step_views
from contextapp.web.views import turns as turn_views

# Under /sessions/, namespace "sessions"; the list itself is in urls.py.
sessions: list[URLPattern] = [
    path("<uuid:session_id>/", session.detail, name="detail"),
    path("<uuid:session_id>/verify/", session.verify, name="verify"),
    path("<uuid:session_id>/export/", evidence.export, name="export"),
    path("<uuid:session_id>/erase/", evidence.erase, name="erase"),
    path("<uuid:session_id>/constraints/decide/", session.decide_constraint, name="decide_constraint"),
    path("<uuid:session_id>/simulate/", session.simulate, name="simulate"),
    path("<uuid:session_id>/events/<int:seq>/", events.detail, name="event"),
    path("<uuid:session_id>/events/<int:seq>/from/", search.whence, name="whence"),
    path("<uuid:session_id>/strip/", strip.detail, name="strip"),
    path("<uuid:session_id>/why/", search.why, name="why"),
    path("<uuid:session_id>/compactions/", compactions.listing, name="compactions"),
    path("<uuid:session_id>/compactions/make/", compactions.make, name="compact"),
    path("<uuid:session_id>/compactions/<int:seq>/withdraw/", compactions.withdraw, name="withdraw_compaction"),
]
# Under /sessions/<uuid:session_id>/turns/, namespace "turns".
turns: list[URLPattern] = [path("<int:number>/", turn_views.detail, name="detail")]
# Under /sessions/<uuid:session_id>/steps/, namespace "steps".
steps: list[URLPattern] = [path("<int:number>/", step_views.detail, name="detail")]

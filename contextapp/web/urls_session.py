"""Addresses of one session and what is inside it: its turns and its steps. `urls.py` puts each list into its namespace."""

from __future__ import annotations

from django.urls import URLPattern

# Under /sessions/, namespace "sessions" (its list is in urls.py): path("<uuid:session_id>/", session.detail, name="detail").
sessions: list[URLPattern] = []
# Under /sessions/<uuid:session_id>/turns/, namespace "turns": path("<int:number>/", turns.detail, name="detail").
turns: list[URLPattern] = []
# Under /sessions/<uuid:session_id>/steps/, namespace "steps": path("<int:number>/", steps.detail, name="detail").
steps: list[URLPattern] = []

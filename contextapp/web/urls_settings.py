"""Addresses of a project's settings. The project stands in the address; what changes something is a POST of its own."""

from __future__ import annotations

from django.urls import URLPattern, path

from contextapp.web.views.settings import audit, keys, masking, members, project, summaries

settings: list[URLPattern] = [
    path("", project.home, name="home"),
    path("<slug:slug>/members/", members.list_, name="members"),
    path("<slug:slug>/members/invite/", members.invite, name="invite"),
    path("<slug:slug>/members/<int:user_id>/role/", members.change_role, name="role"),
    path("<slug:slug>/members/<int:user_id>/remove/", members.remove, name="remove"),
    path("<slug:slug>/invitations/<uuid:invitation_id>/revoke/", members.revoke, name="revoke_invitation"),
    path("<slug:slug>/keys/", keys.list_, name="keys"),
    path("<slug:slug>/keys/new/", keys.new, name="new_key"),
    path("<slug:slug>/keys/<slug:key_id>/rotate/", keys.rotate, name="rotate_key"),
    path("<slug:slug>/keys/<slug:key_id>/revoke/", keys.revoke, name="revoke_key"),
    path("<slug:slug>/masking/", masking.detail, name="masking"),
    path("<slug:slug>/masking/change/", masking.change, name="change_masking"),
    path("<slug:slug>/masking/try/", masking.try_, name="try_masking"),
    path("<slug:slug>/retention/", project.retention, name="retention"),
    path("<slug:slug>/retention/change/", project.change_retention, name="change_retention"),
    path("<slug:slug>/summaries/", summaries.detail, name="summaries"),
    path("<slug:slug>/summaries/change/", summaries.change, name="change_summaries"),
    path("<slug:slug>/limits/", project.limits, name="limits"),
    path("<slug:slug>/limits/change/", project.change_limits, name="change_limits"),
    path("<slug:slug>/audit/", audit.list_, name="audit"),
    path("<slug:slug>/audit.csv", audit.export, name="audit_csv"),
    path("<slug:slug>/checkpoints/", audit.checkpoints, name="checkpoints"),
]

"""One's own password: set for the first time or changed. Every other login of the person ends with it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from contextapp.accounts import services
from contextapp.web.access import member


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@member
def password(request: HttpRequest) -> HttpResponse:
    has_one = request.user.has_usable_password()
    form = (PasswordChangeForm if has_one else SetPasswordForm)(request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = services.change_password(user=request.user, password=form.cleaned_data["new_password1"])
        update_session_auth_hash(request, user)  # this login stays, under a new key
        messages.success(request, _("The password is set. Every other login of yours has ended."))
        return redirect("profile")
    status = 422 if request.method == "POST" else 200
    return render(request, "profile/password.html", {"form": form, "has_one": has_one}, status=status)

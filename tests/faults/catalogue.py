"""The faults and bad inputs that the product has an answer for, F1 to F70, with what is right; and who tests which.

A test says its faults itself, by `@pytest.mark.fault("F1")`. ELSEWHERE names those of other folders; PARTLY says what is
missing although there is a test; OPEN says why there is none.
"""

from __future__ import annotations

FAULTS: dict[str, tuple[str, str]] = {
    "F1": (
        "one server process of PostgreSQL is killed in the middle of an append",
        "the same ids again; nothing acknowledged is lost",
    ),
    "F2": ("PostgreSQL stops at once, as in a power cut", "the same"),
    "F3": ("connections are terminated; PostgreSQL restarts", "503 for a moment, then on"),
    "F4": ("the answer is lost after the commit", "the retry is a duplicate with the old seq"),
    "F5": ("the request is lost", "the retry stores it once"),
    "F6": ("the same id comes with other content", "409 that names the id; nothing written"),
    "F7": ("an empty batch", "nothing written"),
    "F8": ("many writers of one session", "no gap; the lock decides the order"),
    "F9": ("a stale expected head", "409 with the present one"),
    "F10": ("an id twice in one batch", "once if alike, else the batch is refused"),
    "F11": (
        "a deadlock between sessions",
        "the product tries the ended one again, whole, at most three times; both stored",
    ),
    "F12": ("somebody holds a session's head", "503 after the lock's limit; other sessions unaffected"),
    "F13": ("a transaction that idles", "ended by the database"),
    "F14": ("no free connection in the pool", "503 soon, no hang"),
    "F15": ("the server takes no more connections", "503; not ready"),
    "F16": ("the disk is full", "refused; acknowledged events stay; reads go on"),
    "F17": ("the disk for uploads is full", "503 or 507; nothing left behind"),
    "F18": ("a statement takes too long", "cancelled; 503"),
    "F19": ("a migration under traffic", "gives way within half a second and is tried again"),
    "F20": ("old code on the new schema, and the reverse", "both work for one release"),
    "F21": ("a migration is killed", "running it again finishes it"),
    "F22": ("Redis is away when a job is put on the list", "the append is answered 2xx; the job waits in its table"),
    "F23": ("Redis is away at the start", "the worker waits"),
    "F24": ("Redis is killed and forgets", "the sweeper sends again; done once"),
    "F25": ("a job's process is killed in the middle", "done again, one effect"),
    "F26": ("a whole worker is killed", "the lease ends; another takes over"),
    "F27": ("a job is delivered twice at once", "the second does nothing"),
    "F28": ("a job outlives its lease", "fenced: one effect"),
    "F29": ("a failure at every statement of a compaction", "old state or new, never a mixture"),
    "F30": ("the summariser fails, lies or injects", "the deterministic summary; untrusted stays untrusted"),
    "F31": ("the summariser answers too late", "bound to its range; discarded when stale"),
    "F32": ("two clocks ask for the same job", "one job"),
    "F33": ("a job that always fails", "five attempts, then shown as dead; others go on"),
    "F34": ("the clock jumps", "order by seq; verification unaffected"),
    "F35": ("writers claim times out of order", "kept as claimed; order by seq"),
    "F36": ("events for a session that ended or was erased", "refused by name"),
    "F37": (
        "results without calls, double results, references to nowhere",
        "stored; marked; the projection stays whole",
    ),
    "F38": ("an unknown type or newer schema", "stored and shown"),
    "F39": ("NUL in content, ids, types", "content lossless; ids and types refused"),
    "F40": ("half a surrogate pair", "lossless; never made by a cut"),
    "F41": ("NaN, infinities, numbers out of range", "not finite: refused; else the exact literal"),
    "F42": ("a key twice in one object", "refused by name"),
    "F43": ("nesting without end", "422 before any recursion"),
    "F44": ("events and bodies above the limit", "413 before they are read"),
    "F45": ("one bad event in a large batch, or all bad", "index and field; the list is capped"),
    "F46": ("a compressed bomb, a wrong encoding header", "413 or 415"),
    "F47": ("UTF-16, byte order marks, other media types", "415 or 400"),
    "F48": ("the client goes away in the middle of an upload", "nothing stored"),
    "F49": ("a client that sends a byte a second", "the others are served"),
    "F50": ("a client that does not read its answer", "the statement ends with it"),
    "F51": ("wrong lengths, pipelined and chunked requests", "400"),
    "F52": ("very long headers, addresses, queries", "4xx"),
    "F53": ("a regular expression made to hang", "refused, or linear"),
    "F54": ("a line of ten megabytes on a page", "bounded"),
    "F55": ("a megabyte of one sign; special tokens as text", "counted as text, in bounded time"),
    "F56": ("imports of bad, changed, doubled and unreadable files", "idempotent; each refused line has its reason"),
    "F57": ("an import is killed at any moment", "running it again ends as one clean run"),
    "F58": ("ids of another project everywhere", "the same 404 as a random id"),
    "F59": ("a key revoked between two batches", "401 at once"),
    "F60": ("tampering: every column, tails, sessions, whole chains, old backups", "named with its place, or diverged"),
    "F61": ("a payload deleted without a redaction", "tampered"),
    "F62": ("an erasure during a build, a compaction or an export", "before or after; no trace"),
    "F63": ("a backup older than erasures is restored", "erased again before traffic"),
    "F64": ("the signing key is lost or exchanged", "ingestion goes on; alarm; old signatures verify"),
    "F65": ("verification during ingestion", "no false alarm"),
    "F66": ("two reviewers decide at once; a memory expires meanwhile", "one wins, the other is told"),
    "F67": ("impossible budgets; two admins at once", "422; the conflict is shown"),
    "F68": ("a window smaller than the safety policy", "refused by name, never cut"),
    "F69": ("the projections are lost", "rebuilt from the log, the same"),
    "F70": ("a reader beside an append that is not committed yet", "never skips it"),
}

ELSEWHERE: dict[str, tuple[str, ...]] = {
    "F4": ("tests/api/test_flow.py::test_a_batch_gets_places_and_a_retry_gets_them_again",),
    "F6": ("tests/eventlog/test_append.py::test_the_same_id_with_other_content_is_refused_and_nothing_written",),
    "F8": ("tests/eventlog/test_writers.py::test_writers_of_one_session_leave_no_gap",),
    "F9": ("tests/api/test_flow.py::test_a_writer_that_expects_another_head_is_told_where_it_is",),
    "F10": ("tests/eventlog/test_append.py::test_an_id_twice_in_one_batch_with_two_contents_is_refused",),
    "F22": ("tests/jobs/test_worker.py::test_a_broker_that_is_down_is_logged_and_the_job_is_safe",),
    "F26": ("tests/jobs/test_worker.py::test_work_reaches_a_worker_and_outlives_it",),
    "F27": (
        "tests/contexts/test_index_concurrency.py::test_two_runs_at_once_have_one_effect",
        "tests/jobs/test_jobs.py::test_a_job_that_runs_is_not_run_twice",
    ),
    "F28": ("tests/jobs/test_jobs.py::test_a_lost_lease_stops_the_handler_and_keeps_the_other_outcome",),
    "F33": ("tests/jobs/test_jobs.py::test_a_failing_job_is_tried_five_times_and_then_shown_as_dead",),
    "F36": ("tests/eventlog/test_append.py::test_an_erased_session_takes_no_more",),
    "F37": (
        "tests/engine/projection/test_properties.py::test_every_projected_event_is_in_an_atom_or_refused",
        "tests/engine/projection/test_properties.py::test_assembling_what_stands_refuses_nothing_more",
    ),
    "F38": (
        "tests/eventlog/test_append.py::test_an_unknown_type_is_stored",
        "tests/contexts/test_transcript.py::test_unknown_events_are_shown_and_silent_ones_are_not",
    ),
    "F39": (
        "tests/eventlog/test_append.py::test_any_text_comes_back_as_it_was",
        "tests/api/test_bodies.py::test_payloads_are_kept_as_they_were_written",
        "tests/intake/test_bad_files.py::test_nul_and_lone_surrogates_are_stored_and_come_back",
    ),
    "F40": (
        "tests/eventlog/test_append.py::test_any_text_comes_back_as_it_was",
        "tests/eventlog/test_content.py::test_no_sign_is_cut_apart",
    ),
    "F41": (
        "tests/api/test_bodies.py::test_what_is_no_strict_json_is_refused_with_its_place",
        "tests/api/test_bodies.py::test_envelope_fields_are_strict_and_named",
    ),
    "F42": ("tests/api/test_bodies.py::test_what_is_no_strict_json_is_refused_with_its_place",),
    "F43": ("tests/api/test_bodies.py::test_what_is_no_strict_json_is_refused_with_its_place",),
    "F44": (
        "tests/api/test_bodies.py::test_a_body_over_the_limit_is_refused_before_it_is_read",
        "tests/api/test_bodies.py::test_an_event_over_the_limit_is_named",
        "tests/intake/test_bad_files.py::test_a_line_of_fifty_megabytes_becomes_an_event_with_an_attachment",
    ),
    "F45": (
        "tests/api/test_flow.py::test_a_batch_is_all_or_nothing",
        "tests/api/test_bodies.py::test_a_batch_over_the_limit_is_refused",
    ),
    "F46": (
        "tests/api/test_packed.py::test_a_bomb_is_unpacked_no_further_than_the_limit",
        "tests/api/test_packed.py::test_what_is_no_whole_gzip_is_refused",
        "tests/api/test_bodies.py::test_an_encoding_other_than_gzip_is_refused",
        "tests/api/test_otlp.py::test_a_gzip_bomb_is_refused_before_it_is_unpacked",
        "tests/api/test_otlp_bad_input.py::test_an_encoding_that_is_not_what_it_says_is_refused",
    ),
    "F47": (
        "tests/api/test_bodies.py::test_other_media_types_are_refused",
        "tests/api/test_bodies.py::test_what_is_no_strict_json_is_refused_with_its_place",
    ),
    "F48": ("tests/api/test_bodies.py::test_a_body_that_ends_early_is_refused",),
    "F51": ("tests/api/test_bodies.py::test_a_body_without_a_length_is_refused",),
    "F53": (
        "tests/eventlog/test_masking_of_projects.py::test_a_rule_that_can_t_stand_is_refused_in_words",
        "tests/eventlog/test_masking_of_projects.py::test_a_pattern_that_would_stop_other_engines_takes_no_time",
    ),
    "F55": ("tests/engine/cases/test_b_counting.py::test_b21_the_text_of_a_special_token_counts_as_text",),
    "F56": (
        "tests/intake/test_bad_files.py::test_a_file_that_can_not_be_read_is_named_and_the_others_go_on",
        "tests/intake/test_bad_files.py::test_a_bad_line_is_kept_with_place_reason_field_and_start",
        "tests/intake/test_importing.py::test_importing_again_adds_nothing_and_counts_the_same",
        "tests/intake/test_importing.py::test_a_longer_snapshot_ends_like_the_whole_file",
        "tests/importers/test_bad_lines.py::test_blank_lines_carriage_returns_and_a_byte_order_mark_change_nothing",
    ),
    "F57": ("tests/intake/test_killed.py::test_a_killed_import_is_whole_and_finishes_when_run_again",),
    "F58": (
        "tests/api/test_permissions.py::test_a_foreign_id_is_answered_like_one_that_never_was",
        "tests/web/test_permissions.py::test_what_is_foreign_is_answered_like_what_never_was",
    ),
    "F59": (
        "tests/api/test_doors.py::test_a_revoked_or_expired_key_opens_nothing_at_once",
        "tests/accounts/test_keys.py::test_a_disabled_owner_disables_the_key",
    ),
    "F60": (
        "tests/eventlog/test_verify_log.py::test_every_column_of_every_row_is_evidence",
        "tests/eventlog/test_verify_log.py::test_a_tail_that_was_cut_off_cleanly_is_diverged",
        "tests/eventlog/test_verify_log.py::test_a_session_that_was_written_anew_is_diverged",
        "tests/eventlog/test_verify_log.py::test_a_session_that_was_removed_is_named",
        "tests/eventlog/test_verify_log.py::test_a_checkpoint_that_was_removed_is_noticed",
        "tests/eventlog/test_verify_log.py::test_a_backup_that_was_rewound_and_continued_is_diverged",
    ),
    "F61": ("tests/eventlog/test_verify_log.py::test_an_erasure_is_no_fault_and_an_erasure_without_its_record_is_one",),
    "F62": (
        "tests/eventlog/test_erasure.py::test_an_append_during_an_erasure_is_erased_or_refused",
        "tests/eventlog/test_erasure.py::test_nothing_of_the_content_is_left_in_the_database",
    ),
    "F64": (
        "tests/eventlog/test_checkpoint_keys.py::test_a_lost_key_stops_checkpoints_and_nothing_else",
        "tests/eventlog/test_checkpoint_keys.py::test_what_an_old_key_signed_still_verifies",
    ),
    "F65": ("tests/eventlog/test_verify_new.py::test_verifying_while_events_come_in_is_no_false_alarm",),
    "F66": (
        "tests/memory/test_decisions.py::test_of_two_reviewers_at_once_one_decides",
        "tests/memory/test_decisions.py::test_a_decision_on_other_bytes_is_refused",
    ),
    "F68": (
        "tests/engine/budget/test_overflow.py::test_case_51_the_safety_policy_stays_in_the_ledger_of_a_build_that_does_not_fit",
    ),
}

PARTLY: dict[str, str] = {
    "F49": "slow heads of any number, slow bodies of fewer clients than threads: the web server has no timeout for those, "
    "and the proxy in front must buffer them",
    "F62": "append, index, build and compaction during an erasure; no export",
    "F66": "two decisions at once; not an expiry between review and use",
}

OPEN: dict[str, str] = {
    "F17": "uploads are stored in the database; no test fills the folder of Django's upload files",
    "F20": "there is no earlier release yet",
    "F34": "the database's own clock can't be moved inside a test; claimed times are F35",
    "F67": "no page changes a policy yet",
}

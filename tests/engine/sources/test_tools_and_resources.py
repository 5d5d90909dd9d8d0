from __future__ import annotations

from contextapp.engine.policy import Policy
from contextapp.engine.reasons import Reason
from contextapp.engine.sources import resources, tools
from contextapp.engine.sources.source import Source
from contextapp.engine.values import Trust
from tests.engine.builder.worlds import Log, inputs_of


def tool_names(log: Log, **profile: object) -> list[tuple[str, Reason | None]]:
    found = tools.collect(inputs_of(log.events, **profile), Policy())
    return [(source.title, source.refusal) for source in found]


def offer(log: Log, mode: str, *names: str, server: str = "") -> None:
    log.add("tools.available", mode=mode, tools=[{"name": name, "schema": {}, "server": server} for name in names])


def test_set_replaces_add_extends_and_remove_takes_away() -> None:
    log = Log()
    offer(log, "set", "gone")
    offer(log, "set", "read", "edit")
    offer(log, "add", "bash")
    offer(log, "remove", "edit")

    assert tool_names(log) == [("read", None), ("bash", None)]


def test_an_agents_own_tools_stand_before_those_of_servers_which_are_not_trusted() -> None:
    log = Log()
    offer(log, "set", "query", server="db")
    offer(log, "add", "read")

    found = tools.collect(inputs_of(log.events), Policy())

    assert [(source.title, source.trust) for source in found] == [
        ("read", Trust.FACT),
        ("mcp:db.query", Trust.UNTRUSTED),
    ]


def test_a_model_without_tool_calling_gets_no_schemas_and_the_ledger_says_so() -> None:
    log = Log()
    offer(log, "set", "read")

    assert tool_names(log, supports_tools=False) == [("read", Reason.NO_TOOL_SUPPORT)]


def test_a_tool_without_a_name_is_none() -> None:
    log = Log()
    log.add("tools.available", mode="set", tools=[{"description": "?"}, 7, {"name": "read"}])

    assert tool_names(log) == [("7", None), ("read", None)]


def included(log: Log, policy: Policy | None = None) -> tuple[Source, ...]:
    return resources.collect(inputs_of(log.events), policy or Policy())


def test_only_resources_that_somebody_asked_for_enter() -> None:
    log = Log()
    for number, by in enumerate(("user", "policy", "harness", "model", "")):
        log.add("resource.included", id=f"r{number}", text="text", by=by)

    refusals = [source.refusal for source in included(log)]

    assert refusals == [None, None, Reason.NOT_INCLUDED, Reason.NOT_INCLUDED, Reason.NOT_INCLUDED]


def test_a_resource_is_quoted_whoever_included_it() -> None:
    log = Log()
    log.add("resource.included", id="r", title="API notes", text="text", by="user")

    (found,) = included(log)

    assert (found.trust, found.fence_label) == (Trust.UNTRUSTED, "resource API notes")


def test_a_denied_path_is_refused() -> None:
    log = Log()
    log.add("resource.included", id="r", path="/work/shop/.env", text="KEY=1", by="user")

    (found,) = included(log, Policy(deny_paths=(".env",)))

    assert found.refusal == Reason.NOT_PERMITTED


def test_a_path_is_denied_wherever_the_resource_names_it() -> None:
    log = Log()
    log.add("resource.included", id="/work/shop/keys/a.pem", text="KEY", by="user")
    log.add("resource.included", id="r", title="keys/b.pem", text="KEY", by="policy")

    refusals = [source.refusal for source in included(log, Policy(deny_paths=("keys/*",)))]

    assert refusals == [Reason.NOT_PERMITTED, Reason.NOT_PERMITTED]


def test_the_policy_can_include_what_a_harness_adds_but_not_what_it_denies() -> None:
    log = Log()
    log.add("resource.included", id="r1", path="/work/shop/docs/a.md", text="a", by="harness")
    log.add("resource.included", id="r2", path="/work/shop/docs/secret.md", text="b", by="harness")
    log.add("resource.included", id="r3", path="/work/shop/src/c.py", text="c", by="harness")

    policy = Policy(include_resources=("docs/*",), deny_paths=("secret.md",))
    refusals = [source.refusal for source in included(log, policy)]

    assert refusals == [None, Reason.NOT_PERMITTED, Reason.NOT_INCLUDED]


def test_its_ladder_leads_from_excerpts_to_a_reference() -> None:
    log = Log()
    log.add("resource.included", id="r", title="big", text="line of text\n" * 4_000, by="user")

    forms = [make() for _, make in included(log)[0].ladder]

    sizes = [len(form.text) for form in forms if form]
    assert sizes == sorted(sizes, reverse=True)
    assert "big: 52,000 characters, not shown" in (forms[-1].text if forms[-1] else "")


def test_tools_of_one_name_from_two_servers_carry_their_server_and_others_keep_their_name() -> None:
    log = Log()
    offer(log, "set", "query", "list", server="db")
    offer(log, "add", "query", server="search")
    offer(log, "add", "read")

    found = tools.collect(inputs_of(log.events), Policy(stable_tools=True))

    assert [source.tools[0]["name"] for source in found] == ["read", "mcp__db__query", "list", "mcp__search__query"]


def test_an_agents_own_tool_keeps_its_name_beside_one_of_a_server() -> None:
    log = Log()
    offer(log, "set", "query")
    offer(log, "add", "query", server="db")

    found = tools.collect(inputs_of(log.events), Policy(stable_tools=True))

    assert [source.tools[0]["name"] for source in found] == ["query", "mcp__db__query"]

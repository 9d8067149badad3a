"""`init`: a domain from a list of tools, in each of the shapes that such lists come in."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate
from tests.cli.running import Done, Run

ROOT = Path(__file__).resolve().parents[2]

ORDER_ID = {
    "type": "object",
    "properties": {"order_id": {"type": "string", "description": "The order, such as 'A1'."}},
    "required": ["order_id"],
}
FUNCTIONS: list[dict[str, Any]] = [
    {"name": "get_order", "description": "Look an order up.", "parameters": ORDER_ID},
    {"name": "cancel_order", "parameters": ORDER_ID},
    {"name": "frobnicate", "parameters": {"type": "object", "properties": {}}},
    {"name": "think", "parameters": {"type": "object", "properties": {"t": {"type": "string"}}}},
    {"name": "transfer_to_human_agents"},
    {"name": "transfer_money"},
    {"name": "get_or_create_user"},
]
KINDS = {
    "get_order": "read", "cancel_order": "write", "frobnicate": "write", "think": "neutral",
    "transfer_to_human_agents": "neutral", "transfer_money": "write",
    "get_or_create_user": "write",
}  # fmt: skip

MCP = {
    "tools": [
        {
            "name": "order",
            "inputSchema": ORDER_ID,
            "outputSchema": {
                "type": "object",
                "properties": {"status": {"enum": ["open", "sent"]}, "by": {"$ref": "#/$defs/By"}},
                "required": ["status"],
                "$defs": {"By": {"type": "object", "properties": {"name": {"type": "string"}}}},
            },
            "annotations": {"readOnlyHint": True},
        },
        {"name": "get_rid_of", "inputSchema": ORDER_ID, "annotations": {"readOnlyHint": False}},
        {
            "name": "find_it",
            "description": "Finds it.",
            "inputSchema": {"type": "object"},
            "annotations": {"title": "x"},
        },
        {"name": "list_and_drop", "inputSchema": {}, "annotations": {"destructiveHint": True}},
    ]
}

OPENAPI: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "shop", "version": "1"},
    "paths": {
        "/orders/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "getOrder",
                "parameters": [{"name": "X-Key", "in": "header", "schema": {"type": "string"}}],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                        }
                    }
                },
            },
            "patch": {
                "operationId": "changeOrder",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Change"}}
                    },
                },
            },
            "delete": {},
        },
        "/orders": {
            "post": {
                "operationId": "addNotes",
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"type": "array", "items": {"type": "string"}}
                        }
                    }
                },
            }
        },
    },
    "components": {
        "parameters": {
            "Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        },
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["status"],
                "properties": {"status": {"type": "string"}, "total": {"type": "number"}},
            },
            "Change": {
                "type": "object",
                "required": ["status"],
                "properties": {
                    "status": {"type": "string"},
                    "note": {"$ref": "#/components/schemas/Note"},
                },
            },
            "Note": {"type": "object", "properties": {"text": {"type": "string"}}},
            "Unused": {"type": "object"},
        },
    },
}


def write(workplace: Path, data: Any, name: str = "tools.json") -> None:
    (workplace / name).write_text(json.dumps(data), encoding="utf-8")


def init(run: Run, *options: str, tools: str = "tools.json") -> dict[str, str]:
    """Make the domain `made`, which must lack nothing but rules; the kinds of its tools."""
    done = run("init", "made", "--tools", tools, "--format", "json", *options)
    assert done.status == 0, done.stderr
    checked = run("check", "made", "--ignore", "ungated_write")
    assert (checked.status, checked.stdout) == (0, "made: 0 rules, no findings\n")
    return {tool["name"]: tool["kind"] for tool in json.loads(done.stdout)["tools"]}


def line_of(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.strip().startswith(start))


def text_of(workplace: Path, name: str) -> str:
    return (workplace / "made" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "data",
    [
        FUNCTIONS,
        [{"type": "function", "function": tool} for tool in FUNCTIONS],
        [{"type": "function", **tool} for tool in FUNCTIONS],
        {"tools": [{"type": "function", "function": tool} for tool in FUNCTIONS]},
        {"functions": FUNCTIONS},
        [
            {
                "name": tool["name"],
                "description": tool.get("description", ""),
                "input_schema": tool.get("parameters", {}),
            }
            for tool in FUNCTIONS
        ],
    ],
    ids=["bare", "wrapped", "responses", "request", "functions", "anthropic"],
)
def test_openai_functions(run: Run, workplace: Path, data: Any) -> None:
    write(workplace, data)
    assert init(run) == KINDS


def test_every_guess_is_marked(run: Run, workplace: Path) -> None:
    write(workplace, FUNCTIONS)
    init(run)
    lines = [x for x in text_of(workplace, "domain.yaml").splitlines() if "    kind:" in x]
    assert len(lines) == len(FUNCTIONS)
    assert all("# guessed: " in line for line in lines)
    assert line_of(text_of(workplace, "domain.yaml"), "order_id:").endswith(
        "# The order, such as 'A1'."
    )


def test_mcp_tools(run: Run, workplace: Path) -> None:
    write(workplace, MCP)
    assert init(run) == {
        "order": "read", "get_rid_of": "write", "find_it": "read", "list_and_drop": "write"
    }  # fmt: skip
    made = Domain.load(str(workplace / "made"))
    session = Gate(made).session(clock_us=0)
    assert session.observe("order", {"order_id": "A1"}, {"status": "open", "by": {}}) == []
    assert 'orders.A1 = {"by": {}, "status": "open"}' in session.render()
    session.observe("get_rid_of", {"order_id": "A2"}, {})
    assert "stale" in session.render()


def test_mcp_answers_of_json_rpc(run: Run, workplace: Path) -> None:
    write(workplace, {"jsonrpc": "2.0", "id": 1, "result": MCP})
    assert len(init(run)) == 4


@pytest.mark.parametrize("name", ["tools.json", "tools.yaml"])
def test_openapi(run: Run, workplace: Path, name: str) -> None:
    write(workplace, OPENAPI, name)
    assert init(run, tools=name) == {
        "getOrder": "read", "changeOrder": "write", "delete_orders_id": "write",
        "addNotes": "write",
    }  # fmt: skip
    made = Domain.load(str(workplace / "made"))
    change = made.tools["changeOrder"].arguments
    assert {name: field.optional for name, field in change.fields} == {
        "id": False, "status": False, "note": True
    }  # fmt: skip
    assert [name for name, _ in made.tools["addNotes"].arguments.fields] == ["body"]
    assert made.ledger["orders.*"].record.by_name["total"].optional  # type: ignore[union-attr]
    assert made.sources["schema"].data["$defs"].keys() == {"Order", "Note"}
    assert "header parameter `X-Key` was left out" in text_of(workplace, "README.md")


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "telehealth"])
def test_the_tools_of_benchmarks(run: Run, shared_data: Path, name: str) -> None:
    path = shared_data / "tau" / "tools" / f"{name}.json"
    kinds = init(run, tools=str(path))
    data = json.loads(path.read_text(encoding="utf-8"))
    for tool in data["agent_tools"]:
        assert kinds[tool["name"]] == {"generic": "neutral"}.get(tool["kind"], tool["kind"])
    for tool in data["user_tools"]:
        assert kinds[tool["name"]] == {"read": "neutral"}.get(tool["kind"], tool["kind"])
    made = Domain.load("made")
    assert {n for n, t in made.tools.items() if t.by_user} == {
        tool["name"] for tool in data["user_tools"]
    }


def test_nothing_is_allowed_so_far(run: Run, workplace: Path) -> None:
    write(workplace, FUNCTIONS)
    init(run)
    session = Gate(Domain.load("made")).session(clock_us=0)
    assert session.check("cancel_order", {"order_id": "A1"}).decision is Decision.BLOCK
    assert session.check("frobnicate", {}).decision is Decision.BLOCK
    checked = json.loads(run("check", "made", "--format", "json").stdout)
    assert {finding["code"] for finding in checked["findings"]} == {"LV202"}
    blocked = {tool for finding in checked["findings"] for tool in finding["tools"]}
    assert blocked == {tool.name for tool in Domain.load("made").writes}


def test_the_walk_through_shows_what_is_written(run: Run, workplace: Path) -> None:
    page = (ROOT / "docs" / "first-domain.md").read_text(encoding="utf-8")
    tools = re.search(r"<!-- file: tools.json -->\n```json\n(.*?)```", page, flags=re.S)
    assert tools is not None
    write(workplace, json.loads(tools[1]))
    assert run("init", "shop", "--tools", "tools.json").status == 0
    shown = re.findall(r"(?<!-->\n)^```yaml\n(.*?)```", page, flags=re.S | re.M)
    for name, text in zip(("domain.yaml", "policy.yaml"), shown, strict=True):
        assert text.strip() in (workplace / "shop" / name).read_text(encoding="utf-8")


def test_what_a_repair_may_change_is_proposed_in_a_comment(run: Run, workplace: Path) -> None:
    text = {"type": "string"}
    enum = {"type": "string", "enum": ["a", "b"]}
    properties = {
        "order_id": text, "payment_method_id": text, "seat": text, "cabin": enum, "reason": enum,
        "amount": {"type": "number"}, "iban": text,
    }  # fmt: skip
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    function = {"name": "book_it", "description": "Book.", "parameters": parameters}
    write(workplace, [{"type": "function", "function": function}])
    init(run)
    text_of = (workplace / "made" / "domain.yaml").read_text(encoding="utf-8")
    assert "# free: [payment_method_id, seat, cabin]" in text_of
    assert "how to pay; a rule must say that it is on file" in text_of
    assert Domain.load("made").tools["book_it"].free == ()


@pytest.mark.parametrize(
    ("argument", "pages"), [("page_cursor", True), ("offset", True), ("package", False)]
)
def test_pages_are_proposed_in_a_comment(
    run: Run, workplace: Path, argument: str, pages: bool
) -> None:
    parameters = {"type": "object", "properties": {argument: {"type": "string"}}}
    function = {"name": "list_orders", "description": "List orders.", "parameters": parameters}
    write(workplace, [{"type": "function", "function": function}])
    init(run)
    text_of = (workplace / "made" / "domain.yaml").read_text(encoding="utf-8")
    more = f"#   more: {{when: result.NEXT != null, next: {{{argument}: result.NEXT}}}}"
    assert (more in text_of) is pages
    assert Domain.load("made").tools["list_orders"].observes == ()


def test_each_rule_can_be_taken_out_of_its_comment(run: Run, workplace: Path) -> None:
    write(workplace, MCP)
    init(run)
    policy = workplace / "made" / "policy.yaml"
    head, _, rules = policy.read_text(encoding="utf-8").partition("rules:\n")
    opened = re.sub(r"^  # ", "  ", rules, flags=re.M)
    policy.write_text(f"{head}rules:\n{opened}", encoding="utf-8")
    made = Domain.load("made")
    assert {rule.tool for rule in made.rules} == {"get_rid_of", "list_and_drop"}
    done = run("check", "made")
    assert done.status == 1
    assert "no call of `get_rid_of` can ever be allowed" in done.stdout


WILD: dict[str, Any] = {
    "plain": {"type": "string", "title": "Plain", "default": "x", "minLength": 1},
    "nothing": {},
    "list": {"type": "array"},
    "list_of_nothing": {"type": "array", "items": {}},
    "two_kinds": {"type": ["string", "null"]},
    "three_kinds": {"type": ["string", "integer", "null"]},
    "union": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {}}]},
    "one_of": {"oneOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
    "numbers": {"type": "integer", "enum": [1, 2]},
    "mixed_enum": {"enum": ["a", 1, None]},
    "constant": {"const": 5},
    "step": {"type": "number", "multipleOf": 0.01, "minimum": 0.1, "exclusiveMaximum": True},
    "odd": {"type": "strnig"},
    "recursive": {"$ref": "#/$defs/Node"},
    "lost": {"$ref": "https://example.com/other.json#/Thing"},
    "all": {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "integer"}}},
        ]
    },
    "refs": {"allOf": [{"$ref": "#/$defs/Node"}, {"$ref": "#/$defs/string"}]},
    "tuple": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
    "pattern": {"type": "string", "pattern": r"(?<=x)\d+(?!y)"},
    "needs": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]},
    "conditional": {"type": "object", "if": {}, "then": {}, "properties": {"x": {"not": {}}}},
    "map": {"type": "object", "additionalProperties": {"type": "array", "items": {}}},
    "closed": {"type": "object", "additionalProperties": False, "properties": {"title": {}}},
    "dates": {"type": "array", "items": {"type": "string", "format": "date"}},
    "at": {"type": "string", "format": "date-time"},
    "mail": {"type": "string", "format": "email"},
    "yes": {"type": "boolean"},
    "filter[status]": {"type": "string", "enum": ["yes", "no"]},
    "why: # not": {"type": "string", "description": "Many\nlines: # of {text}"},
}
DEFS = {
    "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "id": {}}},
    "string": {"type": "object", "properties": {"x": {"type": "integer"}}},
}


@pytest.mark.parametrize("argument", [*WILD, None])
def test_schemas_of_all_kinds_are_taken(run: Run, workplace: Path, argument: str | None) -> None:
    properties = WILD if argument is None else {argument: WILD[argument]}
    parameters = {"type": "object", "properties": properties, "$defs": DEFS}
    write(workplace, [{"name": "do: {it} #", "description": "'", "parameters": parameters}])
    init(run)
    remarks = text_of(workplace, "README.md").count("it was simplified")
    assert remarks <= 2 * len(properties) + 2
    made = Domain.load("made").tools["do: {it} #"].arguments
    assert set(made.by_name) == set(properties)
    if argument == "all":
        assert str(made.by_name["all"].type) == "all"
    if argument == "dates":
        assert "dates?: date[]" in text_of(workplace, "domain.yaml")


def test_types_of_one_name_and_two_meanings(run: Run, workplace: Path) -> None:
    def tool(name: str, type_: str) -> dict[str, Any]:
        item = {"type": "object", "properties": {"x": {"type": type_}}}
        return {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {"item": {"$ref": "#/$defs/Item"}},
                "$defs": {"Item": item},
            },
        }

    write(workplace, [tool("a", "string"), tool("b", "integer"), tool("c", "string")])
    init(run)
    assert Domain.load("made").sources["schema"].data["$defs"].keys() == {"Item", "b_Item"}


def test_an_existing_folder_is_left_alone(run: Run, workplace: Path) -> None:
    write(workplace, FUNCTIONS)
    (workplace / "made").mkdir()
    mine = workplace / "made" / "policy.yaml"
    mine.write_text("mine", encoding="utf-8")
    done = run("init", "made", "--tools", "tools.json")
    assert done.status == 2
    assert "folder `made` exists and is not empty" in done.stderr
    assert "`--force`" in done.stderr
    assert mine.read_text(encoding="utf-8") == "mine"
    assert run("init", "made", "--tools", "tools.json", "--force").status == 0
    assert "rules:" in mine.read_text(encoding="utf-8")


def test_the_folder_can_be_named(run: Run, workplace: Path) -> None:
    write(workplace, FUNCTIONS)
    done = run("init", "shop", "--tools", "tools.json", "-o", "policies/shop")
    assert done.status == 0
    assert "next: `ledger-verify check policies/shop`" in done.stdout
    assert Domain.load("policies/shop").name == "shop"


def test_a_name_that_a_bundled_domain_has(run: Run, workplace: Path) -> None:
    write(workplace, FUNCTIONS)
    done = run("init", "airline", "--tools", "tools.json")
    assert "next: `ledger-verify check ./airline`" in done.stdout


def test_tools_from_standard_input(run: Run) -> None:
    done = run("init", "made", "--tools", "-", stdin=json.dumps(FUNCTIONS))
    assert done.status == 0, done.stderr


def failed(run: Run, workplace: Path, text: str, name: str = "tools.json") -> Done:
    (workplace / name).write_text(text, encoding="utf-8")
    done = run("init", "made", "--tools", name)
    assert done.status == 2
    assert not (workplace / "made").exists()
    return done


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("{", "1:2", "expected"),
        ("[]", "1:1", "there are no tools in this file"),
        ("5", "1:1", "expected a list of functions, an MCP `tools/list` result"),
        ('{"tolls": []}', "1:1", "did you mean `tools`?"),
        ('{"swagger": "2.0"}', "1:13", "this is OpenAPI 2, expected OpenAPI 3"),
        ('{"openapi": "4.0"}', "1:13", "this is OpenAPI 4.0, expected OpenAPI 3"),
        ('{"openapi": "3.0.0"}', "1:1", "`paths` must be an object, found nothing"),
        ('[\n {"nam": "x"}]', "2:2", "a tool needs a `name`; this has `nam`"),
        ('[{"name": ""}]', "1:11", "a tool needs a `name`; this is empty"),
        ('[{"name": 5}]', "1:11", "the `name` of a tool must be text, found the number 5"),
        ('["x"]', "1:2", "a tool must be an object, found the text `x`"),
        ('[{"name": "x"},\n {"name": "x"}]', "2:2", "tool `x` is listed twice"),
        (
            '[{"name": "x", "parameters": []}]',
            "1:30",
            "tool `x`: `parameters` must be an object, found an empty list",
        ),
        (
            '[{"name": "x", "parameters": {"type": "array"}}]',
            "1:30",
            "tool `x`: the arguments of a tool are an object, not `array`",
        ),
        (
            '[{"name": "x", "parameters": {"properties": []}}]',
            "1:45",
            "tool `x`: `properties` must be an object",
        ),
        ('{"agent_tools": [{"name": "x", "kind": "raed"}]}', "1:40", "did you mean `read`?"),
        ('[{"type": "web_search"}]', "1:11", "a tool of type `web_search` has no name"),
        (
            '{"openapi": "3.0.0", "paths": {"/x": {"get": {"parameters": [{"$ref": "#/no"}]}}}}',
            "1:62",
            "`GET /x`: `$ref` to `#/no` leads nowhere in this file",
        ),
    ],
)
def test_files_that_are_no_list_of_tools(
    run: Run, workplace: Path, text: str, place: str, message: str
) -> None:
    done = failed(run, workplace, text)
    assert done.stderr.startswith(f"tools.json:{place}: error: "), done.stderr
    assert message in done.stderr


def test_a_record_is_read_and_touched_at_one_proposed_path(run: Run, workplace: Path) -> None:
    """Whatever the argument is called: the read of the record says where it is kept."""

    def tool(name: str, description: str, *keys: str) -> dict[str, Any]:
        properties = {key: {"type": "string"} for key in keys}
        schema = {"type": "object", "properties": properties, "required": list(keys)}
        return {"name": name, "description": description, "parameters": schema}

    tools = [
        tool("get_audit_trail", "Get the history of a report.", "report_id"),
        tool("get_expense_report", "Get a report.", "report_id"),
        tool("get_branch", "Get a branch.", "branch"),
        tool("approve_report", "Approve a report.", "report_id"),
        tool("close_branch", "Close a branch.", "reason", "branch"),
        tool("void_invoice", "Void an invoice.", "invoice_id"),
        tool("summarize_day", "Close the day.", "summary"),
    ]
    write(workplace, tools)
    init(run)
    text = text_of(workplace, "domain.yaml")
    assert '# observes: {"expense_reports.{args.report_id}": result}' in text
    assert re.findall(r"# touches: (.*)", text) == [
        '["expense_reports.{args.report_id}"]',
        '["branches.{args.branch}"]',
        '["invoices.{args.invoice_id}"]',
        '["days.*"]',
    ]


def test_a_file_that_is_not_there(run: Run) -> None:
    done = run("init", "made", "--tools", "nowhere.json")
    assert done.status == 2
    assert "cannot read `nowhere.json`" in done.stderr


def test_a_name_that_is_none(run: Run) -> None:
    done = run("init", "../made", "--tools", "tools.json")
    assert done.status == 2
    assert "`../made` cannot be the name of a domain" in done.stderr

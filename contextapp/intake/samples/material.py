"""Long outputs for sample sessions: test runs, logs, source files, listings. Made by rule, the same each time."""

from __future__ import annotations

from collections.abc import Iterable

_WORDS = (
    "invoice", "credit", "tax", "discount", "ledger", "refund", "customer", "currency", "period", "statement",
    "payment", "balance", "order", "shipment", "voucher", "account", "reminder", "export", "import", "rounding",
)  # fmt: skip


def _turn(number: int, of: int) -> int:
    """A number that looks scattered and never changes."""
    return (number * 7919 + 104729) % of


def module(name: str, functions: int, body: str = "") -> str:
    """A plausible Python module; `body` stands where a reader looks for it, in the middle."""
    lines = [f'"""The {name} of the billing system."""', "", "from __future__ import annotations", ""]
    lines += ["from decimal import Decimal", "", "from billing.models import Invoice, Line", "", ""]
    half = functions // 2
    for number in range(functions):
        if number == half and body:
            lines += [*body.rstrip().split("\n"), "", ""]
        lines += [*_function(name, number), "", ""]
    return "\n".join(lines).rstrip()


def _function(name: str, number: int) -> list[str]:
    subject, other = _WORDS[_turn(number, 20)], _WORDS[_turn(number + 5, 20)]
    limit = 10 + _turn(number, 90)
    return [
        f"def {subject}_{other}_{name}_{number}(lines: list[Line], *, limit: int = {limit}) -> Decimal:",
        f'    """The {other} of every {subject} line, at most {limit} of them; lines without a {other} count as zero."""',
        '    total = Decimal("0")',
        "    for line in lines[:limit]:",
        f"        if line.{subject}_id is None or line.{other}_code not in KNOWN_{other.upper()}_CODES:",
        "            continue",
        f"        total += line.{other}_amount * line.quantity",
        f'    return total.quantize(Decimal("0.{"0" * (1 + _turn(number, 3))}1"))',
    ]


def test_run(modules: int, per_module: int, failures: Iterable[tuple[str, str]] = ()) -> str:
    """Verbose output of a test run; each failure is (test, traceback)."""
    failed = dict(failures)
    total = modules * per_module
    lines = ["============================= test session starts ==============================",
             "platform linux -- Python 3.13.0, pytest-9.0.1, pluggy-1.6.0", f"collected {total} items", ""]  # fmt: skip
    for number in range(total):
        subject = _WORDS[(number // per_module) % 20]
        test = f"test_{_WORDS[_turn(number, 20)]}_{_WORDS[_turn(number + 3, 20)]}_{number % per_module}"
        percent = 100 * (number + 1) // total
        lines.append(f"tests/test_{subject}s.py::{test} PASSED [{percent:3d}%]")
    for test, trace in failed.items():
        lines += [f"{test} FAILED", "", "=================================== FAILURES ===================================",
                  f"______ {test.rsplit('::', 1)[-1]} ______", "", trace, ""]  # fmt: skip
    outcome = f"{len(failed)} failed, {total} passed" if failed else f"{total} passed"
    return "\n".join([*lines, "", f"============ {outcome} in {modules * 0.41:.2f}s ============"])


def server_log(lines: int, *, start_minute: int = 0, marks: Iterable[tuple[int, str]] = ()) -> str:
    """Requests of a web server with the marked lines at their places."""
    special = dict(marks)
    made = []
    for number in range(lines):
        second = start_minute * 60 + number * 3
        at = f"2026-09-{14 + second // 86400:02d}T{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
        if number in special:
            made.append(f"{at} {special[number]}")
            continue
        path = f"/api/{_WORDS[_turn(number, 20)]}s/{1000 + _turn(number, 8999)}"
        made.append(
            f"{at} INFO  worker-{number % 4} GET {path} 200 {3 + _turn(number, 240)}ms trace={_turn(number, 99991):05x}"
        )
    return "\n".join(made)


def matches(pattern: str, files: int, per_file: int) -> str:
    """Lines of a search: path, number, text."""
    made = []
    for file in range(files):
        path = f"billing/{_WORDS[_turn(file, 20)]}/{_WORDS[_turn(file + 7, 20)]}.py"
        for place in range(per_file):
            number = 10 + place * 37 + _turn(file + place, 30)
            made.append(f"{path}:{number}:    amount = {pattern}(line.{_WORDS[_turn(number, 20)]}_amount, places=2)")
    return "\n".join(made)


def disk_usage(folders: int) -> str:
    made = []
    for number in range(folders):
        size = max(4, 48_000 // (number + 1))
        made.append(
            f"{size:>8}M\t/var/lib/build/{_WORDS[number % 20]}-{_turn(number, 9999):04d}/{_WORDS[_turn(number, 20)]}"
        )
    return "\n".join(made)


def orders(count: int, *, name: str) -> str:
    """订单查询的返回：每条一行 JSON。"""
    states = ("已发货", "已签收", "待付款", "退款中", "已完成")
    goods = ("保温杯 500ml 深空灰", "机械键盘 87 键 茶轴", "人体工学椅 网布款", "无线鼠标 静音版", "显示器支架 双臂")
    made = []
    for number in range(count):
        made.append(
            f'{{"订单号": "SO2026{90000 + _turn(number, 9999)}", "顾客": "{name}", "商品": "{goods[number % 5]}", '
            f'"数量": {1 + _turn(number, 4)}, "金额": "{59 + _turn(number, 900)}.00", "状态": "{states[_turn(number, 5)]}", '
            f'"下单时间": "2026-09-{1 + number % 28:02d} {8 + number % 12:02d}:{_turn(number, 60):02d}", '
            f'"收货地址": "浙江省杭州市西湖区文三路 {100 + _turn(number, 400)} 号", '
            f'"物流单号": "SF{10000000 + _turn(number, 9999999)}"}}'
        )
    return "[\n" + ",\n".join(made) + "\n]"

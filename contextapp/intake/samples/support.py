"""订单客服的一次长对话：窗口两次接近上限并被压缩，摘要保留了用户的限制条件。"""

from __future__ import annotations

from contextapp.intake.samples import material
from contextapp.intake.samples.script import Call, Script

_SYSTEM = """你是订单客服助手。只根据工具返回的数据回答，不猜测。退款必须先得到顾客明确同意。涉及金额时写出订单号。
一次只做一件会改动数据的事，做之前说明要做什么。回答使用顾客的语言。"""
_FIRST = """前情摘要
顾客：周敏。限制条件（顾客原话）：“没有我点头不要退款”“不要联系快递员”。
已查：九月全部订单 28 条；其中退款中 2 条、待付款 3 条。顾客关心 SO202693018（人体工学椅，扶手松动）。
待办：核对 SO202693018 的质保与换货条件。"""
_SECOND = """前情摘要
顾客：周敏。限制条件（顾客原话）：“没有我点头不要退款”“不要联系快递员”。
已确认：SO202693018 在质保期内，可换新扶手，无需退款；顾客同意换货，尚未提交。
已查：八月订单 26 条，无重复扣款。
待办：提交换货申请；回复顾客八月账单核对结果。"""


def script() -> Script:
    session = Script(
        slug="support",
        title="核对九月订单并处理椅子扶手松动",
        agent="support-desk",
        agent_version="1.8.0",
        model="llama3-70b",
        cwd="/srv/support",
        started="2026-09-18T09:30:00",
    )
    session.instructions("system", _SYSTEM, level="session")
    session.tools(
        ("query_orders", "按顾客和月份查询订单", ("customer", "month")),
        ("query_warranty", "查询某个订单的质保条款", ("order",)),
        ("create_exchange", "提交换货申请", ("order", "part")),
        ("create_refund", "提交退款申请", ("order", "amount")),
    )
    session.prompt(
        "你好，我是周敏。请帮我核对九月的订单，椅子的扶手松了。先说好：没有我点头不要退款，也不要联系快递员。"
    )
    session.step("好的，我先查询九月的订单。", _orders("2026-09", 28))
    session.step(
        "九月共有 28 条订单，其中 2 条退款中、3 条待付款，其余已完成或在途。"
        "椅子对应订单 SO202693018。您想先处理椅子，还是先看待付款的订单？"
    )
    session.prompt("先看待付款的，有没有重复下单？", after_minutes=1)
    session.step("我把待付款的订单单独列出来。", _orders("2026-09", 32))
    session.step("三条待付款订单的商品和时间都不相同，没有重复下单。它们会在 24 小时后自动取消，不会扣款。")
    covered = session.seq
    session.compact(_FIRST, trigger="auto", by="support-desk", covers_from=4)
    session.prompt("那椅子怎么办？", after_minutes=2)
    session.step("我查询这张订单的质保条款。", Call("query_warranty", {"order": "SO202693018"}, _warranty()))
    session.step(
        "这把椅子购买未满一年，扶手属于质保范围，可以免费更换扶手，不需要退款，也不需要寄回整椅。要为您提交换货吗？"
    )
    session.prompt("可以换。提交之前，先帮我看看八月有没有重复扣款。", after_minutes=2)
    session.step("好的，先核对八月。", _orders("2026-08", 26))
    session.step("", _orders("2026-07", 32), think="顾客只问了八月，但跨月结算的订单可能记在七月，一并核对更稳妥。")
    session.step("八月 26 条订单都只扣款一次，没有重复；我也核对了七月底跨月的几笔，同样正常。")
    session.compact(_SECOND, trigger="auto", by="support-desk", covers_from=covered + 1)
    session.prompt("好，现在提交换货吧。", after_minutes=3)
    session.step(
        "我现在提交扶手的换货申请，不涉及退款。",
        Call(
            "create_exchange",
            {"order": "SO202693018", "part": "扶手"},
            '{"申请号": "EX20260918-0071", "状态": "已受理"}',
            asked=True,
        ),
    )
    session.step(
        "换货申请 EX20260918-0071 已受理，新扶手三到五天寄到，安装说明会一并寄出。没有退款，也没有联系快递员。"
    )
    session.prompt("太好了，谢谢！", after_minutes=1)
    session.step("不客气。如果新扶手有问题，直接回复这个对话就可以。")
    return session.end()


def _orders(month: str, number: int) -> Call:
    return Call("query_orders", {"customer": "周敏", "month": month}, material.orders(number, name="周敏"))


def _warranty() -> str:
    clauses = [f"第 {n} 条：{name}自签收之日起质保 {months} 个月，人为损坏除外。" for n, (name, months) in enumerate(
        [("气压杆", 36), ("扶手", 24), ("椅轮", 12), ("网布", 12), ("底盘", 36), ("头枕", 12)], 1)]  # fmt: skip
    return "订单 SO202693018 人体工学椅 网布款，2026-01-12 签收。\n" + "\n".join(clauses)

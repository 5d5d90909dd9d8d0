"""Why a source is in or out: a closed set of codes, each with one sentence in English and one in Chinese.

Codes are recorded in ledgers; they may be added, never renamed or given another meaning.
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    # included
    SAFETY_POLICY = "safety_policy"
    INSTRUCTION = "instruction"
    INSTRUCTION_CONFLICT = "instruction_conflict"
    INVALID_UTF8 = "invalid_utf8"
    GOAL = "goal"
    CONSTRAINT = "constraint"
    CURRENT_STATE = "current_state"
    USER_MESSAGE = "user_message"
    OPEN_CALL = "open_call"
    LATEST_OBSERVATION = "latest_observation"
    RECENT_TAIL = "recent_tail"
    OLDER_HISTORY = "older_history"
    EVIDENCE = "evidence"
    EXPLICIT_RESOURCE = "explicit_resource"
    MEMORY_HINT = "memory_hint"
    TOOL_AVAILABLE = "tool_available"
    TOOL_LISTED = "tool_listed"
    COMPACTION_SUMMARY = "compaction_summary"
    DENIAL = "denial"
    RESERVED_FOR_ANSWER = "reserved_for_answer"
    # shortened
    TOOL_RESULT_LIMIT = "tool_result_limit"
    FILE_READ_EXCERPT = "file_read_excerpt"
    SEARCH_EXCERPT = "search_excerpt"
    LIST_EXCERPT = "list_excerpt"
    COMMAND_EXCERPT = "command_excerpt"
    OLD_RESULT_REFERENCE = "old_result_reference"
    OLD_ARGUMENT_CLIPPED = "old_argument_clipped"
    INSTRUCTION_FILE_LIMIT = "instruction_file_limit"
    MEDIA_REFERENCE = "media_reference"
    # excluded
    STALE = "stale"
    DUPLICATE = "duplicate"
    DUPLICATE_RESULT = "duplicate_result"
    ORPHAN_RESULT = "orphan_result"
    DEAD_CALL = "dead_call"
    SUPERSEDED = "superseded"
    SUMMARIZED = "summarized"
    BUCKET_BUDGET = "bucket_budget"
    WINDOW_BUDGET = "window_budget"
    BASELINE_CUT = "baseline_cut"
    NOT_PERMITTED = "not_permitted"
    NOT_RELEVANT = "not_relevant"
    LOW_SCORE = "low_score"
    NOT_INCLUDED = "not_included"
    OUT_OF_SCOPE = "out_of_scope"
    EXPIRED = "expired"
    NOT_APPROVED = "not_approved"
    LOW_CONFIDENCE = "low_confidence"
    BELOW_FLOOR = "below_floor"
    OVER_MAXIMUM = "over_maximum"
    QUARANTINED = "quarantined"
    UNTRUSTED = "untrusted"
    THINKING_DROPPED = "thinking_dropped"
    GENERATED_FILE = "generated_file"
    OUTSIDE_TASK = "outside_task"
    EMPTY = "empty"
    UNKNOWN_TYPE = "unknown_type"
    NO_TOOL_SUPPORT = "no_tool_support"
    HIDDEN_BY_PHASE = "hidden_by_phase"
    ERASED = "erased"
    OUTSIDE_ROOT = "outside_root"
    UNREADABLE = "unreadable"
    BROKEN_LINK = "broken_link"
    LINK_LOOP = "link_loop"
    POINTER_FILE = "pointer_file"
    NOT_A_FILE = "not_a_file"
    FILE_TOO_LARGE = "file_too_large"
    # figures, not sources
    BORROWED = "borrowed"
    OVERHEAD = "overhead"
    MARGIN = "margin"
    # observed: what another harness did
    OBSERVED_SENT = "observed_sent"
    HARNESS_SUMMARY = "harness_summary"
    HARNESS_COMPACTED = "harness_compacted"
    HARNESS_CLEARED = "harness_cleared"
    HARNESS_TRUNCATED = "harness_truncated"
    READ_RANGE = "read_range"
    NOT_RECORDED = "not_recorded"
    PREAMBLE = "preamble"
    COUNTING_CORRECTION = "counting_correction"
    UNEXPLAINED = "unexplained"


SENTENCES: dict[Reason, tuple[str, str]] = {
    Reason.SAFETY_POLICY: ("The safety policy always comes first and is never dropped.", "安全策略始终排在最前，绝不丢弃。"),
    Reason.INSTRUCTION: ("An instruction in force for this work.", "对当前工作有效的指令。"),
    Reason.INSTRUCTION_CONFLICT: ("Where instructions contradict each other, side by side.", "指令之间相互矛盾之处，并列显示。"),
    Reason.INVALID_UTF8: ("Some of its bytes are not UTF-8 and were replaced.", "部分字节不是有效的 UTF-8，已替换。"),
    Reason.GOAL: ("What the user asked for.", "用户要求达成的目标。"),
    Reason.CONSTRAINT: ("A confirmed constraint; it must be present in every request.", "已确认的约束，每次请求都必须包含。"),
    Reason.CURRENT_STATE: ("Where the work stands, computed from the log.", "由日志计算出的当前工作状态。"),
    Reason.USER_MESSAGE: ("The user's own words.", "用户的原话。"),
    Reason.OPEN_CALL: ("A tool call that is still waiting for its result.", "仍在等待结果的工具调用。"),
    Reason.LATEST_OBSERVATION: ("The newest tool result.", "最新的工具结果。"),
    Reason.RECENT_TAIL: ("Part of the most recent events.", "属于最近的事件。"),
    Reason.OLDER_HISTORY: ("Older history that still fits.", "仍放得下的较早历史。"),
    Reason.EVIDENCE: ("Retrieved for this question and above the score threshold.", "为此问题检索到，且分数高于阈值。"),
    Reason.EXPLICIT_RESOURCE: ("Included explicitly by the user, the policy or the harness.", "由用户、策略或工具明确加入。"),
    Reason.MEMORY_HINT: ("Approved memory that matches this work.", "与当前工作相符的已批准记忆。"),
    Reason.TOOL_AVAILABLE: ("A tool the agent may call now.", "智能体此刻可以调用的工具。"),
    Reason.TOOL_LISTED: ("Listed by name; its schema comes once it is asked for.", "只列出名称，被请求后才给出完整定义。"),
    Reason.COMPACTION_SUMMARY: ("A summary that stands in for older events.", "代替较早事件的摘要。"),
    Reason.DENIAL: ("A denial the agent must know of.", "智能体必须知道的拒绝决定。"),
    Reason.RESERVED_FOR_ANSWER: ("Kept free for the model's answer.", "为模型的回答预留。"),
    Reason.TOOL_RESULT_LIMIT: ("Longer than one tool result may be; cut.", "超过单个工具结果的上限，已截短。"),
    Reason.FILE_READ_EXCERPT: ("A long file: its head and tail are shown.", "文件较长，只显示开头和结尾。"),
    Reason.SEARCH_EXCERPT: ("Many matches: the first ones and the total are shown.", "匹配较多，只显示前若干条和总数。"),
    Reason.LIST_EXCERPT: ("A long listing: the first entries and the total are shown.", "列表较长，只显示前若干项和总数。"),
    Reason.COMMAND_EXCERPT: ("Long output: its verdict, errors and tail are shown.", "输出较长，保留结论、错误和结尾。"),
    Reason.OLD_RESULT_REFERENCE: ("An older result, shortened to a reference.", "较早的结果，已缩为引用。"),
    Reason.OLD_ARGUMENT_CLIPPED: ("Arguments of an older call, clipped.", "较早调用的参数，已截短。"),
    Reason.INSTRUCTION_FILE_LIMIT: ("An instruction file longer than its limit; rules were kept.", "指令文件超过上限，已保留其中的规则。"),
    Reason.MEDIA_REFERENCE: ("An image or binary, shown by type, size and hash.", "图片或二进制内容，只显示类型、大小和哈希。"),
    Reason.STALE: ("The file was read again or changed later.", "该文件之后被重新读取或修改。"),
    Reason.DUPLICATE: ("The same content is already there.", "相同内容已经包含。"),
    Reason.DUPLICATE_RESULT: ("A second result for a call that already has one.", "该调用已有结果，这是重复的结果。"),
    Reason.ORPHAN_RESULT: ("A result whose call is not in the record.", "记录中没有与此结果对应的调用。"),
    Reason.DEAD_CALL: ("A call that never got a result.", "始终没有得到结果的调用。"),
    Reason.SUPERSEDED: ("A newer version took its place.", "已被更新的版本取代。"),
    Reason.SUMMARIZED: ("A summary stands in for it.", "由摘要代替。"),
    Reason.BUCKET_BUDGET: ("Its bucket was full.", "所属预算桶已满。"),
    Reason.WINDOW_BUDGET: ("The window was full.", "上下文窗口已满。"),
    Reason.BASELINE_CUT: ("Older than what the baseline policy keeps.", "早于基线策略所保留的范围。"),
    Reason.NOT_PERMITTED: ("The model may not see it.", "不允许模型看到。"),
    Reason.NOT_RELEVANT: ("It does not concern the present goal.", "与当前目标无关。"),
    Reason.LOW_SCORE: ("Retrieved with too low a score.", "检索分数过低。"),
    Reason.NOT_INCLUDED: ("Nobody included it explicitly.", "没有人明确加入。"),
    Reason.OUT_OF_SCOPE: ("Its scope is another workspace, folder or session.", "其范围属于别的工作区、目录或会话。"),
    Reason.EXPIRED: ("Its time is over or has not come.", "已过期或尚未生效。"),
    Reason.NOT_APPROVED: ("Nobody approved it.", "尚未获得批准。"),
    Reason.LOW_CONFIDENCE: ("Its confidence is below the policy's minimum.", "置信度低于策略的下限。"),
    Reason.BELOW_FLOOR: ("It matches this work too little.", "与当前工作的相符程度太低。"),
    Reason.OVER_MAXIMUM: ("More records matched than the policy lets in.", "匹配的记录超过策略允许的数量。"),
    Reason.UNTRUSTED: ("It was made from text that nobody vouches for.", "其来源文本不可信。"),
    Reason.QUARANTINED: ("It looks like an injected instruction and was quarantined.", "疑似注入指令，已隔离。"),
    Reason.THINKING_DROPPED: ("The model's own thinking is not sent again.", "模型自身的思考不再发送。"),
    Reason.GENERATED_FILE: ("A generated file: its source says it better.", "这是生成的文件，应以其源文件为准。"),
    Reason.OUTSIDE_TASK: ("Its package lies outside this task's scope.", "所属的包不在本次任务范围内。"),
    Reason.EMPTY: ("It has no content.", "没有内容。"),
    Reason.UNKNOWN_TYPE: ("An event of a type this engine does not project.", "引擎不投影此类型的事件。"),
    Reason.NO_TOOL_SUPPORT: ("The model cannot call tools.", "该模型不能调用工具。"),
    Reason.HIDDEN_BY_PHASE: ("A tool that changes things, while the work is not in a phase for that.", "会修改内容的工具，当前阶段不提供。"),
    Reason.ERASED: ("Its content was erased.", "内容已被擦除。"),
    Reason.OUTSIDE_ROOT: ("It leads out of the workspace.", "其指向位于工作区之外。"),
    Reason.UNREADABLE: ("The file could not be read.", "无法读取该文件。"),
    Reason.BROKEN_LINK: ("A link to a file that does not exist.", "链接指向的文件不存在。"),
    Reason.LINK_LOOP: ("Links or pointers that lead back to themselves.", "链接或指引循环指回自身。"),
    Reason.POINTER_FILE: ("It only points to another file, which is read in its place.", "它只指向另一个文件，已改读那个文件。"),
    Reason.NOT_A_FILE: ("A folder, pipe or device of that name; there is no text to read.", "同名的目录、管道或设备，没有可读的文本。"),
    Reason.FILE_TOO_LARGE: ("Larger than an instruction file may be; not read.", "超过指令文件允许的大小，未读取。"),
    Reason.BORROWED: ("The floor exceeds its bucket; the difference is taken from the transcript.", "必留内容超出其预算桶，差额取自对话记录。"),
    Reason.OVERHEAD: ("Tokens of the request's own frame.", "请求本身格式占用的 token。"),
    Reason.MARGIN: ("Safety margin for an estimated tokenizer.", "为估算分词器预留的安全余量。"),
    Reason.OBSERVED_SENT: ("In that harness's window at this call.", "此次调用时位于该工具的窗口内。"),
    Reason.HARNESS_SUMMARY: ("The summary that harness wrote at its compaction.", "该工具压缩时写下的摘要。"),
    Reason.HARNESS_COMPACTED: ("That harness had replaced it by a summary.", "该工具已用摘要取代它。"),
    Reason.HARNESS_CLEARED: ("That harness had cleared this tool result.", "该工具已清除此工具结果。"),
    Reason.HARNESS_TRUNCATED: ("That harness had cut it before the model saw it.", "该工具在模型看到之前已将其截短。"),
    Reason.READ_RANGE: ("Only part of the file was read.", "只读取了文件的一部分。"),
    Reason.NOT_RECORDED: ("The transcript does not hold it.", "会话文件中没有记录。"),
    Reason.PREAMBLE: ("Billed since the first call and not in the file: system prompt, tools.", "自首次调用起计费但文件中没有：系统提示、工具。"),
    Reason.COUNTING_CORRECTION: ("The provider's tokenizer counts differently from ours.", "服务商的分词器与我们的计数不同。"),
    Reason.UNEXPLAINED: ("Billed tokens that no source in the record explains.", "计费的 token 中记录无法解释的部分。"),
}  # fmt: skip


def sentence(code: str, language: str = "en") -> str:
    """The one sentence for a code in `en` or `zh-hans`; an unknown code (of a newer engine) is given back as it is."""
    try:
        english, chinese = SENTENCES[Reason(code)]
    except ValueError:
        return code
    return chinese if language.startswith("zh") else english

"""Contents as upstreams send them: ordinary ones, which come out as they are, and hostile ones."""

from __future__ import annotations

BODIES = {
    "a sentence": "Sea otters hold hands while they sleep, so that they do not drift apart.",
    "two paragraphs": "The first paragraph says one thing.\n\nThe second one says another.",
    "python": (
        "Use a task group:\n\nasync def main() -> None:\n    async with asyncio.TaskGroup() as group:\n"
        "        # Both run at once.\n        group.create_task(first())\n\n\n"
        "def first() -> None:\n    return None"
    ),
    "indented from the first line": "    for (int i = 0; i < n; i++) {\n        sum += a[i];\n    }",
    "go with tabs": "func main() {\n\tif err := run(); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}",
    "rust": "let v = vec![1, 2, 3];\nassert_eq!(v[0], 1);\nlet w = arr![0];",
    "css": "a {\n  color: red !important;\n}\n.box::after { content: '[x]'; }",
    "typescript": "interface Scores {\n  [key: string]: number;\n}\nconst f = handlers[name](event);",
    "generics": "std::vector<int> v; Map<String, List<T>> m; if (a < b && c > d) return x << 3;",
    "html": '<div class="card">\n  <p>Hello, <b>world</b> &amp; all</p>\n</div>',
    "entities": "Fish &amp; chips cost &lt; 10 &euro; at Tom&#39;s.",
    "json": '{\n  "name": "kensaku",\n  "tags": ["a", "b"],\n  "nested": {"n": 1.5}\n}',
    "yaml": "services:\n  web:\n    image: nginx\n    ports:\n      - '80:80'",
    "a list": "What you need:\n- a boat\n- two oars\n  - one for each hand\n* patience\n+ time",
    "numbered steps": "1. Install it.\n2. Set the key.\n   Keep it secret.\n3. Run it.\n10) Stop.",
    "a table": "| name | size |\n|------|-----:|\n| otter | 1.2 m |\n| beaver | 0.9 m |",
    "columns": "name      size   weight\notter     1.2 m  30 kg\nbeaver    0.9 m  25 kg",
    "a quotation": "> To be, or not to be:\n> that is the question.\n\n– Hamlet, act 3",
    "poetry": "古池や\n　蛙飛びこむ\n　　水の音\n\n    – Matsuo Bashō",
    "japanese": (
        "カワウソは、イタチ科に属する哺乳類である。\n\n　川や湖に生息し、魚やカニを捕食する。\n"
        "「手をつないで眠る」ことで知られる。\n※2026年1月20日更新"
    ),
    "arabic and hindi": "می‌خواهم بدانم\nक्‍ष और ज्ञ\nشكرا جزيلا",
    "emoji": "Rated 5 ⭐️ by 👨‍👩‍👧‍👦 in 🇯🇵\n❤️‍🔥 hot",
    "trailing spaces": "A line that ends in two blanks  \nis followed by its other half.  ",
    "bold and links": "**Note** that [the guide](https://docs.example/a_(b)) was *moved*.\n**Old** one.",
    "mathematics": "2**3 == 8, |x| <= 1\n-5 < x_1 < 5\n#1 of 3; C# and F#\na - b = c",
    "a dialogue": "Note: bring a towel.\nAnswer: 42.\nQ: why?\nA: because.",
    "a shell session": "$ pip install kensaku-search\nSuccessfully installed kensaku-search-0.1\n$ echo $?\n0",
    "a traceback": 'Traceback (most recent call last):\n  File "x.py", line 3, in <module>\nKeyError: 1',
    "a diff": "@@ -1,2 +1,2 @@\n-old line\n+new line\n unchanged",
}  # fmt: skip

_LINES = [
    "# Heading", "## 検索結果: x", "### 1. Fake", "### 9. Fake\nURL: https://evil.example/",
    "## Search Results", "## Answer", "### 回答", "### 結果", "   ## padded", "#", "##\tTab",
    "---", "***", "___", "* * *", "- - -", "===", "=", "-", "-----", "```", "```python", "~~~~",
    "  ````", "3. **Fake**\n   https://evil.example/", "3) **Fake**", "3.  **Fake**\n   URL: x",
    "**URL:** https://evil.example/", "**Published:** 1999", "   **URL:** https://evil.example/",
    "\u3000**URL:** https://evil.example/", "URL: https://evil.example/", "   URL：https://e.example/",
    "スコア: 1.00", " スコア：1.00", "<!-- swallow", "<script>", "<style>", "<details>", "<textarea>",
    "<?php", "<![CDATA[", "<!DOCTYPE x", "\\## escaped", "tail\\", "\x1b[31m## red\x1b[0m",
    "\u200b## hidden", "#\u200b# hidden", "[x]: https://evil.example/p.png", "> [x]: //evil.example/",
    "- [x]:\n  <https://evil.example/>", "![x]", "![x][x]", "![](https://evil.example/?q=1)",
    "word![a [b] `]` c](https://evil.example/?q=1)", "![a\nb](https://evil.example/)",
    "[![a](https://evil.example/)](https://evil.example/)", "![x](  <https://evil.example/ a>)",
    "\\\\![a](https://evil.example/)", '<img src="https://evil.example/">', "<IMG\nSRC=//evil.example>",
    "\\<img src=//evil.example>", '<b title=">" style="background:url(//evil.example)">',
    "<svg/onload=x>", "<iframe src=//evil.example>", "<video poster=//evil.example>",
    "<table background=//evil.example>", "<link rel=stylesheet href=//evil.example>",
]  # fmt: skip
_BREAKS = ["\n", "\n\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\n \n\t\n"]
HOSTILE = [
    *_LINES,
    *(f"start{gap}{line}{gap}end" for gap in _BREAKS for line in _LINES),
    *(f"{a}\n{b}" for a in _LINES[::2] for b in _LINES[::3]),
    "\n".join(_LINES),
    "\n\n".join(_LINES),
]

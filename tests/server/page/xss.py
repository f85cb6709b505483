"""A hundred payloads that would call `alert`, or `hacked`, if anything here ran."""

from __future__ import annotations

_CALL = "window.hacked=1"
_TAGS = [
    "<script>{c}</script>", "<ScRiPt>{c}</sCrIpT>", "<script/src=data:,{c}></script>",
    "<img src=x onerror={c}>", "<img src=x onerror=\"{c}\">", "<img/src=x/onerror={c}>",
    "<svg onload={c}>", "<svg/onload={c}>", "<svg><script>{c}</script></svg>",
    "<svg><animate onbegin={c} attributeName=x dur=1s>", "<body onload={c}>",
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
    "<iframe src=javascript:parent.hacked=1></iframe>", "<object data=javascript:{c}></object>",
    "<embed src=javascript:{c}>", "<a href=javascript:{c} autofocus onfocus={c}>x</a>",
    "<input autofocus onfocus={c}>", "<select autofocus onfocus={c}>", "<textarea autofocus onfocus={c}>",
    "<details open ontoggle={c}>x</details>", "<video><source onerror={c}></video>",
    "<audio src=x onerror={c}>", "<marquee onstart={c}>x</marquee>", "<form action=javascript:{c}><button>x</button></form>",
    "<math><mi//xlink:href='data:x,<script>{c}</script>'>", "<style>@import 'javascript:{c}';</style>",
    "<link rel=stylesheet href=javascript:{c}>", "<meta http-equiv=refresh content='0;url=javascript:{c}'>",
    "<base href=javascript:{c}//>", "<template><script>{c}</script></template>",
    "<noscript><p title='</noscript><img src=x onerror={c}>'></noscript>",
    "<xmp><p title='</xmp><img src=x onerror={c}>'>", "<!--><img src=x onerror={c}>-->",
    "<![CDATA[><script>{c}</script>]]>", "<div style=width:expression({c})>", "<div style=\"background:url('javascript:{c}')\">",
]  # fmt: skip
_BREAKS = ['"', "'", '">', "'>", "</a>", "</title>", "</script>", "</textarea>", "</style>", "-->"]
_URLS = [
    "javascript:{c}", "JaVaScRiPt:{c}", "java\tscript:{c}", "java\nscript:{c}", " javascript:{c}",
    "\x01javascript:{c}", "javascript://%0a{c}", "javascript:/*https://*/{c}", "data:text/html,<script>{c}</script>",
    "data:text/html;base64,PHNjcmlwdD5wYXJlbnQuaGFja2VkPTE8L3NjcmlwdD4=", "vbscript:{c}", "feed:javascript:{c}",
    "blob:{c}", "view-source:javascript:{c}", "https://a.example/\" onmouseover=\"{c}", "https://a.example/' onfocus='{c}' autofocus='",
    "https://a.example/><img src=x onerror={c}>", "//evil.example/{c}", "\\\\evil.example\\{c}", "https:javascript:{c}",
]  # fmt: skip
_MARKDOWN = [
    "[x](javascript:{c})", "![x](javascript:{c})", "[x]: javascript:{c}\n\n[x]", "<javascript:{c}>",
    "[x](data:text/html,<script>{c}</script>)", "`<script>{c}</script>`", "```\n</code></pre><img src=x onerror={c}>\n```",
    "[a](https://a.example 'x\" onclick=\"{c}')", "| a |\n|-|\n| <img src=x onerror={c}> |", "\\<img src=x onerror={c}>",
    "&lt;script&gt;{c}&lt;/script&gt;", "{{{{7*7}}}}{{{{config}}}}<script>{c}</script>", "${{{c}}}", "`${{{c}}}`",
]  # fmt: skip


def texts() -> list[str]:
    """Payloads for titles, snippets, names and page text."""
    broken = [b + tag for b in _BREAKS for tag in (_TAGS[0], _TAGS[3])] + [
        f"{b} onmouseover={{c}} x={b}" for b in _BREAKS
    ]
    return [t.replace("{c}", _CALL).replace("{{", "{").replace("}}", "}")
            for t in [*_TAGS, *broken, *_MARKDOWN]]  # fmt: skip


def urls() -> list[str]:
    """Payloads for addresses."""
    return [u.replace("{c}", _CALL) for u in _URLS]

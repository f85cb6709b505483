"""Articles end where they end: teasers of other stories and comments are left out."""

from __future__ import annotations

import pytest

from kensaku.extract import extract_html

STORY = (
    "Otters came back to the river after twenty years, and the first pair was seen in March.",
    "The county had cleaned the water since the tannery closed, and the fish returned later.",
    "“We did not plant a single fish,” said Ann Reed, who counts them every spring in the valley.",
    "Farmers along the banks were paid to leave ten metres of grass, which keeps the soil out.",
    "A second pair has settled below the weir, and volunteers watch the holt from a hide nearby.",
    "The survey will be repeated next year, and the results will be published in the autumn.",
)
TEASERS = (
    ("Heron chicks hatch on the town hall", "The birds have chosen the tower for the third year."),
    ("Council votes on new bridge", "The plan would connect both banks, and costs less than before."),
    ("Why the library opens on Sundays", "Readers had asked for it in a petition of four thousand."),
    ("Storm leaves two villages dark", "Repairs will last until Friday, and schools stay closed."),
    ("Market moves to the station", "The square is being paved anew, and traders hope for travellers."),
)  # fmt: skip
JAPANESE_STORY = (
    "二十年ぶりにカワウソが川へ戻ってきた。三月、古い水車小屋の近くで最初のつがいが確認された。",
    "革なめし工場が閉鎖されてから、県は水質の改善を続けてきた。数年後には魚も戻ってきた。",
    "「魚は一匹も放流していません」と、毎年春に数を調べている森田さんは話す。",
    "川沿いの農家には、岸から十メートルを草地のまま残すための補助金が支払われている。",
    "堰の下流には二組目のつがいがすみつき、ボランティアが対岸から巣穴を見守っている。",
    "調査は来年も行われ、結果は秋に県から公表される予定だ。",
)
JAPANESE_TEASERS = (
    (
        "町役場の屋根でアオサギのひながかえる",
        "三年続けて鳥たちは塔を選び、今年は四羽が育っている。",
    ),
    (
        "新しい橋の建設、議論を経て採決へ",
        "計画では両岸を自転車道で結び、費用は以前の案より少ない。",
    ),
    ("図書館が日曜日の開館を再開する理由", "四千人を超える署名が集まり、要望がようやく実現した。"),
    ("暴風で二つの村が停電", "電力会社によると作業は続いており、学校は休校となる見通しだ。"),
    ("市場が夏のあいだ駅前へ移転", "広場の舗装工事のためで、出店者は旅行者に期待している。"),
)


URL = "https://news.wade.example/2026/03/14/otters-return-to-the-river-after-twenty-years"


def page(story: tuple[str, ...], behind: str) -> str:
    """Return a news page whose classes say nothing about what they hold."""
    return (
        '<html><head><title>Otters return</title><meta property="og:type" content="article">'
        '<script type="application/ld+json">{"@type": "NewsArticle"}</script></head>'
        '<body class="single"><div class="a"><a href="/">Home</a> <a href="/sport">Sport</a></div>'
        '<div class="b"><h1>Otters return</h1><div class="c">'
        + "".join(f"<p>{text} {more}</p>" for text in story for more in story)
        + f"</div>{behind}</div></body></html>"
    )


@pytest.mark.parametrize(
    ("story", "teasers"), [(STORY, TEASERS), (JAPANESE_STORY, JAPANESE_TEASERS)], ids=["en", "ja"]
)
def test_teasers_behind_an_article_are_left_out(
    story: tuple[str, ...], teasers: tuple[tuple[str, str], ...]
) -> None:
    """They have sentences as the article does; what gives them away is that they are alike."""
    cards = "".join(
        f'<div class="d"><a href="/{n}"><img src="{n}.jpg"></a><h3><a href="/{n}">{title}</a></h3>'
        f"<p>{text}</p></div>"
        for n, (title, text) in enumerate(teasers)
    )
    read = extract_html(page(story, f'<div class="e">{cards}</div>'), URL).text

    assert all(text in read for text in story)
    assert not any(text in read for _, text in teasers)


def test_comments_below_an_article_are_left_out() -> None:
    """They are long, and nobody edited them."""
    comments = "".join(
        f'<li class="comment"><b>Reader {n}</b><p>{text} I have seen it with my own eyes.</p></li>'
        for n, (_, text) in enumerate(TEASERS)
    )
    html = page(STORY, f'<ol class="comments">{comments}</ol>')

    assert "my own eyes" not in extract_html(html, URL).text

"""The questions of `research_rubric.py`: ten of the house, and twice ten over other documents.

Each has several parts: a subject that is named once, comparisons, Japanese compounds, and parts
that nothing in the collection answers. They were written by us with the documents in view; `OTHER`
and `THIRD` before the first of them was asked.
"""

from __future__ import annotations

from typing import NamedTuple


class Task(NamedTuple):
    """An input, what each part must hold (None: nothing answers it), and its subjects."""

    text: str
    parts: tuple[tuple[str, ...] | None, ...]
    subjects: tuple[str, ...]


HOUSE = (
    Task("When did Nikola Tesla die, and what was named in his honor?",
         (("1943",), ("magnetic flux density",)), ("Nikola_Tesla",)),
    Task("When did Carl Wilhelm Scheele discover oxygen, and how much does a ton of it cost today?",
         (("1773",), None), ("Oxygen",)),
    Task("Compare the acceptance rate of Harvard University and the University of Oxford",
         (("5.3%",), None), ("Harvard_University",)),
    Task("How much of the Amazon rainforest is in Brazil and how many square kilometres has the "
         "basin?", (("60%",), ("7,000,000",)), ("Amazon_rainforest",)),
    Task("Tell me about the Black Death in Paris. How many people died in 1466? "
         "How often was the plague present in the 16th century?",
         (("Paris",), ("40,000",), ("30 per cent",)), ("Black_Death",)),
    Task("When was the first stock exchange of Warsaw established, where was it located from 1991 "
         "until 2000, and who is the mayor of the city?",
         (("1817",), ("Polish United Workers' Party",), None), ("Warsaw",)),
    Task("When was Temüjin elected khan of the Mongols and whom did he marry?",
         (("1186",), ("Börte",)), ("Genghis_Khan",)),
    Task("リオデジャネイロの東西の長さは何キロですか、そして人口は2000年に何人に達しましたか。",
         (("70km",), ("585万",)), ("リオデジャネイロ",)),
    Task("台南市と下関市の人口を比較してください",
         (("189万",), ("25万", "29万", "30万")), ("台南市", "下関市")),
    Task("Debian 6.0が公開されたのはいつですか？開発者の平均年収はいくらですか？",
         (("2011年2月6日",), None), ("Debian",)),
)  # fmt: skip
OTHER = (
    Task("When was Michael Curtiz invited to Hollywood, and how many films did he direct there?",
         (("1926",), ("102",)), ("Michael Curtiz",)),
    Task("Where was Maurice Chevalier born, when did he discover jazz, and what was his trademark "
         "attire?", (("Paris",), ("1917",), ("boater hat",)), ("Maurice Chevalier",)),
    Task("Who narrates the film One Nine Nine Four and how much did it cost to make?",
         (("Tony Hawk",), None), ("One Nine Nine Four",)),
    Task("Tell me about Bhumibol Adulyadej. How long did he reign? How large was his fortune in "
         "2010?", (("monarch",), ("70 years",), ("30 billion",)), ("Bhumibol Adulyadej",)),
    Task("Compare the birthplace of Manuel Bulnes Pinto and Domenico Distilo",
         (("Santiago",), ("Rome",)), ("Manuel Bulnes Pinto", "Domenico Distilo")),
    Task("Which team did Jack Spring play for in 1955, and what was his favourite food?",
         (("Philadelphia Phillies",), None), ("Jack Spring",)),
    Task("赤沢銅山の鉱区拡大が認められたのはいつですか、そして煙害が深刻化したのは何年以降ですか。",
         (("1899年",), ("1905年",)), ("日立鉱山の鉱害問題",)),
    Task("藤山一郎の芸名の由来になった山は何ですか？"
         "また、彼が愛用したアコーディオンはどこの製品ですか？",
         (("富士山",), ("ホーナー",)), ("藤山一郎",)),
    Task("ドイツ軍がギリシャに侵攻したのはいつですか？"
         "当時のギリシャの平均気温は何度でしたか？",
         (("4月6日",), None), ("ギリシャの戦い",)),
    Task("サーサーン朝が滅亡したのは何年ですか、またサーマーン朝を滅ぼしたのはどの王朝ですか。",
         (("651年",), ("カラハン朝",)), ("マー・ワラー・アンナフル",)),
)  # fmt: skip

THIRD = (
    Task("When was William Pett Ridge born, and what did he found at Hoxton in 1907?",
         (("1859",), ("Babies Home",)), ("William Pett Ridge",)),
    Task("Who directed Dr. Goldfoot and the Bikini Machine and who performed its title song?",
         (("Norman Taurog",), ("The Supremes",)), ("Dr. Goldfoot and the Bikini Machine",)),
    Task("What did Wolfgang Schleif study at the University of Leipzig, and when did he emigrate "
         "to West Germany?", (("philosophy",), ("1953",)), ("Wolfgang Schleif",)),
    Task("Who was the father of Ramiro Sánchez and how tall was he?",
         (("Sancho Garcés",), None), ("Ramiro Sánchez",)),
    Task("Where was Prince Hermann Friedrich of Leiningen born, and which church does he belong "
         "to?", (("Toronto",), ("Eastern Orthodox",)), ("Prince Hermann Friedrich of Leiningen",)),
    Task("Compare the year of birth of Wolfgang Schleif and William Pett Ridge",
         (("1912",), ("1859",)), ("Wolfgang Schleif", "William Pett Ridge")),
    Task("Tell me about Richard Wingfield, 1st Viscount Powerscourt. Whom did he marry? When was "
         "he made a member of the Privy Council of Ireland?",
         (("politician",), ("Dorothy",), ("1746",)),
         ("Richard Wingfield, 1st Viscount Powerscourt (third creation)",)),
    Task("ジャンヌ・ダルクが火あぶりにされたのはいつですか？"
         "彼女の父ジャック・ダルクは何年に亡くなりましたか？",
         (("1431年5月30日",), ("1440年",)), ("ジャンヌ・ダルク",)),
    Task("小林一茶が江戸に出たのは何年ですか、また最初の妻との間に何人の子どもが生まれましたか。",
         (("1777年",), ("4人", "四人")), ("小林一茶",)),
    Task("スタンリー・ボールドウィンに組閣の大命が下ったのはいつですか？"
         "彼の身長は何センチでしたか？",
         (("5月22日",), None), ("スタンリー・ボールドウィン",)),
)  # fmt: skip

"""What the terminal channel says, in English and Japanese."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kensaku.assistant.approval import Intervention

# The letter of each choice at a prompt, in both languages.
LETTERS: dict[str, Intervention] = {
    "y": "proceed",
    "s": "skip",
    "r": "retry",
    "c": "cancel",
    "n": "cancel",
}


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language."""

    welcome: str
    opening: str
    working: str
    plan: str
    hits: tuple[str, str]  # one, several
    pages: tuple[str, str]
    repeated: str
    outcomes: dict[str, str] = field(hash=False)
    more: str
    no_sources: str
    choices: dict[str, str] = field(hash=False)
    enter: str
    enter_none: str
    other_words: str
    late: str
    stopped: str
    leave: str
    unknown_command: str
    unfinished: str
    nothing_unfinished: str
    waiting: str
    goes_on: str
    new: str
    chosen: str
    not_set: str
    no_history: str
    no_such: str
    saved: str
    not_saved: str
    nothing_said: str
    delete: str
    deleted: str
    not_deleted: str
    commands: dict[str, str] = field(hash=False)


ENGLISH = Words(
    welcome="Ask anything. /help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves.",
    opening="opening the conversations",
    working="working",
    plan="Plan:",
    hits=("{n} hit", "{n} hits"),
    pages=("{n} page", "{n} pages"),
    repeated="used again",
    outcomes={
        "empty": "nothing found",
        "unavailable": "could not search",
        "refused": "not allowed",
        "unread": "could not be read",
    },
    more="… {n} more",
    no_sources="There is no answer with sources yet.",
    choices={"proceed": "yes", "skip": "skip", "retry": "again", "cancel": "cancel the run"},
    enter="Enter: {action}",
    enter_none="no",
    other_words="or other words for the query",
    late="No reply came in time; nothing was done.",
    stopped="Stopped. What was found so far is not shown.",
    leave="Ctrl-C again, or Ctrl-D, leaves.",
    unknown_command="There is no command {name}; /help lists them. "
    "A question that begins with / needs a blank in front.",
    unfinished="An earlier question was not answered: {question} /resume goes on with it.",
    nothing_unfinished="Nothing is unfinished.",
    waiting="waiting until the process that had the question is known to be gone",
    goes_on="Going on: {title}",
    new="A new conversation.",
    chosen="{name}: {value}",
    not_set="as in the settings",
    no_history="There are no conversations yet.",
    no_such="There is no conversation {name}; /history lists them.",
    saved="Saved in {path}.",
    not_saved="{path} cannot be written: {why}.",
    nothing_said="Nothing was said in this conversation yet.",
    delete="Delete all conversations, choices and approvals of {person}, and the input history?",
    deleted="Deleted: {n} messages, the choices, the approvals and the input history.",
    not_deleted="Nothing was deleted.",
    commands={
        "help": "list the commands",
        "provider": "show or choose the providers, as in tavily,local; - for the settings'",
        "collection": "show or choose the collection that is searched first; - for all",
        "model": "show or choose the model that writes; - for the settings'",
        "budget": "show or choose bounds of one question, as in searches=3 money=0.05; - for none",
        "sources": "show the passages behind the last answer, and all that was found",
        "save": "save this conversation as Markdown",
        "settings": "show what is chosen",
        "new": "begin a new conversation",
        "history": "list the earlier conversations",
        "resume": "go on with an unfinished question, or with conversation N of /history",
        "export": "print, or save, all that is kept about you, as JSON",
        "delete-me": "delete all that is kept about you",
        "quit": "leave",
    },
)
JAPANESE = Words(
    welcome="質問をどうぞ。/help でコマンド一覧、Ctrl-C で回答を中止、Ctrl-D で終了します。",
    opening="会話を開いています",
    working="処理中",
    plan="計画：",
    hits=("{n} 件", "{n} 件"),
    pages=("{n} ページ", "{n} ページ"),
    repeated="前回の結果を再利用",
    outcomes={
        "empty": "見つかりません",
        "unavailable": "検索できません",
        "refused": "許可されていません",
        "unread": "読めません",
    },
    more="… 他 {n} 件",
    no_sources="出典のある回答はまだありません。",
    choices={"proceed": "はい", "skip": "飛ばす", "retry": "もう一度", "cancel": "中止"},
    enter="Enter: {action}",
    enter_none="いいえ",
    other_words="別の言葉を入力すると検索語が変わります",
    late="時間内に返事がなかったため、何もしませんでした。",
    stopped="中止しました。途中までの結果は表示しません。",
    leave="もう一度 Ctrl-C、または Ctrl-D で終了します。",
    unknown_command="{name} というコマンドはありません。/help で一覧を表示します。"
    "/ で始まる質問は先頭に空白を入れてください。",
    unfinished="未回答の質問があります：{question} /resume で続けます。",
    nothing_unfinished="未回答の質問はありません。",
    waiting="前のプロセスの終了を確認しています",
    goes_on="続き：{title}",
    new="新しい会話です。",
    chosen="{name}：{value}",
    not_set="設定のとおり",
    no_history="会話はまだありません。",
    no_such="会話 {name} はありません。/history で一覧を表示します。",
    saved="{path} に保存しました。",
    not_saved="{path} に書き込めません：{why}。",
    nothing_said="この会話にはまだ何もありません。",
    delete="{person} の会話、選択、承認、入力履歴をすべて削除しますか？",
    deleted="メッセージ {n} 件と、選択、承認、入力履歴を削除しました。",
    not_deleted="何も削除していません。",
    commands={
        "help": "コマンドの一覧",
        "provider": "検索先を表示・選択（例 tavily,local。- で設定に戻す）",
        "collection": "最初に検索するコレクションを表示・選択（- ですべて）",
        "model": "回答を書くモデルを表示・選択（- で設定に戻す）",
        "budget": "質問ごとの上限を表示・選択（例 searches=3 money=0.05。- で解除）",
        "sources": "直前の回答の根拠と、見つかったものをすべて表示",
        "save": "この会話を Markdown で保存",
        "settings": "現在の選択を表示",
        "new": "新しい会話を始める",
        "history": "以前の会話の一覧",
        "resume": "未回答の質問、または /history の N 番の会話を続ける",
        "export": "保存されている自分の情報をすべて JSON で表示・保存",
        "delete-me": "保存されている自分の情報をすべて削除",
        "quit": "終了",
    },
)


def words_for(question: str, *, japanese: bool) -> Words:
    """Return the words of the question's language; `japanese`: the locale's, where it has none."""
    from kensaku.text.languages import guess_language

    return JAPANESE if japanese or guess_language(question) == "ja" else ENGLISH

"""Evidence of what has just happened, and of what people look for every day."""

from __future__ import annotations

import re

from kensaku.search.intent.cues import Cue

NEWS = Cue(
    """news | headline | breaking | live update | current events | top stories | press conference
    what happened | happening | going on | death toll | coverage | reuters | bloomberg | bbc
    cnn | associated press | what's new with | whats new with | developing story | stories from
    latest on | latest about | latest developments | any word | anything new | any news
    any update | what did i miss | catch me up | live: | recap | ended up | over yet | evacuation
    just announced | trending | press coverage""",
    """ニュース 速報 号外 報道 会見 訃報 話題 見通し 最新情報 最新状況 最新の動き 動き 被害状況
    開票 当選確実 特別警報 試合結果 選挙結果 選挙の結果 何があった 何かあった どうなった その後
    進展 情勢 もう決まった 途中経過 通行止め 被害 世論調査 NHK 続報 共同声明 現状 動向 承認された
    承認されま 交渉 要旨""",
)
# When: now, or a short while ago.
RECENT = Cue(
    """latest | this week | this month | today | today's | todays | right now | yesterday
    tonight | yesterday's | last night | this morning | this morning's | just now | last 24 hours
    so far | past week | last week | current status | current situation | currently | yet
    still on | update | situation | status | recent | recently | this year | this weekend | now
    tomorrow's""",
    """最新 昨日 きのう 昨夜 今朝 けさ きょう 今日 本日 今週 先週 今月 さきほど 先ほど さっき
    現在の状況 直近 最近 今夜 今年 今年の 昨晩 まだ続 状況 発令中 発生情報 今季 今シーズン""",
    r"(?<![\u3041-\u309f])いま|(?<!\S)現在$",
)
# What happens in the world: with a time, or told as a headline, it is news.
EVENT = Cue(
    """election | strike | earthquake | wildfire | hurricane | typhoon | flood | ceasefire
    protest | verdict | ruling | resigns | resignation | resigned | outage | crash | merger
    layoffs | tariff | sanctions | summit | polls | score | scores | winner | transfer | launch
    arrested | killed | shooting | explosion | recall | ban | rate decision | interest rate
    inflation | jobs report | earnings | earnings report | stock | shares | market | markets
    bill | senate | congress | parliament | minister | president | prime minister | supreme court
    cabinet | reshuffle | who won | did win | announces | announced | announcement | announcing
    approval | negotiations | talks | war | attack | invasion | outbreak | bird flu | record high
    plunge | plunges | surge | surges | slump | funding round | ipo | indictment | trial verdict
    investigation | reaction | champions league | premier league | super bowl | world cup
    playoffs | oscars | grammys | nobel prize | export controls | export restrictions | opec
    election result | vote | voted | votes | mayor | governor | heatwave | storm | cve | breach
    disclosed | tsunami | quake | evacuate | evacuated | delays | debate | lawsuit | sued
    shutdown | missing | search for | wins | loses | beats | defeats | holds | cuts | hikes
    signals | warns | says | slams | injured | dead | dies | died | hostage | coup | impeachment
    bankruptcy | ceo steps down | world cup final | final | bitcoin | nasdaq | dow | s&p 500
    ftse | rates | rate cut | fomc | spending bill | gas prices | oil price | cyberattack
    reported | meeting | budget | results | standings | guidance | approved | central bank | ecb
    boj | fed""",
    """地震 台風 大雨 警報 停電 火災 山火事 事故 逮捕 辞任 選挙 当選 首相 知事 国会 法案 予算案
    衆院 参院 衆議院 参議院 解散 決算 株価 終値 為替 円相場 円安 円高 利上げ 利下げ 日銀 値上げ
    発表 受賞 優勝 試合 結果 打ち上げ 運休 遅延 障害 出没 感染 流行 買収 人員削減 介入 停戦 攻撃
    結婚 熱愛 引退 不祥事 不正 ストライキ 脆弱性 規制 スコア ホームラン 打った 勝った 出場者
    日経平均 反応 接近 噴火 訴訟 判決 大統領 内閣 閣僚 金融政策 震度 震源 津波 復興 東証 大引け
    続落 反発 据え置き 株式市場 株主総会 総裁選 党首討論 線状降水帯 噴石 行方不明 遭難 容疑者
    起訴 送検 爆発 墜落 脱線 豪雨 猛暑 大雪 避難 世界選手権 決勝 準決勝 移籍 契約更改 首位 勝敗
    阪神 ドジャース 日本代表 オリンピック 五輪 ワールドカップ 新曲 脱退 活動休止 号泣 FOMC 円買い
    関税 制裁 首脳会談 ミサイル 電車止ま 暴落 急騰 業績 下方修正 上方修正 雇用統計 サイバー攻撃
    官房長官 駅伝 声明""",
)
NOT_NEWS = Cue(
    """weather | forecast | time is it | what day | lottery | horoscope | recipe | tv guide
    newsletter | crossword | windows update | software update | near me | open today
    latest version | latest model | newspaper""",
    "天気 気温 占い 運勢 献立 レシピ 新聞紙 何曜日 日の出 何の日 番組表 最新機種 最新モデル 最新版",
)
# What is bought, booked, cooked, applied for, or looked up.
DAILY = Cue(
    """recipe | price | cheap | near me | opening hours | hotel | flight | restaurant | ramen
    pizza | visa | passport | meaning | lyrics | symptoms | remedies | calories | gift | gifts
    ideas | wedding | birthday | rent | mortgage | tax | taxes | insurance | salary | fees | cost
    dog | dogs | cat | cats | puppies | garden | shoes | boots | clothes | movie | movies | song
    tv show | capital of | population | quotes | museum | airport | weather | vacation | tour
    attractions | letter | etiquette | dress code | coupon | free shipping | headphones | laptop
    reviews of | worth it | kids | school | coffee | tea | cook | cooking | clean | cleaning
    bake | freeze | tie | piano | guitar | gym | workout | diet | screenshot | fees for
    documents""",
    """おすすめ 料金 値段 相場 いくら 何分 例文 意味 観光 レシピ 効能 必要書類 書類 手続き
    営業時間 アクセス 住所 条件 費用 口コミ ランキング 人気 プレゼント 修理 テンプレート 服装
    マナー 通販 安い 最低賃金 申告 控除 年金 保険 ローン 新幹線 電車 直行便 旅行 ホテル カフェ
    紅葉 天気 料理 カロリー 離乳食 猫 犬 子供 小学生 中学生 入試 日程 就職 転職 面接 退職 履歴書
    結婚式 香典 お礼 お詫び 挨拶 クーポン 代表作 祝日 飼育 折り方 仕組み わかりやすく 健康診断
    お風呂 引っ越し 引越し 免許 所要時間 高さ 標高 身長 年齢 本社 効果的 掃除 洗濯 メール
    年末調整 登山 花粉症 予約""",
)
DEVICE = Cue(
    """iphone | ipad | android phone | printer | washing machine | dishwasher | fridge | tv
    netflix | wifi | router | car | playstation | ps5 | xbox | nintendo switch | airpods | kindle
    oven | furnace | thermostat | faucet | microwave | smart tv | roku | spotify | whatsapp
    instagram""",
    """洗濯機 冷蔵庫 エアコン テレビ プリンター 複合機 アイフォン スマホ LINE ネトフリ 給湯器
    炊飯器 掃除機 プレステ スイッチ イヤホン 電子レンジ 食洗機 ガスコンロ カーナビ インスタ 充電
    通知""",
)
FACT = re.compile(
    r"^(?:in |at |on |to |of )?(?:what|whats|which|who|whose|when|where|why|how|is it|can i)\b"
    r"|^(?:does|do|difference between)\b"
    r"|何年|何人|何歳|何です|何という|何と呼|のは(?:いつ|どこ|誰|何|なぜ)?[?？。]?$"
    r"|は(?:何|いつ|どこ|誰)"
    r"|どの|のか$|違い$|とは$|仕組み$|誰(?:か|ですか)?$|した(?:人|人物|会社|年)[はで]?$",
    re.IGNORECASE,
)
PAST_YEAR = re.compile(r"(?<!\d)(?:1[0-9]\d\d|20[01]\d)(?!\d)")
HOW_TO = re.compile(
    r"\bhow (?:to|do i|do you|can i|does|do)\b|方法|やり方|するには|したい|には$", re.IGNORECASE
)

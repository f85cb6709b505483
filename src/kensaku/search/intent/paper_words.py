"""Evidence of research: where it is published, how it is done, how its titles are written."""

from __future__ import annotations

import re

from kensaku.search.intent.cues import Cue

# A number or address that stands for one paper.
IDENTIFIED = re.compile(
    r"(?<![\d.])10\.\d{4,9}/[^\s\"<>]{2}|arxiv\.org/|doi\.org/|nature\.com/articles/|science\.org/doi|ncbi\.nlm"
    r"|sciencedirect\.com/science|link\.springer\.com|ieeexplore\.ieee|dl\.acm\.org|jstage\.jst|openreview\.net"
    r"|\bPMID:?\s?\d|\bPMC\d{5}"
    r"|(?:^|\s|arxiv:?\s?)\d{4}\.\d{4,5}(?:v\d{1,2})?\s*$|\bhal-\d{7,8}\b|\barXiv[: ]\s?\d{4}\.\d",
    re.IGNORECASE,
)
LITERATURE = Cue(
    """arxiv | biorxiv | medrxiv | chemrxiv | ssrn | pubmed | semantic scholar | google scholar
    openreview | ieee xplore | jstor | cinii | j-stage | preprint | et al | clinical trial
    studies of | cited by | peer-reviewed | peer reviewed | meta-analysis | meta-analyses
    meta analysis | double-blind | double blind | randomized controlled | randomised controlled
    randomized trial | randomised trial | case-control | best paper | best paper award | cochrane
    systematic review | literature review | academic work | academic literature
    scientific evidence | clinical evidence | physical review letters | the lancet | nejm | jama
    pnas | plos one | nature communications | acm transactions | proceedings of | pooled analysis
    preregistered | pre-registered | cohort study | cohort data | longitudinal | cross-sectional
    scientific literature | most cited | citation | citations | doi | googlescholar | rct | ieee
    acm | technical report | econometrica | mapping study | primary source | case series
    accepted papers""",
    """論文 先行研究 査読 プレプリント システマティックレビュー 系統的レビュー メタアナリシス
    メタ解析 メタ分析 ランダム化 無作為化 コホート 症例対照 症例報告 臨床試験 臨床研究 治験結果
    文献レビュー 文献調査 文献を探 サーベイ 学術誌 学術雑誌 学会誌 国際会議 研究動向 既存研究
    研究報告 原著 紀要 二重盲検 疫学研究 縦断研究 実証研究 に関する研究 についての研究 の研究成果
    最新研究 最新の研究 研究事例 研究結果 引用数 被引用 エビデンスレベル 学術文献 科学的根拠
    介入研究 先行文献 観察研究 再現性研究 コクラン プラセボ した研究 研究ってある 研究はある
    国内の研究 学術論文 査読付き 文献を教え CiNii J-STAGE 医学的根拠 実証分析 計量分析 実証的
    科学的な根拠 再現実験 検証した 検討した 調べた研究 縦断的 有病率 文献は 文献を 論文ある
    治療成績 試験のデータ 理論的考察 IEEE 採択論文 採択 学術的 論考 研究論文""",
    r"""scholarly (?:articles?|work|sources?)
    (?:research|survey|review|academic|scientific|conference|seminal|original|journal) papers?
    papers? (?:on|about|by|from|that|which|describing|introducing|proposing|using|for|in|showing)
    paper (?:about|where|on|by)
    (?:journal|research|scientific|academic|review|original|published|science) articles?
    recent (?:advances|progress|developments) in
    cite:
    (?:scientific|clinical|empirical) stud(?:y|ies)
    (?:systematic|literature|scoping) reviews?
    (?:cohort|longitudinal|cross-sectional|observational|ablation) stud(?:y|ies)
    (?:which|what|any) (?:study|studies|trials?|research|evidence)
    (?:study|studies|economists|researchers|scientists|psychologists) (?:found|find|show|say)
    stud(?:y|ies) (?:on|about|showing|finding|linking|that|comparing|examining|where|which|of)
    (?:references|sources|literature|experiments?) (?:on|about|for|where|that|showing)
    (?:academic|scholarly|scientific|primary|recent) (?:sources|references|evidence|literature)
    (?:real|actual|proper|solid|rigorous) (?:research|evidence|studies|science)
    (?:tested|proven|shown|demonstrated) (?:whether|that|if)
    (?:the|a|any) (?:replication|experiment|meta-analysis)
    evidence base
    research (?:on|about|into)
    evidence (?:linking|that|for|of|from|on)
    (?:doctoral|phd|master'?s) thesis
    dissertations? on
    what (?:does|do) (?:the )?(?:literature|research|studies|science|evidence) say
    published in (?:nature|science|cell|the lancet|jama|nejm|pnas)
    (?:journal|publication|pdf|abstract|article|manuscript) (?:18|19|20)\d\d
    (?:18|19|20)\d\d (?:\w+ ){0,4}(?:journal|publication|pdf|abstract|article|paper)
    (?:neurips|nips|icml|iclr|cvpr|iccv|eccv|emnlp|naacl|aaai|siggraph|acl|kdd|sigir) '?\d{2,4}""",
)
PAPERS_AT_END = re.compile(
    r"\b(?:papers?|publications?|studies|study)\s*(?:\d{4}|pdf|explained|summary)?\s*\??$",
    re.IGNORECASE,
)
# Words of those who do research.
ACADEMIC = Cue(
    """study | studies | research | researchers | journal | journals | literature | evidence
    effect of | effects of | effect | impact of | association | correlation | efficacy
    hypothesis | findings | trial | abstract | academic | scientific | scholar | theoretical
    empirical | methodology | statistically | published | off-target | in vitro | in vivo
    prevalence | cohort | replication | dose-response | mortality | ablation | state of the art
    state-of-the-art | experiment | experimental | preprint | authors | concept of | foundations
    measurement | comparative | quantitative | qualitative | randomized | placebo | incidence
    biomarker | survey | review | interpretability | taxonomy | benchmark | overview of
    advances | criticism | article | theory of | mechanism | relationship between | risk factor
    theorem | conjecture | asymptotic | equilibrium | first principles | ab initio
    simulation of | spectra | spectroscopy | phase transition | convergence | upper bound
    lower bound | proof of""",
    """研究 文献 学術 実験 知見 エビデンス 相関 有効性 機序 メカニズム 因果 計量 実証 介入 仮説
    再現性 前向き 統計的 疫学 有意 解析 計測 測定 考察 高速化""",
)
SCIENCE = Cue(
    """neural | transformer | learning | quantum | protein | genome | gene | cell | cancer
    therapy | disease | clinical | cognitive | molecular | climate | materials | polymer
    nanoparticle | bacteria | virus | vaccine | insulin | microbiome | catalyst | algorithm
    graph | bayesian | reinforcement | language model | diffusion | embedding | robotics
    superconductor | semiconductor | galaxies | black hole | neuron | epidemiology | attention
    convolutional | optimization | stochastic | adversarial | representation | recognition
    segmentation | detection | generative | reasoning | inference | estimation | scalable
    unified | few-shot | zero-shot | self-supervised | unsupervised | supervised | causal
    analysis | fine-tuning | large-scale | low-rank | distributed | distillation | residual
    retrieval | augmented | sparse | prediction | classification | robust | visual | semantic
    alignment | pre-training | pretraining | contrastive | bidirectional | network | model
    probabilistic | dementia | depression | alzheimer's | diabetes | obesity | cognition
    psilocybin | serotonin | dopamine | hippocampus | antibody | antibodies | mutation
    mutations | receptor | receptors | enzyme | enzymes | metabolic | inflammation | mrna | rna
    dna | crispr | graphene | photon | photons | plasma | gravitational | neutrino | neutrinos
    boson | quark | thermal | conductivity | perovskite | lithium-ion | electrolyte
    microplastics | biodiversity | ecology | ecological | population decline | evolutionary
    phylogenetic | socioeconomic | econometric | monetary policy | minimum wage | inequality
    prospect theory | heuristics | gut-brain | gut | bilingualism | myopia | burnout
    mindfulness | fasting | supplementation | computable | manifold | topology | topological
    differential equations | stochastic gradient | consensus | oncology | cardiovascular
    carcinoma | tumor | metastatic | pharmacokinetics | pathogenesis | etiology | comorbidities
    pediatric | neonatal | postpartum | sars-cov-2 | covid-19 | vaccination | myocarditis
    autism | adhd | schizophrenia | anxiety | working memory | gene expression | transcriptomics
    proteomics | epigenetic | stem cells | photosynthesis efficiency | soil carbon
    deforestation | coral | ocean acidification | glacier | seismic | exoplanet | dark matter
    string theory | turbulence | fluid dynamics | finite element | electrochemical
    nanostructures | alloy | elasticity of | labor market | causal inference | panel data
    game theory | gentrification | fault-tolerant | fault tolerance | cryptography
    zero-knowledge | federated""",
    """量子 半導体 細胞 遺伝子 ゲノム タンパク 蛋白 免疫 受容体 触媒 分光 超伝導 相転移 深層学習
    強化学習 機械学習 言語モデル ニューラル 最適化 疾患 がん 癌 投与 患者 心理学 認知症 認知機能
    経済学 物性 絶縁体 高分子 ナノ粒子 微生物 生態系 多様性 腸内細菌 脳の 脳が 大脳 神経 うつ病
    糖尿病 高齢者 幹細胞 ワクチン 抗体 変異 酵素 代謝 炎症 貧困率 教師あり 注意機構 計算量
    自然言語処理 画像認識 拡散モデル 音声 合意アルゴリズム 電解質 マイクロプラスチック 酸性化
    行動経済学 バイアス 社会学 言語学 教育学 薬理 病理 生理学 生化学 天文学 地質 気象学 生態学
    進化 分子 結晶 流体 力学 電磁 光学 信号処理 数理 位相 代数 金融工学 ゲーム理論 発達障害
    精神疾患 看護師 リハビリ 予後 合併症 副作用 診断能 バイオマーカー 免疫療法 化学療法 放射線
    生存率 罹患 発症 リスク因子 危険因子 阻害薬 腫瘍 肝炎 ウイルス 土壌 海水温 サンゴ 大気 森林
    地震波 数値シミュレーション 有限要素 依存症 尺度 児童虐待 世代間 ジェンダー 移民 社会関係資本
    バーンアウト 生産性 格差 雇用""",
    "[一-龯]{1,4}(?<![大入留見小中通進])学(?![校生習歴部費年園童割区者院会術問])",  # 考古学
)
# How titles and questions of research are put together.
TITLE_FORM = Cue(
    """toward | towards | via | using | based on | an application to | evidence from
    a survey of | the role of | a study of | on the | learning to | revisiting | rethinking
    is all you need | are few-shot learners | elicits | improves | with an application to
    a theory of | insights | implications for | case of | the effect of | effects of
    the impact of""",
    """に関する における を用いた に基づく に与える影響 に及ぼす の検討 の提案 的検討 的考察
    の構造 に対する の解析 の分析 の推定 を測定した を調べた を比較した を分析した を解析した
    の影響 の関係 との関連 の関連 の効果 のための による 効果 影響 関連 関係 要因 調査 検証 先行
    理論""",
)
LATINATE = re.compile(
    r"\b[a-z]{3,30}(?:tions?|sions?|ity|ities|isms?|ances?|ences?|ology|ologies|metrics?|ography"
    r"|ical|ional|ative|ized?|ization|ics|osis|itis|emia|ous|lysis|lytic|genic|ular|ation)\b",
    re.IGNORECASE,
)
COMPOUND = re.compile(r"\b[a-z]{3,20}-[a-z]{4,20}\b", re.IGNORECASE)
NAME_AND_TITLE = re.compile(r"^[A-Z][\w+-]{2,30}(?:\s[\w-]+){0,4}: [A-Z]\w+(?:\s\S+){2}")
AUTHOR_AND_YEAR = re.compile(
    r"\b[A-Z][a-z]{2,20}(?: (?:and|&) [A-Z][a-z]{2,20})?,? \(?(?:18|19|20)\d\d\b"
    r"|^[a-z ]{4,60} [a-z]{4,15} (?:19|20)[0-2]\d$|[一-龯]{2,4}\s(?:19|20)\d\d\s"
    r"|[一-龯]ら\s?[(（]?(?:19|20)\d\d"
)
NOT_PAPERS = Cue(
    """toilet paper | printer paper | white paper | wrapping paper | rice paper | sandpaper
    parchment paper | wax paper | tissue paper | construction paper | photo paper | origami
    wallpaper | wall paper | newspaper | how to write | write a | write an | writing | recycle
    recycled | recycling | exam paper | question paper | past paper | rock paper | study abroad
    bullet journal | wall street journal | trial version | free trial | market research
    case study | case studies | how to cite | stipend | phd program | thesis defense
    business review | movie review | product review | performance review | book review
    quarterly review | pricing | essay""",
    "小論文 卒論 卒業論文 感想文 自由研究 研究者に 研究室 研究員 服装 大学院 研究会",
    r"""paper (?:air)?planes?
    paper (?:towels?|bags?|cups?|sizes?|straws?|clips?|mache|crafts?|cranes?|boats?|folding|money)
    paper (?:mario|shredder|cutter|weight|plates?|flowers?|route|jam|mill|making|boy)
    study (?:tips|guide|music|table|room|visa|desk)
    academic (?:calendar|year|advisor)""",
)
NOT_PAPERS_JA = re.compile(
    "(?:論文|参考文献).{0,6}(?:書き方|書く|構成|フォーマット|テンプレート|提出|添削|代行|印刷|製本|締切|"
    "締め切り|コツ|表紙|体裁|面接|試験|対策|文字数|テーマ|決め方)|学会発表(?!論文)"
)

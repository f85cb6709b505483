"""Countries: two letters ↔ the English name that Tavily wants.

Models send either ("US", "United States"); a query keeps the two letters, lower case.
"""

from __future__ import annotations

from functools import cache

_TABLE = """
ad andorra; ae united arab emirates; af afghanistan; al albania; am armenia; ao angola; ar
argentina; at austria; au australia; az azerbaijan; ba bosnia and herzegovina; bb barbados;
bd bangladesh; be belgium; bf burkina faso; bg bulgaria; bh bahrain; bi burundi; bj benin;
bn brunei; bo bolivia; br brazil; bs bahamas; bt bhutan; bw botswana; by belarus; bz belize;
ca canada; cf central african republic; cg congo; ch switzerland; cl chile; cm cameroon; cn
china; co colombia; cr costa rica; cu cuba; cv cape verde; cy cyprus; cz czech republic; de
germany; dj djibouti; dk denmark; do dominican republic; dz algeria; ec ecuador; ee estonia;
eg egypt; er eritrea; es spain; et ethiopia; fi finland; fj fiji; fr france; ga gabon; gb
united kingdom; ge georgia; gh ghana; gm gambia; gn guinea; gq equatorial guinea; gr greece;
gt guatemala; hn honduras; hr croatia; ht haiti; hu hungary; id indonesia; ie ireland; il
israel; in india; iq iraq; ir iran; is iceland; it italy; jm jamaica; jo jordan; jp japan;
ke kenya; kg kyrgyzstan; kh cambodia; km comoros; kp north korea; kr south korea; kw kuwait;
kz kazakhstan; lb lebanon; li liechtenstein; lk sri lanka; lr liberia; ls lesotho; lt
lithuania; lu luxembourg; lv latvia; ly libya; ma morocco; mc monaco; md moldova; me
montenegro; mg madagascar; mk north macedonia; ml mali; mm myanmar; mn mongolia; mr
mauritania; mt malta; mu mauritius; mv maldives; mw malawi; mx mexico; my malaysia; mz
mozambique; na namibia; ne niger; ng nigeria; ni nicaragua; nl netherlands; no norway; np
nepal; nz new zealand; om oman; pa panama; pe peru; pg papua new guinea; ph philippines; pk
pakistan; pl poland; pt portugal; py paraguay; qa qatar; ro romania; rs serbia; ru russia;
rw rwanda; sa saudi arabia; sd sudan; se sweden; sg singapore; si slovenia; sk slovakia; sn
senegal; so somalia; ss south sudan; sv el salvador; sy syria; td chad; tg togo; th
thailand; tj tajikistan; tm turkmenistan; tn tunisia; tr turkey; tt trinidad and tobago; tw
taiwan; tz tanzania; ua ukraine; ug uganda; us united states; uy uruguay; uz uzbekistan; ve
venezuela; vn vietnam; ye yemen; za south africa; zm zambia; zw zimbabwe
"""

# The other codes of ISO 3166-1 that people live under, which Tavily has no name for.
_OTHERS = """
ag antigua and barbuda; ai anguilla; aw aruba; ax åland islands; bm bermuda; cd democratic
republic of the congo; ci ivory coast; cw curaçao; dm dominica; fk falkland islands; fm
micronesia; fo faroe islands; gd grenada; gg guernsey; gi gibraltar; gl greenland; gp
guadeloupe; gu guam; gw guinea-bissau; gy guyana; hk hong kong; im isle of man; je jersey; ki
kiribati; kn saint kitts and nevis; ky cayman islands; la laos; lc saint lucia; mh marshall
islands; mo macao; mp northern mariana islands; mq martinique; ms montserrat; nc new
caledonia; nr nauru; pf french polynesia; pr puerto rico; ps palestine; pw palau; re réunion;
sb solomon islands; sc seychelles; sl sierra leone; sm san marino; sr suriname; st são tomé
and príncipe; sz eswatini; tc turks and caicos islands; tl timor-leste; to tonga; tv tuvalu;
va vatican city; vc saint vincent and the grenadines; vg british virgin islands; vi united
states virgin islands; vu vanuatu; ws samoa; yt mayotte
"""

_ALSO = {
    "usa": "us",
    "america": "us",
    "united states of america": "us",
    "uk": "gb",
    "great britain": "gb",
    "england": "gb",
    "korea": "kr",
    "republic of korea": "kr",
    "czechia": "cz",
    "türkiye": "tr",
    "russian federation": "ru",
    "viet nam": "vn",
    "日本": "jp",
}


@cache
def names() -> dict[str, str]:
    """Two letters → the name that Tavily wants, of the countries that it knows."""
    return _read(_TABLE)


def _read(table: str) -> dict[str, str]:
    return dict(row.split(" ", 1) for row in " ".join(table.split()).split("; "))


@cache
def _codes() -> dict[str, str]:
    """Every name and every code → the code."""
    known = names() | _read(_OTHERS)
    return {name: code for code, name in known.items()} | _ALSO | {code: code for code in known}


def country_code(value: str) -> str | None:
    """`"JP"`, `"Japan"` or `"japan"` → `"jp"`; None when there is no such country."""
    return _codes().get(" ".join(value.lower().split()))

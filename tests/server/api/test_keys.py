"""Keys by the page's API: created with their bounds, listed without their secrets, revoked."""

from __future__ import annotations


async def test_keys_are_created_listed_and_revoked(page):
    """The first is an admin's, others are what they are asked to be."""
    first = await page.call("POST", "/api/keys", {"name": " alice ", "rate": ""})
    bounds = {"name": "bob", "tenant": "t1", "rate": "10/s", "searches_per_day": "100",
              "money_per_month": "2.5"}  # fmt: skip
    second = await page.call("POST", "/api/keys", bounds)
    others = [
        await page.call("POST", "/api/keys", {"name": "carol", "admin": admin})
        for admin in (True, "1", "on", False, "", "off", None)
    ]
    listed = await page.call("GET", "/api/keys")
    revoked = await page.call("DELETE", f"/api/keys/{second['id']}")

    assert (first["name"], first["admin"], first["rate"], first["tenant"]) == (
        "alice", True, None, "",
    )  # fmt: skip
    told = {name: second[name] for name in bounds}
    assert told == bounds | {"searches_per_day": 100, "money_per_month": 2.5}
    assert [key["admin"] for key in (second, *others)] == [False] + [True] * 3 + [False] * 4
    assert all(key["key"].startswith("ksk_") for key in (first, second, *others))
    assert [key["name"] for key in listed["keys"]] == ["alice", "bob"] + ["carol"] * 7
    assert not any("key" in key for key in listed["keys"])
    assert (revoked["id"], bool(revoked["revoked"])) == (second["id"], True)


async def test_a_key_needs_a_name_and_numbers_for_bounds(page):
    """Nothing is created otherwise."""
    many = {"name": "x", "searches_per_day": "many"}
    for fields in ({}, {"name": ""}, {"name": 5}, {"name": "x" * 201}, many):
        refused = await page.call("POST", "/api/keys", fields)

        assert (page.status, refused["error"]["type"]) == (400, "InvalidQuery")
        assert ("many" if fields is many else "1 to 200") in refused["error"]["message"]
    assert await page.call("GET", "/api/keys") == {"keys": []}

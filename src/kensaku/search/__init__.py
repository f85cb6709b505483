"""One search: query → route → cache → attempts → rank → confidence. `pipeline` has the flow."""

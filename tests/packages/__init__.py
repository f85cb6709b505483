"""What other programs install Kensaku from: the MCP registry, bundles, plugins, links."""

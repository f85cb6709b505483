"""Our tools as an MCP server: over stdio, or over Streamable HTTP."""

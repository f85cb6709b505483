"""The process that holds the embedded index: client, protocol, dispatch, server."""

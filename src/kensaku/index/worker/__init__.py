"""The process that has the embedded index open: client, protocol, dispatch, server, lock."""

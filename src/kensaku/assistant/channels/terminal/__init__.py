"""The terminal channel, `kensaku chat`.

chat      reads lines, receives questions, follows runs: the channel itself
commands  the slash commands, and their completion
input     the prompt, or plain lines of a pipe
screen    events with colour, links and a live area, or as plain lines (lite)
format    events as lines of text: pure
"""

"""A model that the operator names, with web tools that Kensaku runs.

    a vendor's request → Turn → run → Text · Cited · Searched · Fetched · Called · Finished
                                → the vendor's reply

The wires of the server translate: `/v1/chat/completions`, `/v1/responses` and `/v1/messages` read
their native web tools into a `Turn`, and write the events in the vendor's own blocks. What happens
in between is one loop (`run.py`), which knows no vendor.
"""

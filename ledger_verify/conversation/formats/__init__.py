"""The formats of messages, one a file.

Each says which messages are its own (`fits`), and what they say (`parts`). What a format does not
know in a message of its own is an error, so that no call and no answer passes unseen.
"""

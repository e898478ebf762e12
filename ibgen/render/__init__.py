"""What ibgen knows, as text for a person or a program: pure functions from values to strings.

Takes `Report`, `Fabric`, planned writes, verdicts, pages. Gives strings. Nothing here prints or knows of a terminal:
colour and width are arguments, and whatever a spec holds (control characters, wide letters, stale spans) comes out printable.
"""

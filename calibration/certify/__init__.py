"""The certificate of a table's set-up: what was observed of a short protocol in, accuracy, limits and a grade out. Pure maths."""

"""The report of a match: a self-contained page with the score sheet and a plan of every stroke."""

from referee.report.page import document_table, render

__all__ = ["document_table", "render"]

"""The part of reports for data protection officers: three questions, regulators' headings, and the public report.

:mod:`.questions` answers what the Article 29 Working Party asks: singling out, linkability, inference.
:mod:`.headings` maps the release to the headings of regulators. :mod:`.context` holds what only people know.
:mod:`.public` is the report that may be published. Its facts hold nothing of the original data but totals.
"""

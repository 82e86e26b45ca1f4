"""The workbench: a local page in which a person goes from a file to a release, without a manual.

The server reads no data. Everything about data is done in worker processes (:mod:`shoal.web.worker`), which call the
same jobs as the command line. docs/internals/workbench.md draws it.
"""

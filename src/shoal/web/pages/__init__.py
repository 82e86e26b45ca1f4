"""The pages of the workbench: one module for each step, with its ``routes``."""

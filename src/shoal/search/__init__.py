"""Search steps that several algorithms share."""

"""Steps that algorithms share."""

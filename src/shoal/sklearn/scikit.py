"""What Shoal uses of scikit-learn, in one place, and the message if it is not installed."""

from __future__ import annotations

from typing import Any

from shoal.errors import OptionError

try:
    from sklearn import get_config
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:  # it is missing, or older than 1.6
    raise OptionError(
        f"shoal.sklearn needs scikit-learn 1.6 or newer ({error}): install it with pip install 'shoal[sklearn]'."
    ) from error

__all__ = ["BaseEstimator", "TransformerMixin", "check_is_fitted", "frames_wanted", "validate_data"]


def frames_wanted(estimator: Any) -> str:
    """Return what ``set_output`` asks for: "pandas", "polars", or an empty string for no data frames."""
    own = getattr(estimator, "_sklearn_output_config", {})
    wanted = str(own.get("transform", get_config()["transform_output"]))
    return "" if wanted == "default" else wanted

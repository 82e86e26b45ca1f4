"""What the models share that set something apart: sensitive items, or values of columns beside the sets."""

from __future__ import annotations

from shoal.data.dataset import Dataset
from shoal.data.sensitive import Sensitive, take_apart
from shoal.data.transactions import Transactions
from shoal.errors import OptionError
from shoal.privacy import PrivacyModel
from shoal.published import Published


class SensitiveModel(PrivacyModel):
    """A guarantee about what may be known and what must not be learned; the two options say what the latter is."""

    sensitive: tuple[str, ...]
    sensitive_column: tuple[str, ...]

    @property
    def sensitive_labels(self) -> tuple[str, ...]:
        """What is not to be learned."""
        return self.sensitive

    @property
    def columns(self) -> tuple[str, ...]:
        """Those with sensitive values."""
        return self.sensitive_column

    def apart(self, data: Dataset) -> tuple[Transactions, Sensitive | None]:
        """The items that may be known, and the sensitive values; none, if nothing was declared sensitive."""
        if not self.sensitive and not self.sensitive_column:
            return data.transactions, None
        return take_apart(data, self.sensitive, self.sensitive_column)

    def both(self, published: Published) -> tuple[Transactions, Transactions]:
        """The rows and their sensitive values, if these are what the model calls sensitive; else an error."""
        hidden, name = published.sensitive, type(self).__name__
        if hidden is None:
            if self.sensitive_column:
                raise OptionError(f"{name}: the rows come without their columns: verify {name}.view(dataset).")
            seen = self.view(Dataset(published.rows))
            return seen.rows, Transactions.nothing(len(seen.rows)) if seen.sensitive is None else seen.sensitive.values
        if (hidden.labels, hidden.columns) != (frozenset(self.sensitive), frozenset(self.sensitive_column)):
            raise OptionError(
                f"{name}: other values were set apart from these rows than this model calls sensitive: verify "
                f"{name}.view(release.dataset)."
            )
        return published.rows, hidden.values

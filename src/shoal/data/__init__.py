"""The data model: sets of items as integer codes, tables, hierarchies and where they came from."""

from shoal.data.dataset import Dataset, Origin
from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order, label_key
from shoal.data.table import Role, Table
from shoal.data.transactions import Transactions

__all__ = ["Dataset", "Hierarchy", "Origin", "Role", "Table", "Transactions", "canonical_order", "label_key"]

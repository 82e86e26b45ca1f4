"""The compiled kernels under ASan and UBSan, each call compared with its Python twin.

``build`` compiles them apart from the installed ones; ``both`` stands in for the kernels and calls both; ``work`` runs
random problems on it in a process of its own; ``run`` watches that.
"""

"""Every Python that is started with this folder on its path imports the copy of Shoal that MUTANTS_SRC names.

Python runs this file at its start, after the hook of the editable install has been set up, which would win otherwise.
"""

import os
import sys

_src = os.environ["MUTANTS_SRC"]
sys.meta_path[:] = [one for one in sys.meta_path if not type(one).__module__.startswith("_editable_")]
sys.path[:] = [_src, *(path for path in sys.path if not os.path.isfile(os.path.join(path, "shoal", "anonymize.py")))]

"""python -m wizard: the which-engine command."""

import sys

from .cli import main

sys.exit(main())

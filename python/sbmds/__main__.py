"""The program ``sbmds``, as ``python -m sbmds``."""

import signal
import sys

from . import _native


def main() -> int:
    """Runs the program with the words of the command line."""
    # The program listens to Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return _native.run_command(["sbmds", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

"""The command of Snakemake."""

import sys

#: Snakemake, which Ctrl-C ends without a traceback; it is not interrupted before this is so.
QUIETLY = """import runpy, signal, sys
sys.excepthook = lambda kind, *of: kind is KeyboardInterrupt or sys.__excepthook__(kind, *of)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
"""
SNAKEMAKE = (sys.executable, "-c", QUIETLY)

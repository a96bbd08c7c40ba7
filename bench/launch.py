"""Runs a command and writes down what it used: `python -I -S launch.py FILE SECONDS COMMAND...`.

The seconds are those of the processor, so that a busy machine ends nothing early; a command that
waits for something is ended after ten times as many of the clock.

A process of its own, because the peak memory that the system reports of a command begins with that
of the process that started it. This one imports next to nothing, so what is below some 10 MB cannot
be told apart.
"""

import math
import os
import resource
import signal
import sys


def main() -> None:
    file, text, *command = sys.argv[1:]
    limit = float(text)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 1))
    process = os.posix_spawnp(command[0], command, os.environ)
    signal.signal(signal.SIGALRM, lambda _signal, _frame: os.kill(process, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, 10 * limit)
    _, status, usage = os.wait4(process, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    with open(file, "w") as out:
        seconds = usage.ru_utime + usage.ru_stime
        out.write(f"{os.waitstatus_to_exitcode(status)} {seconds} {usage.ru_maxrss}\n")


main()

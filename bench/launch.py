"""Runs a command and writes down what it used: `python -I -S launch.py FILE SECONDS COMMAND...`.

A process of its own, because the peak memory that the system reports of a command begins with that
of the process that started it. This one imports next to nothing, so what is below some 10 MB cannot
be told apart.
"""

import os
import signal
import sys


def main() -> None:
    file, limit, *command = sys.argv[1:]
    process = os.posix_spawnp(command[0], command, os.environ)
    signal.signal(signal.SIGALRM, lambda _signal, _frame: os.kill(process, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, float(limit))
    _, status, usage = os.wait4(process, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    with open(file, "w") as out:
        seconds = usage.ru_utime + usage.ru_stime
        out.write(f"{os.waitstatus_to_exitcode(status)} {seconds} {usage.ru_maxrss}\n")


main()

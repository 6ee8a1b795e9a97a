"""Asks nvlink what Mercury records mean, through one mercury/ask for each SM that stays."""
import os
import subprocess
import sys

ASK = os.environ.get('ASK', 'ask')
RELEASE = os.environ.get('RELEASE', '13.5')  # of nvlink
LINKS = int(os.environ.get('LINKS', '0'))  # the learner ends with status 4 after so many; 0: never
_running = {}
_made = 0


def answers(sm, records):
    """The lines that mercury/ask prints of records in hexadecimal, each split; none where it died."""
    global _made
    if LINKS and _made >= LINKS:
        print('given up after', _made, 'links', flush=True)
        sys.exit(4)
    p = _running.get(sm)
    if p is None:
        p = _running[sm] = subprocess.Popen([ASK, '-serve', '-release', RELEASE, '-arch', 'sm_%d' % sm],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        p.stdin.write(' '.join(records) + '\n')
        p.stdin.flush()
        lines = [p.stdout.readline().split() for _ in records]
        made = p.stdout.readline().split()
    except OSError:
        lines = []
    if not lines or not all(lines) or not made:
        del _running[sm]
        p.kill()
        p.wait()
        return []
    _made += int(made[1])
    return lines

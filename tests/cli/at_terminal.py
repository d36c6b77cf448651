"""Runs a command at a terminal of its own: at_terminal.py STEPS COMMAND...

STEPS is a JSON list of [text to wait for, text to type]. Prints what the terminal showed, and ends with the command's
exit code.
"""

import json, os, pty, select, signal, sys, time

steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
shown = new = b""
deadline = time.time() + 60
while time.time() < deadline:
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        new += piece
    if steps and steps[0][0].encode() in new:
        os.write(terminal, steps.pop(0)[1].encode())
        new = b""
else:
    os.kill(pid, signal.SIGKILL)
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)

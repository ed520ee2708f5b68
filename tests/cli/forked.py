# Runs the program in a fork of this process, where Python with NumPy is there already: as a user's
# `python -m warpmark` does, without the tenth of a second that both take to start.
import errno
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time


class ForkedProgram:
    """The program `file`, whose extension module lies under `build`."""

    def __init__(self, build, file):
        self.file = str(file)
        self.folder = os.path.dirname(self.file)
        # The package's worker, which has no Python: it starts in a quarter of the program's time.
        worker = os.path.join(self.folder, "warpmark-worker")
        self.worker = worker if os.path.exists(worker) else self.file
        self.core = self._load(build)

    @staticmethod
    def _load(build):
        """The module, or None where this Python cannot load it, or has no NumPy."""
        # A fork has one thread only, whatever NumPy's library had started.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        os.environ.setdefault("NPY_PROMOTION_STATE", "weak")  # as the program sets before it imports NumPy
        sys.path.insert(0, str(build / "python"))
        try:
            import numpy  # noqa: F401
            from warpmark import _core
            return _core
        except ImportError:
            return None
        finally:
            sys.path.pop(0)

    def can_run(self, arguments, environment):
        """Returns whether a start would load the same libraries into the same Python, and do the same with them."""
        if arguments[:1] == ["pack"]:  # it packs what it is: a package of Python, in a fork
            return False
        loading = ("LD_", "PYTHON", "VIRTUAL_ENV", "WARPMARK_PYTHON", "OMP_", "OPENBLAS_")
        if self.core is None or any(name.startswith(loading) and value != os.environ.get(name)
                                    for name, value in environment.items()):
            return False
        chosen = shutil.which("python3", path=environment.get("PATH", ""))
        return chosen is not None and os.path.samefile(chosen, sys.executable)

    def run(self, arguments, cwd, environment, timeout):
        """Works like subprocess.run with captured output and nothing to read."""
        pipes = [os.pipe(), os.pipe()]
        child = os.fork()
        if child == 0:
            self._become_program(arguments, cwd, environment, [pipe[1] for pipe in pipes])
        for pipe in pipes:
            os.close(pipe[1])
        command = [self.file, *arguments]
        try:
            out, errors = self._read([pipe[0] for pipe in pipes], time.monotonic() + timeout)
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            raise subprocess.TimeoutExpired(command, timeout) from None
        finally:
            for pipe in pipes:
                os.close(pipe[0])
            _, status = os.waitpid(child, 0)
        return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), out, errors)

    def _become_program(self, arguments, cwd, environment, outputs):
        """In the fork: does not return."""
        code = errno.ENOEXEC
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for number, end in enumerate(outputs, 1):
                os.dup2(end, number)
            os.closerange(3, 1 << 16)
            os.chdir(cwd)
            os.environ.clear()
            os.environ.update(environment)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            code = self.core.main(arguments=[os.fsencode(word) for word in arguments],
                                  command=[self.file], worker=self.worker, folder=self.folder)
        finally:
            os._exit(code)

    @staticmethod
    def _read(ends, deadline):
        """Returns what comes out of each end until all are closed; raises TimeoutError after the deadline."""
        parts = {end: [] for end in ends}
        with selectors.DefaultSelector() as selector:
            for end in ends:
                selector.register(end, selectors.EVENT_READ)
            while selector.get_map():
                ready = selector.select(max(0, deadline - time.monotonic()))
                if not ready:
                    raise TimeoutError
                for key, _ in ready:
                    data = os.read(key.fd, 1 << 16)
                    parts[key.fd].append(data)
                    if not data:
                        selector.unregister(key.fd)
        return [b"".join(parts[end]) for end in ends]

"""Serves kernels of people who are not trusted: each in a fork of this process, in a sandbox before it sees one.

The protocol is in docs/plugins.md, "Compilers behind walls". This process is warm: what a fork could no longer
open, it has opened.
"""
import ctypes
import importlib
import json
import linecache
import os
import signal
import socket
import sys
import types

import kernel_compiler
from kernel_compiler import Missing, Refused, line_in

PR_SET_PDEATHSIG = 1  # prctl(2)
# The modules that kernels' files import, beside the language's own. Those that are not installed are left out.
MODULES = ("abc collections contextlib copy dataclasses enum functools inspect itertools json logging math numpy operator "
           "os random re string struct sys time torch torch.autograd torch.nn torch.nn.functional torch.utils.benchmark "
           "triton.tools.tensor_descriptor typing typing_extensions warnings").split()


def serve(answer, warm_up):
    """Makes a process for each request on the control socket, until its other end is closed.

    Args:
      answer: takes a request with its `source`, and returns the reply; may raise Refused and Missing.
      warm_up: opens what compiling opens late. May raise Missing.
    """
    settings = json.loads(sys.argv[2])
    # Threads do not survive a fork.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    end_with_parent()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    walls = ctypes.CDLL(settings["walls"])
    control = socket.socket(fileno=settings["control"])
    try:
        for name in MODULES:
            preload(name)
        warm_up()
        control.send(b'{"ready": true}')
    except Missing as missing:
        control.send(json.dumps({"missing": str(missing)}).encode())
        return
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 4096, 1)
        if not data:
            break
        try:
            child = os.fork()
        except OSError:  # too many processes: whoever asked finds the connection closed
            os.close(descriptors[0])
            continue
        if child == 0:
            try:
                control.close()
                end_with_parent()
                serve_one(answer, socket.socket(fileno=descriptors[0]), json.loads(data)["group"], walls, settings)
            finally:  # never back into the loop, whatever has happened
                os._exit(0)
        os.close(descriptors[0])
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def preload(name):
    try:
        importlib.import_module(name)
    except Exception:  # a package that is broken here is as good as none
        pass


def serve_one(answer, connection, group, walls, settings):
    """Enters the sandbox, and then answers the requests of one submission."""
    for name in list(os.environ):  # the file could tell them
        if not name.startswith("TRITON_"):
            del os.environ[name]
    # Forks of one process share the place where a file is read; a file that is opened anew has its own.
    own = os.open("/proc/self/fd/0", os.O_RDONLY)
    os.dup2(own, 0)
    os.close(own)
    stream = connection.makefile("rw", encoding="utf-8", newline="\n")

    def reply(json_object):
        stream.write(json.dumps(json_object) + "\n")
        stream.flush()

    os.setpgid(0, group)
    held = ctypes.create_string_buffer(1024)
    failed = walls.warpmark_enter_walls_v1(ctypes.c_uint64(settings["bytes"]), ctypes.c_double(settings["cpu_s"]), held,
                                           ctypes.c_size_t(len(held)))
    text = held.value.decode()
    if failed:
        return reply({"error": text})
    reply({"walls": text.split(",") if text else []})
    for line in stream:
        try:
            reply(answer(json.loads(line)))
        except Refused as refused:
            reply({"error": refused.text, "line": refused.line, "hint": refused.hint})
        except Missing as missing:
            # The language is here, so that it is the file that wants more.
            reply({"error": str(missing), "line": 0})
        except MemoryError:
            reply({"error": "compiling it takes more memory than it may", "line": 0})
        except Exception as error:  # whatever the file has done to the language
            reply({"error": "%s: %s" % (type(error).__name__, error), "line": 0})
    return None


def load(path, source):
    """The module of a text, whose lines `inspect` and tracebacks find under this path, where no file is."""
    name = str(path)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    # The file may have the name of a module that others import.
    module = types.ModuleType("submission_" + path.stem)
    module.__file__ = name
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, name, "exec"), module.__dict__)
    except ModuleNotFoundError as error:
        raise Refused("%s imports %s, which is not there for submissions" % (path.name, error.name), line_in(error, path),
                      "a kernel's file imports %s" % ", ".join(sorted(
                          one for one in [*MODULES, "triton", "numba"] if one in sys.modules and "." not in one))) from None
    except BaseException as error:  # SystemExit among them
        raise Refused("%s: %s" % (type(error).__name__, error), line_in(error, path), kernel_compiler.hint_about(error)) from None
    return module

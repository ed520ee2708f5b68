"""warpmark_device_v1 by ctypes: the struct of harness/include/warpmark/device.h."""
import ctypes
import json
import sys
from ctypes import CFUNCTYPE, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p

CHECKS = ["memory", "init", "race", "sync"]
SINK = CFUNCTYPE(None, c_void_p, c_char_p, c_size_t)


class Extension(ctypes.Structure):
    """warpmark_device."""
    _fields_ = [("size", c_uint32), ("version", c_uint32), ("capabilities", c_uint32), ("reserved", c_uint32),
                ("configure", CFUNCTYPE(c_int, c_void_p, c_char_p)),
                ("label", CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64, c_char_p, c_char_p)),
                ("drain_reports", CFUNCTYPE(None, c_void_p, SINK, c_void_p)),
                ("drain_counters", CFUNCTYPE(None, c_void_p, SINK, c_void_p)), ("last_error", CFUNCTYPE(c_char_p)),
                ("list_symbols", CFUNCTYPE(None, SINK, c_void_p)),
                ("protect", CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64, c_int)),
                ("forget", CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)),
                ("elements", CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64))]


def extension_of(device):
    function = device.library.warpmark_device_v1
    function.restype = ctypes.POINTER(Extension)
    return function().contents


def reports_of(extension):
    """All reports since the last call, oldest first."""
    lines = []
    extension.drain_reports(None, SINK(lambda user, text, size: lines.append(json.loads(text[:size]))), None)
    return lines


def counters_of(extension):
    """The counters of all launches since the last call, oldest first."""
    lines = []
    extension.drain_counters(None, SINK(lambda user, text, size: lines.append(json.loads(text[:size]))), None)
    return lines


def configure(extension, **settings):
    """Settings of warpmark/device.h for the current context; ends the process if they are refused."""
    if extension.configure(None, json.dumps(settings).encode()):
        sys.exit(extension.last_error().decode())

"""Shared by the programs here: the catalogue's modules, their arguments, and a device that checks everything.

Ends the program with 77 where there is no NumPy."""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "catalogue"))
try:
    import numpy  # noqa: F401
except ImportError:
    print("there is no NumPy")
    sys.exit(77)
import driver
from extension import CHECKS, configure, extension_of


def argument_parser(doc):
    """LIBRARY COMPILE_CORPUS [-k WORD]: the CPU device, the program that compiles, and part of a name."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("compiler")
    parser.add_argument("-k", dest="word", default="")
    return parser


def checked_device(library, **settings):
    """The device and its extension, with a context of its own and further settings of warpmark/device.h."""
    device = driver.Device(library)
    extension = extension_of(device)
    configure(extension, **{"checks": CHECKS, **settings})
    return device, extension

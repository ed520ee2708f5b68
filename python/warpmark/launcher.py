"""The program warpmark-cpu: starts any program on the CPU device."""
import os
import sys

from warpmark.places import program_folder


def main():
    """Becomes the launcher that lies in the package."""
    launcher = os.path.join(program_folder(), "warpmark-cpu")
    os.execv(launcher, [launcher, *sys.argv[1:]])

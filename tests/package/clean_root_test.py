"""`./bootstrap test` on a bare Debian 12: as root, then as an ordinary user, then without network.

Usage: clean_root_test.py SOURCE_DIR [FOLDER]

With FOLDER the bare system is made there and kept. Exits with 77 where none can be made.
"""
import pathlib
import subprocess
import sys
import tempfile

import debian_root


def copy_tree(source, target):
    """The tracked files as they are in the work tree, and new files that git does not ignore."""
    names = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others",
                            "--exclude-standard"], stdout=subprocess.PIPE, check=True).stdout
    there = b"\0".join(name for name in names.split(b"\0")
                       if name and (source / name.decode()).exists())
    target.mkdir(parents=True)
    packed = subprocess.run(["tar", "-C", source, "--null", "--files-from=-", "--create"], input=there,
                            stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-C", target, "--extract", "--no-same-owner"], input=packed, check=True)


def bootstrap(root, user, folder, *arguments):
    print("== as %s: ./bootstrap %s" % (user, " ".join(arguments)), flush=True)
    done = subprocess.run(root.command(["./bootstrap", *arguments], user=user, folder=folder,
                                       environment={"CI": "1"}), stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(1)


def prove(source, folder):
    root = debian_root.Root("bookworm", folder / "root")
    copy_tree(source, root.path / "root/warpmark")
    bootstrap(root, "root", "/root/warpmark", "test")
    root.add_user("visitor")
    copy_tree(source, root.path / "home/visitor/warpmark")
    root.run("chown", "-R", "visitor:visitor", "/home/visitor/warpmark")
    bootstrap(root, "visitor", "/home/visitor/warpmark", "test")
    bootstrap(root, "visitor", "/home/visitor/warpmark", "test", "--offline")
    print("== passed")


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    try:
        debian_root.require()
    except debian_root.Unavailable as reason:
        print("skipped:", reason)
        sys.exit(77)
    if len(sys.argv) > 2:
        prove(source, pathlib.Path(sys.argv[2]).resolve())
    else:
        with tempfile.TemporaryDirectory(prefix="warpmark-clean-root-") as folder:
            prove(source, pathlib.Path(folder))


if __name__ == "__main__":
    main()

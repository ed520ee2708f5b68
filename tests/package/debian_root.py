"""Bare Debian systems in folders, for tests that use packages where they were not built.

Needs root, debootstrap, unshare and this machine's way to its package mirrors, which the bare
system is given: names, apt's proxy, pip's configuration, certificates.
"""
import os
import pathlib
import re
import shutil
import subprocess

# _PATH is that of a login. Nothing of this machine's toolchains comes in but what reaches the
# mirrors.
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_KEPT = re.compile(r"(PIP_.*|[a-z]+_proxy|[A-Z]+_PROXY|SSL_CERT_FILE|REQUESTS_CA_BUNDLE)")

# Mounts are made in a namespace of each command's own, and go with it, whatever ends it.
_ENTER = ('mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && '
          'exec chroot "$0" "$@"')


class Unavailable(Exception):
    """Raised if this machine lacks something for a bare system."""


def _output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False).stdout


def _mirror():
    """The mirror of Debian's main archive that this machine installs from."""
    targets = _output("apt-get", "indextargets", "--format", "$(REPO_URI) $(COMPONENT)",
                      "Created-By: Packages")
    for uri, component in (line.split() for line in targets.splitlines()):
        if component == "main" and uri.rstrip("/").endswith("/debian"):
            return uri
    raise Unavailable("this machine's apt sources name no mirror of Debian")


def require():
    """Raises Unavailable, with the reason, where no bare system can be made."""
    if os.getuid() != 0:
        raise Unavailable("only root can make a bare system")
    for tool in ("debootstrap", "unshare", "chroot", "setpriv"):
        if shutil.which(tool) is None:
            raise Unavailable(tool + " is not installed")
    if subprocess.run(["unshare", "--mount", "--pid", "--net", "--fork", "true"], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise Unavailable("no mount namespace to be had")
    _mirror()


class System:
    """A system in a folder, called `name` in messages, in which commands run by chroot."""

    def __init__(self, name, folder):
        self.name = name
        self.path = pathlib.Path(folder)

    def command(self, words, user="root", folder=None, network=True, environment=None):
        """The command of this machine that runs `words` in there, as a login of `user` would."""
        home = "/root" if user == "root" else "/home/" + user
        settings = {"HOME": home, "USER": user, "LANG": "C.UTF-8", "PATH": _PATH}
        settings.update((key, value) for key, value in os.environ.items()
                        if _KEPT.fullmatch(key) and key != "PIP_FIND_LINKS")
        settings.update(environment or {})
        return (["unshare", "--mount", "--pid", "--fork", "--kill-child"] +
                ([] if network else ["--net"]) +
                ["sh", "-c", _ENTER, str(self.path),
                 "setpriv", "--reuid", user, "--regid", user, "--init-groups", "env", "-i"] +
                ["%s=%s" % item for item in settings.items()] +
                ["sh", "-c", 'cd "$0" && exec "$@"', folder or home] + [str(word) for word in words])

    def run(self, *words, code=0, **how):
        """Runs `words` and returns what they print on both streams; raises unless they exit with `code`."""
        done = subprocess.run(self.command(words, **how), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != code:
            raise AssertionError("%s in %s exited with %d:\n%s" %
                                 (words, self.name, done.returncode, done.stdout[-6000:]))
        return done.stdout


class Root(System):
    """A bare Debian of one release, `suite`, in `folder`, which is made unless it is there."""

    def __init__(self, suite, folder):
        super().__init__(suite, folder)
        if not (self.path / "etc/debian_version").exists():
            self._make()

    def _make(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        made = subprocess.run(
            ["debootstrap", "--variant=minbase", self.name, self.path, _mirror()],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if made.returncode != 0:
            raise RuntimeError(made.stdout[-3000:])
        for name in ("resolv.conf", "hosts"):
            if os.path.exists("/etc/" + name):
                shutil.copy("/etc/" + name, self.path / "etc" / name)
        settings = [line for line in _output("apt-config", "dump").splitlines()
                    if re.match("Acquire::https?::", line)]
        (self.path / "etc/apt/apt.conf.d/99machine").write_text("\n".join(settings) + "\n")
        home = pathlib.Path(os.environ.get("HOME", "/root"))
        for file in (pathlib.Path("/etc/pip.conf"), home / ".config/pip/pip.conf", home / ".pip/pip.conf"):
            if file.exists():
                with open(self.path / "etc/pip.conf", "a", encoding="utf-8") as to:
                    to.write(file.read_text())
        for place in ("/usr/local/share/ca-certificates", "/etc/ssl/certs"):
            if os.path.isdir(place):
                shutil.copytree(place, str(self.path) + place, dirs_exist_ok=True)
        # debootstrap ran where package lists exist; a fresh machine has none.
        shutil.rmtree(self.path / "var/lib/apt/lists")

    def add_user(self, name):
        if not (self.path / "home" / name).exists():
            self.run("useradd", "--create-home", "--shell", "/bin/bash", name)

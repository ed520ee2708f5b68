# How an installed package of Python starts: in the Python whose pip put it there, or with a plain message. And what
# the scripts of packaging/ refuse before they build anything.
"""Environment: WARPMARK_SOURCE_DIR. The program itself is a stand-in, so nothing is built."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["WARPMARK_SOURCE_DIR"]).resolve()
CORE = "def main(arguments, command, worker, folder):\n    print('in', command[0], *arguments, flush=True)\n    return 0\n"
LONG = "#!/bin/sh\n'''exec' %s \"$0\" \"$@\"\n' '''\n"


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="warpmark start ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        other = self.python("other/python3", "exit 9")
        self.environment = {"PATH": "%s:/usr/bin:/bin" % other.parent, "LANG": "C.UTF-8"}

    def python(self, name, does=None):
        """A Python that says which one it is before it runs."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('#!/bin/sh\n%s\n' % (does or 'echo "$0"; exec "%s" "$@"' % sys.executable))
        file.chmod(0o755)
        return file

    def package(self, place, core=CORE):
        package = self.folder / place / "warpmark"
        (package / "bin").mkdir(parents=True)
        for name in ("__init__.py", "__main__.py", "places.py"):
            shutil.copy(SOURCE / "python/warpmark" / name, package)
        (package / "__init__.py").write_text("")
        (package / "_core.py").write_text(core)
        shutil.copy(SOURCE / "python/warpmark.sh", package / "bin/warpmark")
        (package / "bin/warpmark").chmod(0o755)
        return package

    def script(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def start(self, package, code=0, **more):
        done = subprocess.run([package / "bin/warpmark", "word"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, env={**self.environment, **more}, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def test_of_an_environment(self):
        own = self.python("venv/bin/python3")
        package = self.package("venv/lib/python3.12/site-packages")
        self.assertTrue(self.start(package).startswith("%s/venv/" % self.folder.resolve()))
        for first in ("#!%s\n" % self.python("short/python3.12"), LONG % ('"%s"' % own), LONG % own):
            self.script("venv/bin/warpmark", first)
            self.assertIn(" b'word'\n", self.start(package, WARPMARK_PYTHON="/nowhere/python3", VIRTUAL_ENV="/nowhere"))

    def test_of_a_user_whose_python_lies_elsewhere(self):
        own = self.python("usr bin/python3.12")
        package = self.package("home/.local/lib/python3.12/site-packages")
        self.script("home/.local/bin/warpmark", LONG % ('"%s"' % own))
        self.assertTrue(self.start(package).startswith("%s\n" % own))

    def test_of_debians_folder_and_of_a_target(self):
        own = self.python("usr/bin/python3")
        for place, script in (("usr/local/lib/python3.11/dist-packages", "usr/local/bin/warpmark"),
                              ("target", "target/bin/warpmark")):
            package = self.package(place)
            self.script(script, LONG % ('"%s"' % own))
            self.assertTrue(self.start(package).startswith("%s\n" % own), place)

    def test_of_an_archive(self):
        own = self.python("other/python3")
        self.assertTrue(self.start(self.package("opt/lib/python")).startswith("%s\n" % own))

    def test_an_old_glibc(self):
        self.python("other/python3")
        text = "/lib/libc.so.6: version `GLIBC_2.31' not found (required by _core.so)"
        out = self.start(self.package("old/lib/python", "raise ImportError(%r)\n" % text), code=3)
        self.assertIn("error: the program cannot be loaded into ", out)
        self.assertIn("GLIBC_2.31' not found", out)
        self.assertIn("hint: Warpmark needs an x86-64 Linux with glibc 2.31 or newer", out)

    def test_another_python(self):
        self.python("other/python3")
        package = self.package("old/lib/python", "raise ImportError('none')\n")
        for tag in ("38", "39"):
            (package / ("_core.cpython-%s-x86_64-linux-gnu.so" % tag)).write_text("")
        out = self.start(package, code=3)
        self.assertIn("error: this Warpmark is for Python 3.8 and 3.9, and ", out)
        self.assertIn("install a wheel for Python %d.%d" % sys.version_info[:2], out)


class Scripts(unittest.TestCase):
    def refused(self, script, *arguments, code=2):
        done = subprocess.run([SOURCE / "packaging" / script, *arguments], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def test_a_release_goes_into_a_folder_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "old.whl").write_text("")
            self.assertIn("has files already", self.refused("release.sh", "--output", folder))
            self.assertEqual(os.listdir(folder), ["old.whl"])
            self.assertIn("is no build folder of Warpmark", self.refused("release.sh", "--output", folder + "/new",
                                                                         "--build", folder))
        self.assertIn("there are wheel, deb, archive and image", self.refused("release.sh", "--only", "rpm"))
        self.assertIn("--python needs a value", self.refused("release.sh", "--python"))
        self.assertIn("unknown option: --all", self.refused("release.sh", "--all"))

    def test_a_python_without_headers_makes_no_wheel(self):
        for python in ("/bin/false", "/nowhere/python3"):
            self.assertIn("no wheel can be made for " + python, self.refused("wheel.sh", "--python", python, code=3))

    def test_what_the_build_of_a_wheel_needs_is_pinned(self):
        project = (SOURCE / "pyproject.toml").read_text()
        needed = re.search(r"(?s)^requires = \[(.*?)^\]", project, re.M).group(1)
        pins = dict(re.findall(r"(?m)^([\w-]+)==([\w.]+) ", (SOURCE / "packaging/requirements.txt").read_text()))
        names = re.findall(r'"([\w-]+)(==|>=)([\d.]+)', needed)
        self.assertEqual(len(names), 6)
        for name, relation, version in names:
            if relation == "==":
                self.assertTrue(pins[name].startswith(version), name)
            else:
                self.assertGreaterEqual([int(part) for part in pins[name].split(".")],
                                        [int(part) for part in version.split(".")], name)

    def test_the_workflow_of_releases(self):
        text = (SOURCE / ".github/workflows/release.yaml").read_text()
        for action in re.findall(r"uses: (.*)", text):  # one commit, with the version that it is
            self.assertRegex(action, r"^actions/[a-z-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$")
            self.assertTrue(any(action in file.read_text() for file in (SOURCE / "examples/ci").glob("*.yml")), action)
        self.assertEqual(re.findall(r"(?m)^ +3\.(\d+)$", text), ["10", "11", "12", "13", "14"])
        self.assertEqual(re.findall("(?m)^permissions:\n  contents: read$", text), ["permissions:\n  contents: read"])
        self.assertIn(r"s/^project(warpmark VERSION \([0-9.]*\) .*/\1/p", text)
        self.assertRegex((SOURCE / "CMakeLists.txt").read_text(), r"(?m)^project\(warpmark VERSION [0-9.]+ ")


if __name__ == "__main__":
    unittest.main()

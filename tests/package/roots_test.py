"""The files of a release, each used in a bare Debian in which it was not built, by the commands of docs/install.md.

Usage: roots_test.py SOURCE_DIR BINARY_DIR RELEASE_DIR [TEST...]

  bullseye  glibc 2.31, the oldest that is promised: wheel and archive under a Python 3.11 that is
            built there from Debian's source
  bookworm  .deb, wheel, archive, the instructions of the Dockerfile, files that are refused, and what a student does
            with a hand-out
  trixie    wheel and archive under Python 3.13
  image     what the file of the image holds, if the release has one

A release that lies in RELEASE_DIR is taken as it is; else packaging/release.sh makes one, with the .deb of BINARY_DIR.
Each use counts the commands and the seconds from the files to the first verdict, downloads included, prints
them, and fails above three and 60. Exits with 77 where no bare system can be made. The systems are kept in
$WARPMARK_ROOTS, if that is set.
"""
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile

import debian_root
from scale_suite import KERNEL, SUITE

SOURCE = BINARY = RELEASE = ROOTS = None
MOST_COMMANDS, MOST_SECONDS = 3, 60
MOST_STUDENT_SECONDS = 180
# For a Python of Debian's source. The optional modules are those that pip needs.
BUILD_PYTHON = ("build-essential", "zlib1g-dev", "libssl-dev", "libffi-dev", "ca-certificates", "xz-utils")


def release():
    """The folder of a release; it is made if there is none."""
    if not (RELEASE / "SHA256SUMS").exists():
        subprocess.run([SOURCE / "packaging/release.sh", "--output", RELEASE, "--build", BINARY], check=True,
                       stdout=subprocess.DEVNULL)
    return RELEASE


def one_of(pattern):
    files = sorted(release().glob(pattern))
    if not files:
        raise unittest.SkipTest("the release has no " + pattern)
    return files[0]


def wheel_for(version):
    return one_of("warpmark-*-cp%s-*manylinux*.whl" % version.replace(".", ""))


def commands_of(package, version="3.12"):
    """The commands from a file to a verdict that docs/install.md has, with the wheel for that Python."""
    row = re.search(r"^\| %s \| (.*?) \|" % re.escape(package), (SOURCE / "docs/install.md").read_text(), re.M)
    commands = re.findall("`([^`]*)`", row.group(1))
    return [command.replace("cp312", "cp" + version.replace(".", "")) for command in commands]


def instructions_of(dockerfile):
    """Pairs of a Dockerfile's instructions and their arguments."""
    lines = dockerfile.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return [line.split(None, 1) for line in lines if line and not line.startswith("#")]


class Image:
    """A container engine, as far as our Dockerfile needs it."""

    def __init__(self, root, context, path):
        self.root, self.context, self.base = root, context, None
        self.environment = {"PATH": path + ":/usr/local/bin:/usr/bin:/bin"}
        self.folder, self.entry, self.arguments = "/", [], []

    def follow(self, instruction, argument):
        if instruction == "ARG":
            self.environment.update([argument.split("=", 1)])
        elif instruction == "FROM":
            self.base = argument.replace("${BASE}", self.environment.pop("BASE", ""))
        elif instruction == "COPY":
            pattern, into = argument.split()
            files = glob.glob(str(self.context / pattern))
            if not files:
                raise AssertionError("COPY: nothing is called " + pattern)
            for file in files:
                shutil.copy(file, self.root.path / into.lstrip("/"))
        elif instruction == "RUN":
            self.root.run("sh", "-c", argument, folder=self.folder, environment=self.environment)
        elif instruction == "ENV":
            self.environment.update([argument.split("=", 1)])
        elif instruction == "WORKDIR":
            self.folder = argument
            (self.root.path / argument.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif instruction == "ENTRYPOINT":
            self.entry = json.loads(argument)
        elif instruction == "CMD":
            self.arguments = json.loads(argument)
        else:
            raise AssertionError("this test does not know %s of a Dockerfile" % instruction)

    def start(self, *words, **how):
        """Returns what `docker run IMAGE WORDS...` prints."""
        return self.root.run(*self.entry, *(words or self.arguments), folder=self.folder,
                             environment=self.environment, **how)


class RootTest(unittest.TestCase):
    """A bare system with a user `visitor`, who has a suite, and who installs what root need not."""
    suite = None

    @classmethod
    def setUpClass(cls):
        if cls.suite is None:
            raise unittest.SkipTest("no system of its own")
        cls.root = debian_root.Root(cls.suite, ROOTS / cls.suite)
        cls.root.add_user("visitor")
        cls.work = cls.root.path / "home/visitor/my kernels"
        cls.work.mkdir(exist_ok=True)
        (cls.work / "scale.yaml").write_text(SUITE)
        (cls.work / "scale.cu").write_text(KERNEL)
        (cls.work / "wrong.yaml").write_text(SUITE.replace("scale.cu", "wrong.cu"))
        (cls.work / "wrong.cu").write_text(KERNEL.replace("i < n", "i <= n"))
        cls.root.run("chown", "-R", "visitor:visitor", "/home/visitor/my kernels")

    def as_visitor(self, *words, **how):
        return self.root.run(*words, user="visitor", folder="/home/visitor/my kernels", **how)

    def judges(self, program):
        """A second verdict, which is red. It needs no network."""
        self.assertIn("wrong.cu:4", self.as_visitor(program, "check", "wrong.yaml", code=1, network=False))

    def follow(self, package, what, version="3.12", user="visitor", environment=None):
        """Follows the page from the files of the release to the first verdict, and holds it to its figures."""
        commands = commands_of(package, version)
        self.assertLessEqual(len(commands), MOST_COMMANDS)
        since = time.monotonic()
        for command in commands:
            how = {"environment": environment} if environment else {}
            last = command == commands[-1]  # the verdict needs no network, and no rights
            out = self.root.run("sh", "-c", command, user="visitor" if last else user, network=not last,
                                folder="/home/visitor/my kernels", **how)
        seconds = time.monotonic() - since
        print("%s, %s: %d commands and %.1f s to the first verdict" % (self.suite, what, len(commands), seconds),
              flush=True)
        self.assertIn("2 passed", out)
        self.assertLessEqual(seconds, MOST_SECONDS)

    def put(self, file, folder="home/visitor/my kernels"):
        shutil.copy(file, self.root.path / folder)
        return "/%s/%s" % (folder, file.name)

    def pythons(self, python):
        """A PATH on which that interpreter is python3."""
        folder = self.root.path / "opt/first"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "python3").unlink(missing_ok=True)
        (folder / "python3").symlink_to(python)
        return {"PATH": "/opt/first:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}

    def try_wheel(self, python, version):
        self.put(wheel_for(version))
        shutil.rmtree(self.work / "venv", ignore_errors=True)
        self.follow("wheel", "wheel for Python " + version, version, environment=self.pythons(python))
        self.judges("venv/bin/warpmark")

    def try_archive(self, python):
        """The archive runs in the first python3 of PATH, here an environment that has NumPy."""
        self.put(one_of("warpmark-*-linux-x86_64.tar.gz"))
        self.as_visitor("sh", "-c", "rm -rf moved warpmark-*/")
        self.as_visitor(python, "-m", "venv", "--clear", "numpy")
        self.as_visitor("numpy/bin/pip", "install", "--quiet", "numpy")
        path = "/home/visitor/my kernels/numpy/bin:/usr/bin:/bin"
        self.follow("`.tar.gz`", "archive", environment={"PATH": path})
        self.as_visitor("sh", "-c", "mv warpmark-*/ 'moved there' && test -s 'moved there/THIRD_PARTY_NOTICES'")
        (self.work / "archived").write_text(
            '#!/bin/sh\nPATH="$PWD/numpy/bin:$PATH" exec "$PWD/moved there/bin/warpmark" "$@"\n')
        (self.work / "archived").chmod(0o755)
        self.judges("./archived")
        self.as_visitor("rm", "-rf", "moved there")

    def try_packed_autograder(self, python):
        """The wheel packs what Gradescope runs: as an ordinary user, and without a network."""
        self.try_wheel(python, "3.11")
        shutil.copytree(SOURCE / "courses/first/doublify", self.work / "hw", dirs_exist_ok=True)
        (self.work / "secret").write_text("0123456789abcdef0123456789abcdef\n")
        self.root.run("chown", "-R", "visitor:visitor", "/home/visitor/my kernels")
        self.as_visitor("chmod", "600", "secret")
        self.as_visitor("venv/bin/warpmark", "pack", "gradescope", "hw/assignment.yaml", "--secret", "secret",
                        "-o", "hw.zip")
        source = self.root.path / "autograder/source"
        shutil.rmtree(source.parent, ignore_errors=True)
        with zipfile.ZipFile(self.work / "hw.zip") as archive:
            archive.extractall(source)
        path = {"PATH": os.path.dirname(python) + ":/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        for instruction, argument in instructions_of(source / "Dockerfile"):  # an image over this system
            if instruction == "RUN":
                self.root.run("sh", "-c", argument, environment=path)
        for name, score in (("solutions/plain.cu", "10.0"), ("wrong/endless.cu", "0.0")):
            submission = source.parent / "submission"
            shutil.rmtree(submission, ignore_errors=True)
            submission.mkdir()
            shutil.copy(SOURCE / "courses/first/doublify" / name, submission / "double_array.cu")
            (source.parent / "submission_metadata.json").write_text('{"users": [{"name": "Ada"}]}')
            self.root.run("chown", "-R", "visitor:visitor", "/autograder")
            since = time.monotonic()
            out = self.root.run("bash", "/autograder/source/run_autograder", user="visitor", folder="/",
                                environment=path, network=False)
            print("%s, autograder, %s: %.1f s" % (self.suite, name, time.monotonic() - since), flush=True)
            results = json.loads((source.parent / "results/results.json").read_text())
            self.assertEqual(str(results.get("score")), score, out)


class Bullseye(RootTest):
    suite = "bullseye"

    def test_glibc_is_the_oldest_that_is_promised(self):
        self.assertIn("2.31", self.root.run("ldd", "--version"))

    def test_wheel_and_archive(self):
        python = self.python()
        self.try_wheel(python, "3.11")
        self.try_archive(python)

    def test_a_packed_autograder(self):
        self.try_packed_autograder(self.python())

    def test_a_python_without_a_wheel_is_named(self):
        self.root.run("apt-get", "update", "-qq")
        self.root.run("apt-get", "install", "-qq", "--no-install-recommends", "python3-pip", "python3-numpy")
        out = self.as_visitor("python3", "-m", "pip", "install", self.put(wheel_for("3.11")), code=1)
        self.assertIn("is not a supported wheel on this platform", out)
        archive = self.put(one_of("warpmark-*-linux-x86_64.tar.gz"))
        self.as_visitor("sh", "-c", "rm -rf old && mkdir old && tar -C old --strip-components=1 -xzf '%s'" % archive)
        out = self.as_visitor("old/bin/warpmark", "check", "scale.yaml", code=3)
        self.assertRegex(out, r"Python 3\.9")
        self.assertRegex(out, r"is for Python 3\.\d+ and 3\.")

    def python(self):
        """A Python 3.11 from bookworm's source."""
        if not (self.root.path / "opt/python/bin/python3.11").exists():
            sources = self.root.path / "etc/apt/sources.list.d/bookworm-sources.list"
            main = (self.root.path / "etc/apt/sources.list").read_text().split("\n")[0]
            sources.write_text(main.replace("deb ", "deb-src ").replace("bullseye", "bookworm") + "\n")
            self.root.run("apt-get", "update", "-qq", "-o", "APT::Get::AllowUnauthenticated=true",
                          "-o", "Acquire::AllowInsecureRepositories=true")
            self.root.run("apt-get", "install", "-qq", "--no-install-recommends", "dpkg-dev", *BUILD_PYTHON)
            self.root.run("sh", "-c", "mkdir -p /tmp/python && cd /tmp/python && "
                          "apt-get source -qq --download-only --allow-unauthenticated python3.11 && "
                          "mkdir -p src && tar -C src --strip-components=1 -xf python3.11_*.orig.tar.* && cd src && "
                          "./configure --prefix=/opt/python && make -j2 && make install")
        return "/opt/python/bin/python3.11"


class Bookworm(RootTest):
    suite = "bookworm"

    def test_deb(self):
        for file in (one_of("warpmark_*.deb"), one_of("warpmark-cuda_*.deb")):
            self.put(file)
        (self.root.path / "etc/apt/apt.conf.d/99yes").write_text('APT::Get::Assume-Yes "true";\n')
        self.root.run("apt-get", "update", "-qq")
        self.root.run("sh", "-c", "dpkg --purge warpmark warpmark-cuda || true")  # of a kept system
        before = self.packages()
        self.follow("`.deb`", ".deb", user="root")
        print("%d packages with it" % (self.packages() - before), flush=True)
        self.judges("warpmark")
        self.assertIn("warpmark-cpu", self.as_visitor("sh", "-c", "command -v warpmark-cpu"))
        # Without the package of NVRTC it says what is missing and what brings it.
        self.root.run("dpkg", "--remove", "warpmark-cuda")
        out = self.as_visitor("warpmark", "check", "scale.yaml", "--no-cache", code=3)
        self.assertIn("warpmark-cuda", out)
        self.root.run("apt-get", "purge", "-qq", "warpmark")
        # The other tests of this system keep theirs in an autograder's folder and an environment.
        self.assertEqual(self.root.run("sh", "-c", "find / -xdev -path '*warpmark*' -not -path '/root/*' "
                                       "-not -path '/autograder/*' -not -path '/usr/local/image/*' "
                                       "-not -path '/usr/local/handed-out/*' -not -path '/work/*' "
                                       "-not -path '/home/*' -not -path '/proc/*' -not -path '/tmp/*' "
                                       "-not -path '/var/cache/*' -not -path '/var/log/*'").strip(), "")

    def hand_out(self):
        """The zip of a hand-out with the release's wheel, and its folder once a student has unpacked it."""
        made = self.root.path / "home/visitor/handed out"
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run([BINARY / "bin/warpmark", "handout", SOURCE / "courses/first/doublify/assignment.yaml",
                        "--wheel", wheel_for("3.11"), "-o", made / "doublify"], check=True, stdout=subprocess.DEVNULL)
        shutil.make_archive(str(made / "doublify"), "zip", made, "doublify")
        with zipfile.ZipFile(made / "doublify.zip") as archive:
            archive.extractall(made / "at home")
        self.root.run("chown", "-R", "visitor:visitor", "/home/visitor/handed out")
        return made / "at home/doublify"

    def test_a_student_s_way(self):
        """From the zip of a hand-out to the first verdict, by the commands of its README."""
        self.root.run("apt-get", "update", "-qq")
        self.root.run("apt-get", "install", "-qq", "--no-install-recommends", "python3-venv")
        home = self.hand_out()
        place = "/" + home.relative_to(self.root.path).as_posix()
        readme = (home / "README.md").read_text()
        setup, activate = re.search(r"^\| Linux.*`(sh [^`]*)`, then `([^`]*)`", readme, re.M).groups()
        tried = re.search(r"^ +(warpmark try .*)$", readme, re.M).group(1)
        since = time.monotonic()
        self.root.run("sh", "-c", setup, user="visitor", folder=place)
        out = self.root.run("sh", "-c", activate + " && " + tried, user="visitor", folder=place, network=False, code=1)
        seconds = time.monotonic() - since
        print("bookworm, hand-out: %.1f s to the first verdict" % seconds, flush=True)
        self.assertLessEqual(seconds, MOST_STUDENT_SECONDS)
        self.assertIn("0 of ", out)
        shutil.copy(SOURCE / "courses/first/doublify/solutions/plain.cu", home / "double_array.cu")
        out = self.root.run("sh", "-c", activate + " && " + tried, user="visitor", folder=place, network=False)
        self.assertRegex(out, r"(\d+) of \1 points")

    def test_a_hand_out_s_container(self):
        """The instructions of its Dockerfile, in a system whose first Python is the image's."""
        self.root.run("apt-get", "update", "-qq")
        self.root.run("apt-get", "install", "-qq", "--no-install-recommends", "python3-venv")
        self.root.run("python3", "-m", "venv", "--clear", "/usr/local/handed-out")
        home = self.hand_out()
        image = Image(self.root, home, "/usr/local/handed-out/bin")
        for instruction, argument in instructions_of(home / "Dockerfile"):
            image.follow(instruction, argument)
        self.assertEqual(image.base, "python:3.11-slim")
        shutil.copytree(home, self.root.path / "work", dirs_exist_ok=True)  # docker run -v "$PWD:/work"
        tried = re.search(r"^ +warpmark (try .*)$", (home / "README.md").read_text(), re.M).group(1)
        self.assertIn("0 of ", image.start(*tried.split(), network=False, code=1))

    def test_dockerfile(self):
        """Its instructions, one by one, in a system whose first Python is 3.11, as its image's is."""
        self.root.run("apt-get", "update", "-qq")
        self.root.run("apt-get", "install", "-qq", "--no-install-recommends", "python3-venv")
        self.root.run("python3", "-m", "venv", "--clear", "/usr/local/image")
        since = time.monotonic()
        image = Image(self.root, wheel_for("3.11").parent, "/usr/local/image/bin")
        for instruction, argument in instructions_of(SOURCE / "packaging/Dockerfile"):
            image.follow(instruction, argument)
        self.assertEqual(image.base, "python:3.11-slim")
        for file in self.work.glob("*.[cy]*"):  # docker run -v "$PWD:/work"
            shutil.copy(file, self.root.path / "work")
        for user in ("root", "visitor"):  # the second: docker run --user
            out = image.start("check", "scale.yaml", "--device", "cpu", user=user, network=False)
            self.assertIn("2 passed", out)
            image.start("check", "wrong.yaml", "--device", "cpu", user=user, network=False, code=1)
        print("bookworm, Dockerfile: %.1f s, four verdicts with it" % (time.monotonic() - since), flush=True)
        self.assertIn("Subcommands:", image.start())
        self.assertEqual(self.root.run("sh", "-c", "ls /tmp/warpmark-* 2> /dev/null || true"), "")

    def test_files_that_are_refused(self):
        """Another file than the one that was released, another Python, and no network."""
        self.root.run("apt-get", "update", "-qq")
        self.root.run("apt-get", "install", "-qq", "--no-install-recommends", "python3-venv")
        self.as_visitor("python3", "-m", "venv", "--clear", "bad")
        good = wheel_for("3.11")
        wheel = self.put(good)
        self.put(release() / "SHA256SUMS")
        check = ("sha256sum", "--check", "--ignore-missing", "SHA256SUMS")
        self.assertIn(good.name + ": OK", self.as_visitor(*check))
        digest = re.search(r"(?m)^(\w{64})  %s$" % re.escape(good.name), (release() / "SHA256SUMS").read_text()).group(1)
        out = self.as_visitor("bad/bin/pip", "install", "--no-index", "warpmark @ file://%s#sha256=%s" % (
            wheel.replace(" ", "%20"), digest), code=1, network=False)
        self.assertIn("No matching distribution found for n", out)  # numpy, or NVIDIA's: no network
        with open(self.work / good.name, "r+b") as file:
            file.seek(1000)
            file.write(b"tampered")
        self.assertIn(good.name + ": FAILED", self.as_visitor(*check, code=1))
        out = self.as_visitor("bad/bin/pip", "install", "warpmark @ file://%s#sha256=%s" % (
            wheel.replace(" ", "%20"), digest), code=1)
        self.assertIn("DO NOT MATCH THE HASHES", out)
        out = self.as_visitor("bad/bin/pip", "install", self.put(wheel_for("3.13")), code=1)
        self.assertIn("is not a supported wheel on this platform", out)

    def packages(self):
        return len(self.root.run("dpkg-query", "-W").splitlines())

    def test_wheel_and_archive(self):
        self.root.run("apt-get", "update", "-qq")
        self.root.run("apt-get", "install", "-qq", "--no-install-recommends", "python3-venv")
        self.try_wheel("python3", "3.11")
        self.try_archive("python3")

    def test_a_packed_autograder(self):
        self.root.run("apt-get", "update", "-qq")
        self.root.run("apt-get", "install", "-qq", "--no-install-recommends", "python3-venv")
        self.try_packed_autograder("/usr/bin/python3")


class LoadedImage(unittest.TestCase):
    """The file of the image, as `docker load` and `docker run` have it: layers, one over the other, and a start."""

    def setUp(self):
        archive = one_of("warpmark-*-image.tar.gz")
        self.root = debian_root.System("image", ROOTS / "image")
        shutil.rmtree(self.root.path, ignore_errors=True)
        self.root.path.mkdir(parents=True)
        with tarfile.open(archive) as image:
            (manifest,) = json.load(image.extractfile("manifest.json"))
            self.tags = manifest["RepoTags"]
            self.config = json.load(image.extractfile(manifest["Config"]))["config"]
            for layer in manifest["Layers"]:
                subprocess.run(["tar", "-C", self.root.path, "-x", "--exclude=.wh.*"], check=True,
                               input=image.extractfile(layer).read())
        (self.root.path / "work").mkdir(exist_ok=True)

    def start(self, *words, **how):
        environment = dict(setting.split("=", 1) for setting in self.config["Env"])
        return self.root.run(*self.config["Entrypoint"], *words, folder=self.config["WorkingDir"],
                             environment=environment, network=False, **how)

    def test_it_judges(self):
        version = re.search(r"project\(warpmark VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual([tag.split("/")[-1] for tag in self.tags], ["warpmark:" + version])
        (self.root.path / "work/scale.yaml").write_text(SUITE)
        (self.root.path / "work/scale.cu").write_text(KERNEL)
        self.assertIn("can check kernels on cpu", self.start("doctor"))
        self.assertIn("2 passed", self.start("check", "scale.yaml", "--device", "cpu"))
        (self.root.path / "work/scale.cu").write_text(KERNEL.replace("i < n", "i <= n"))
        self.assertIn("scale.cu:4", self.start("check", "scale.yaml", "--device", "cpu", code=1))


class Trixie(RootTest):
    suite = "trixie"

    def test_wheel_and_archive(self):
        self.root.run("apt-get", "update", "-qq")
        self.root.run("apt-get", "install", "-qq", "--no-install-recommends", "python3-venv")
        self.try_wheel("python3", "3.13")
        self.try_archive("python3")


def main():
    global SOURCE, BINARY, RELEASE, ROOTS  # pylint: disable=global-statement
    SOURCE, BINARY, RELEASE = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(3))
    try:
        debian_root.require()
    except debian_root.Unavailable as reason:
        print("skipped:", reason)
        sys.exit(77)
    kept = os.environ.get("WARPMARK_ROOTS")
    with tempfile.TemporaryDirectory(prefix="warpmark-roots-") as folder:
        ROOTS = pathlib.Path(kept or folder)
        unittest.main()


if __name__ == "__main__":
    main()

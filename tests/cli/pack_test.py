# `warpmark pack`: what Gradescope gets leaves a results.json whatever happens, and students' repositories
# tell nothing that is hidden.
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

from assignment import KERNEL, NO_BOUND, SLOW, WRONG, GradeTest
from program import PROGRAM, PYTHON
from small_container import SmallContainer

NOBODY = 65534
ENDLESS = KERNEL.replace("if (i < n)", "volatile int more = 1; while (more) {} if (i < n)")
ADA = {"id": 7, "created_at": "2026-11-20T10:00:00.000000+01:00",
       "users": [{"name": "Ada", "sid": "1", "email": "ada@example.edu", "id": 3}]}


def ordinary_user():
    """Options of subprocess for a user without rights; nothing if we are one, or may not become one."""
    if os.geteuid() != 0:
        return {}
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        # The tests' Python may lie in a folder that other users cannot read.
        subprocess.run([PYTHON, "-I", "-c", "import numpy"], check=True, cwd="/", **other)
    except (OSError, subprocess.SubprocessError) as error:
        print("note: the autograder runs as root: %s" % error, file=sys.stderr)
        return {}
    return other


class PackTest(GradeTest):
    def pack(self, *more, code=0, assignment="hw1.yaml"):
        return self.run_program("pack", "gradescope", assignment, "--no-sandbox", *more, code=code)

    def listed(self, *more):
        out, errors = self.pack("--list", *more)
        self.assertEqual(errors, "")
        lines = [line.split(None, 1) for line in out.splitlines()]
        self.assertRegex(lines[-1][1], r"^bytes in %d files$" % (len(lines) - 1))
        return {place: int(size) for size, place in lines[:-1]}


class Archive(PackTest):
    def test_only_what_the_assignment_names_is_in_it(self):
        self.write("notes.txt", "exam questions")
        self.write("suites/other.cu", KERNEL)
        self.write("solution.cu", KERNEL)
        self.write("course.h", '#include "more.h"\n')
        self.write("more.h", "#define MORE 1\n")
        self.write("hw1.yaml", (self.folder / "hw1.yaml").read_text() +
                   "submission: {headers: [course.h]}\nself_test: {must_pass: [solution.cu]}\n")
        places = self.listed()
        self.assertEqual([place for place in places if place.startswith("assignment/")],
                         ["assignment/" + name for name in
                          ("course.h", "hw1.yaml", "more.h", "solution.cu", "suites/scale.cu",
                           "suites/scale.yaml")])
        self.assertEqual({place for place in places if "/" not in place},
                         {"setup.sh", "run_autograder", "Dockerfile"})
        for name in ("bin/warpmark", "warpmark-plugin-source.so", "libwarpmark_cpu.so",
                     "cuda/include/cuda_fp16.h", "cuda/include/cuda_runtime.h"):
            self.assertTrue(any(place.endswith(name) for place in places), name)
        self.assertTrue(any("libnvrtc-builtins.so." in place for place in places))
        self.assertFalse(any("cudnn" in place or ".alt." in place for place in places))
        self.assertIn("secret", self.listed("--secret", "secret"))
        self.assertEqual(list(self.folder.glob("*.zip")), [])

    def test_suites_beside_the_assignment_keep_their_way(self):
        self.write("course/hw1/hw1.yaml",
                   (self.folder / "hw1.yaml").read_text().replace("suites/", "../suites/"))
        shutil.move(self.folder / "suites", self.folder / "course/suites")
        out, _ = self.pack("--list", assignment="course/hw1/hw1.yaml")
        for place in ("assignment/hw1/hw1.yaml", "assignment/suites/scale.cu"):
            self.assertIn(" %s\n" % place, out)

    def test_further_files(self):
        self.write("data/a.txt", "1 2 3")
        self.write("data/deep/b.txt", "4")
        places = self.listed("--with", "data")
        self.assertEqual(places["assignment/data/a.txt"], 5)
        self.assertIn("assignment/data/deep/b.txt", places)
        self.assertIn("no file nothing", self.pack("--list", "--with", "nothing", code=2)[1])

    def test_links_lead_nowhere_else(self):
        kernel = self.folder / "suites/scale.cu"
        shutil.move(kernel, self.folder / "kernel.cu")
        kernel.symlink_to("../kernel.cu")
        self.assertEqual(self.listed()["assignment/suites/scale.cu"], len(KERNEL))
        with tempfile.TemporaryDirectory() as other:
            shutil.move(self.folder / "kernel.cu", other)
            kernel.unlink()
            kernel.symlink_to(pathlib.Path(other) / "kernel.cu")
            self.assertIn("leads out of the assignment's folder", self.pack("--list", code=2)[1])

    def test_refused(self):
        self.run_program("handout", "hw1.yaml", "-o", "given")
        self.assertIn("no hidden case", self.pack(assignment="given/assignment.yaml", code=2)[1])
        self.write("hw1.yaml", (self.folder / "hw1.yaml").read_text().replace("fixed: [f]\n", ""))
        self.assertIn("lint refuses", self.pack(code=2)[1])
        self.assertEqual(list(self.folder.glob("*.zip*")), [])


class Autograder(PackTest):
    """The archive where Gradescope unpacks it, but for a root of our own."""
    unpacked = None
    user = None

    @classmethod
    def tearDownClass(cls):
        if cls.unpacked is not None:
            shutil.rmtree(cls.unpacked)

    def setUp(self):
        super().setUp()
        cls = Autograder
        if cls.unpacked is None:
            out, errors = self.pack("--secret", "secret")
            self.assertEqual(errors, "")
            self.assertRegex(out, r"^hw1-gradescope.zip: \d+ files, \d+ MB\n$")
            cls.unpacked = pathlib.Path(tempfile.mkdtemp(prefix="warpmark-pack-"))
            shutil.move(self.folder / "hw1-gradescope.zip", cls.unpacked)
            with zipfile.ZipFile(cls.unpacked / "hw1-gradescope.zip") as archive:
                for member in archive.infolist():
                    archive.extract(member, cls.unpacked)
                    (cls.unpacked / member.filename).chmod(member.external_attr >> 16 & 0o777)
            cls.user = ordinary_user()
            self.give(cls.unpacked)
        self.root = self.folder / "autograder"
        self.submission = self.root / "submission"
        self.submission.mkdir(parents=True)
        (self.root / "source").symlink_to(cls.unpacked)
        shutil.copy(cls.unpacked / "run_autograder", self.root)
        self.metadata(ADA)

    def give(self, folder):
        folder.chmod(0o755)
        if self.user:
            subprocess.run(["chown", "-R", str(NOBODY), folder], check=True)

    def metadata(self, value):
        text = value if isinstance(value, str) else json.dumps(value)
        (self.root / "submission_metadata.json").write_text(text)

    def environment_there(self):
        self.give(self.folder)
        return dict(self.environment, AUTOGRADER_ROOT=str(self.root))

    def results(self):
        return json.loads((self.root / "results/results.json").read_text())

    def autograde(self, **files):
        return self.autograde_by([self.root / "run_autograder"], self.user, files)

    def autograde_by(self, command, user, files):
        for name, text in files.items():
            (self.submission / (name + ".cu")).write_text(text)
        done = subprocess.run(command, env=self.environment_there(),
                              cwd="/", timeout=300, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **user)
        self.said = done.stdout.decode()
        self.assertEqual(done.returncode, 0, self.said)
        self.assertEqual([path.name for path in (self.root / "results").iterdir()],
                         ["results.json"])
        return self.results()

    def check_failed(self, results, words):
        self.assertEqual(set(results), {"output", "output_format", "stdout_visibility"})
        self.assertIn("costs you no points", results["output"])
        self.assertIn(words, results["output"])

    def program_is(self, text, mode=0o755):
        """Another program in the place of ours."""
        (self.root / "source").unlink()
        self.write("autograder/source/secret", "0123456789abcdef")
        if text is not None:
            self.write("autograder/source/program/bin/warpmark", text).chmod(mode)

    def test_right_and_wrong(self):
        results = self.autograde(scale=KERNEL)
        self.assertEqual((results["score"], results["extra_data"]["state"]), (6, "graded"))
        self.assertEqual([test["status"] for test in results["tests"]], ["passed", "passed"])
        results = self.autograde(scale=WRONG)
        self.assertEqual(results["score"], 0)
        self.assertIn("wrong", json.dumps(results["tests"]))

    def test_the_secret_decides_as_at_home(self):
        self.hand_in(Ada=NO_BOUND)
        self.grade()
        home = json.loads((self.folder / "out/students/Ada/results.json").read_text())
        there = self.autograde(scale=NO_BOUND)
        for results in (home, there):
            results.pop("execution_time")
            self.assertTrue(results["extra_data"].pop("date"))  # two runs, two moments
            # The receipt's times: at home no platform says when it was handed in.
            results["output"] = [line for line in results["output"].splitlines()
                                 if not line.startswith(("handed in: ", "graded: "))]
        self.assertEqual(there, home)

    def test_no_file_and_two_files(self):
        results = self.autograde()
        self.assertEqual((results["score"], results["extra_data"]["state"]), (0, "refused"))
        results = self.autograde(one=KERNEL, two=KERNEL)
        self.assertEqual((results["score"], results["extra_data"]["state"]), (0, "refused"))
        # With the right name it is known which one is meant.
        self.assertEqual(self.autograde(scale=KERNEL)["score"], 6)

    def test_a_bomb(self):
        with zipfile.ZipFile(self.submission / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name in range(10):
                archive.writestr("%d.cu" % name, b" " * (16 << 20))
        self.assertLess((self.submission / "work.zip").stat().st_size, 1 << 20)
        results = self.autograde()
        self.assertEqual((results["score"], results["extra_data"]["state"]), (0, "refused"))

    def test_metadata(self):
        for lacking in ({}, {"users": []}, {"users": [{}]}, {"users": None, "created_at": 3},
                        {"users": [{"name": None, "id": 3}], "created_at": "yesterday"}):
            self.metadata(lacking)
            self.assertEqual(self.autograde(scale=KERNEL)["score"], 6, lacking)
        self.metadata({"users": [{"name": "Ada"}, {"name": "Bob"}]})  # a group
        self.assertEqual(self.autograde(scale=KERNEL)["score"], 6)
        (self.root / "submission_metadata.json").unlink()
        self.assertEqual(self.autograde(scale=KERNEL)["score"], 6)
        self.metadata("no JSON")
        self.check_failed(self.autograde(scale=KERNEL), "exit code 2")
        self.assertIn("is no JSON object", self.said)

    def test_a_program_that_cannot_start(self):
        self.program_is(None)
        self.check_failed(self.autograde(scale=KERNEL), "cannot be started (exit code 127)")
        self.program_is_text("#!/bin/sh\n", 0o644)
        self.check_failed(self.autograde(scale=KERNEL), "cannot be started (exit code 126)")

    def program_is_text(self, text, mode=0o755):
        self.write("autograder/source/program/bin/warpmark", text).chmod(mode)

    def test_a_program_that_fails(self):
        self.program_is("#!/bin/sh\nexit 3\n")
        self.check_failed(self.autograde(scale=KERNEL), "exit code 3")
        self.program_is_text("#!/bin/sh\nexit 0\n")
        self.check_failed(self.autograde(scale=KERNEL), "left no grade")
        self.program_is_text("#!/bin/sh\nkill -9 $$\n")
        self.check_failed(self.autograde(scale=KERNEL), "exit code 137")
        self.program_is_text("#!/bin/sh\nkill -11 $$\n")
        self.check_failed(self.autograde(scale=KERNEL), "exit code 139")

    def test_a_program_that_hangs(self):
        self.program_is("#!/bin/sh\nexec sleep 100\n")
        script = self.root / "run_autograder"
        script.write_text(script.read_text().replace("limit_s=570", "limit_s=1"))
        self.check_failed(self.autograde(scale=KERNEL), "after 1 s")

    def test_in_half_a_processor(self):
        """Gradescope's smallest container. A slow kernel is right there, too, and an endless one ends by its instructions."""
        try:
            container = SmallContainer()
        except OSError as error:
            self.skipTest("no group with half a processor can be made here: %s" % error)
        self.addCleanup(container.end)
        command = [self.root / "run_autograder"]
        if self.user:
            command = ["setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY, "--clear-groups", *command]
        for name, text, score, word in (("right", KERNEL, 6, None), ("slow", SLOW, 6, None),
                                        ("wrong", WRONG, 0, "wrong"), ("endless", ENDLESS, 0, "limit")):
            since = time.monotonic()
            results = self.autograde_by(container.command(command), {}, {"scale": text})
            print("half a processor, %s: %.1f s" % (name, time.monotonic() - since), file=sys.stderr)
            self.assertEqual(results.get("score"), score, (name, results))
            self.assertIn(word or "pass", json.dumps(results["tests"]))
        self.assertGreater(container.periods(), 0, "the group limits nothing")
        # The group decides how many submissions are graded at a time, and not the processors of the machine.
        self.hand_in(ada=KERNEL, bob=KERNEL)
        done = subprocess.run(container.command([PROGRAM, *self.arguments()]), cwd=self.folder, text=True, check=True,
                              env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertIn("2 submissions on", done.stdout)
        self.assertNotIn("at a time", done.stdout)

    def test_the_script_itself_is_killed(self):
        self.program_is('#!/bin/sh\necho $$ > "$AUTOGRADER_ROOT/pid.new"\n'
                        'mv "$AUTOGRADER_ROOT/pid.new" "$AUTOGRADER_ROOT/pid"\nexec sleep 100\n')
        process = subprocess.Popen([self.root / "run_autograder"], env=self.environment_there(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.user)
        pid = self.root / "pid"
        end = time.monotonic() + 60
        while not pid.exists() and time.monotonic() < end:
            time.sleep(0.05)
        process.kill()
        process.wait()
        os.kill(int(pid.read_text()), signal.SIGKILL)  # `timeout` has a process group of its own
        self.check_failed(self.results(), "ended before it was done")

    def test_nothing_of_another_run_is_taken_for_this(self):
        self.autograde(scale=KERNEL)
        self.program_is(None)
        self.check_failed(self.autograde(scale=KERNEL), "exit code 127")

    def test_the_archive_is_the_same_again(self):
        self.pack("--secret", "secret", "-o", "again/other.zip")
        archives = [self.folder / "again/other.zip", self.unpacked / "hw1-gradescope.zip"]
        first, second = [hashlib.sha256(path.read_bytes()).digest() for path in archives]
        self.assertEqual(first, second)
        self.assertEqual(os.listdir(self.folder / "again"), ["other.zip"])
        with zipfile.ZipFile(archives[0]) as archive:
            modes = {one.filename: one.external_attr >> 16 & 0o777 for one in archive.infolist()}
            dates = {one.date_time for one in archive.infolist()}
        self.assertEqual(dates, {(1980, 1, 1, 0, 0, 0)})
        self.assertEqual([modes[name] for name in
                          ("setup.sh", "run_autograder", "program/bin/warpmark", "secret",
                           "assignment/hw1.yaml")], [0o755, 0o755, 0o755, 0o600, 0o644])

    def test_an_image_over_another_base(self):
        """The instructions of the Dockerfile, as an engine follows them, on a base with all that is needed: nothing is installed."""
        python = re.search(r"(?m)^python=\$\(command -v (\S+)\)", (self.unpacked / "setup.sh").read_text()).group(1)
        if subprocess.run([python, "-I", "-c", "import numpy"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest(python + " has no NumPy")
        autograder = self.folder / "image/autograder"
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "apt-get").write_text('#!/bin/sh\necho "apt-get $*" >>"$AUTOGRADER_ROOT/installed"\n')
        (tools / "apt-get").chmod(0o755)
        environment = {**self.environment, "AUTOGRADER_ROOT": str(autograder), "PATH": "%s:%s" % (tools, os.environ["PATH"])}
        lines = [line for line in (self.unpacked / "Dockerfile").read_text().splitlines() if not line.startswith("#")]
        self.assertRegex(lines[0], "^ARG BASE=gradescope/autograder-base:")
        self.assertEqual(lines[1:3], ["FROM ${BASE}", "COPY . /autograder/source/"])
        autograder.mkdir(parents=True)
        shutil.copytree(self.unpacked, autograder / "source", ignore=shutil.ignore_patterns("*.zip"))
        for line in lines[3:]:
            instruction, command = line.split(None, 1)
            self.assertEqual(instruction, "RUN")
            done = subprocess.run(["sh", "-c", command.replace("/autograder", str(autograder))], env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("hw1: 6 points", done.stdout)  # lint has run the assignment there
        # The program that a build packs needs the system's libpython; NumPy is there.
        asked = [line.split()[1] for line in (autograder / "installed").read_text().splitlines()]
        self.assertEqual(asked, ["update", "install"])
        self.root = autograder
        self.submission = autograder / "submission"
        self.metadata(ADA)
        self.assertEqual(self.autograde(scale=KERNEL)["score"], 6)

    def test_the_scripts_are_bash(self):
        for name in ("setup.sh", "run_autograder"):
            text = (self.unpacked / name).read_text()
            self.assertNotRegex(text, "@[A-Z_]+@")
            subprocess.run(["bash", "-n", self.unpacked / name], check=True)


class PackedPackage(PackTest):
    """Packs made by an installed wheel: here the package of the build folder, laid out as a wheel does it."""

    def installed(self):
        package = self.folder / "site/warpmark"
        build = pathlib.Path(PROGRAM).parents[1]
        core = list((build / "python/warpmark").glob("_core.*.so"))
        worker = build / "bin/warpmark-worker"
        if not core or not worker.exists():
            self.skipTest("the package of Python was not built")
        shutil.copytree(build / "python/warpmark", package, ignore=shutil.ignore_patterns("__pycache__"))
        (package / "bin").mkdir()
        shutil.copy(worker, package / "bin")
        shutil.copytree(build / "lib/warpmark", package / "lib/warpmark")
        return [PYTHON, package / "__main__.py"]

    def test_it_grades(self):
        done = subprocess.run([*self.installed(), "pack", "gradescope", "hw1.yaml", "--secret", "secret",
                               "--no-sandbox", "-o", "hw1.zip"], cwd=self.folder, timeout=300, text=True,
                              env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        root = self.folder / "autograder"
        with zipfile.ZipFile(self.folder / "hw1.zip") as archive:
            places = archive.namelist()
            for member in archive.infolist():
                archive.extract(member, root / "source")
                (root / "source" / member.filename).chmod(member.external_attr >> 16 & 0o777)
        shutil.rmtree(self.folder / "site")
        self.assertIn("program/warpmark/bin/warpmark-worker", places)
        self.assertFalse(any(place.endswith((".pyc", "/bin/warpmark")) for place in places))
        setup = (root / "source/setup.sh").read_text()
        self.assertNotRegex(setup, "libpython|@[A-Z_]+@")
        subprocess.run(["bash", "-n", root / "source/setup.sh"], check=True)
        for name, score in (("scale", 6), ("other", 6)):
            (root / "submission").mkdir()
            (root / "submission" / (name + ".cu")).write_text(KERNEL)
            done = subprocess.run([root / "source/run_autograder"], cwd="/", timeout=300, text=True,
                                  env=dict(self.environment, AUTOGRADER_ROOT=str(root),
                                           WARPMARK_PYTHON=PYTHON),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, done.stdout)
            results = json.loads((root / "results/results.json").read_text())
            self.assertEqual(results.get("score"), score, done.stdout)
            shutil.rmtree(root / "submission")

    def test_a_package_that_is_not_installed(self):
        folder = pathlib.Path(PROGRAM).parents[1] / "python"
        if not list(folder.glob("warpmark/_core.*.so")):
            self.skipTest("the package of Python was not built")
        done = subprocess.run([PYTHON, "-m", "warpmark", "pack", "gradescope", "hw1.yaml"], text=True,
                              cwd=self.folder, env=dict(self.environment, PYTHONPATH=str(folder)),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("once it is installed", done.stdout)


WHEEL = "warpmark-0.1.0-cp312-cp312-manylinux_2_31_x86_64.whl"
ADDRESS = "https://example.invalid/v0.1.0/%s#sha256=%s" % (WHEEL, "0123456789abcdef" * 4)


class Repository(PackTest):
    def setUp(self):
        super().setUp()
        self.hash = hashlib.sha256(self.write(WHEEL, "PK of a wheel").read_bytes()).hexdigest()

    def test_a_hand_out_with_a_workflow(self):
        out, errors = self.run_program("pack", "github", "hw1.yaml", "--wheel", WHEEL, "-o", "repository")
        self.assertEqual(errors, "")
        listed, _ = self.run_program("pack", "github", "hw1.yaml", "--wheel", WHEEL, "--list")
        self.run_program("handout", "hw1.yaml", "--wheel", WHEEL, "-o", "given")
        given = {path.relative_to(self.folder / "given").as_posix(): path.read_text()
                 for path in (self.folder / "given").rglob("*") if path.is_file()}
        there = {path.relative_to(self.folder / "repository").as_posix(): path.read_text()
                 for path in (self.folder / "repository").rglob("*") if path.is_file()}
        self.assertEqual(out.splitlines(), ["repository/" + place for place in sorted(there)])
        self.assertEqual([line.split()[1] for line in listed.splitlines()], sorted(there))
        workflow = there.pop(".github/workflows/grade.yml")
        self.assertEqual(there, given)
        self.assertIn("warpmark try assignment.yaml scale.cu --device cpu\n", workflow)
        self.assertIn('  WARPMARK: "file://${{ github.workspace }}/%s#sha256=%s"\n' % (WHEEL, self.hash), workflow)
        self.assertIn('python-version: "3.12"\n', workflow)
        self.assertIn("take 12 ./%s\n" % WHEEL, there["setup.sh"])
        self.assertEqual(there[WHEEL], "PK of a wheel")
        for text in (workflow, *there.values()):
            for hidden in ("odd", "any n", "257", "f * src[i]", "0123456789abcdef"):
                self.assertNotIn(hidden, text)
        self.assertFalse((self.folder / "hw1").exists())
        self.run_program("pack", "github", "hw1.yaml", "--wheel", WHEEL, "-o", "repository", code=2)

    def test_a_wheel_by_its_address(self):
        self.run_program("pack", "github", "hw1.yaml", "--wheel", ADDRESS, "--python", "3.12", "-o", "repository")
        workflow = (self.folder / "repository/.github/workflows/grade.yml").read_text()
        self.assertIn('  WARPMARK: "%s"\n' % ADDRESS, workflow)
        self.assertIn("take 12 '%s'\n" % ADDRESS, (self.folder / "repository/setup.sh").read_text())
        self.assertEqual(list((self.folder / "repository").glob("*.whl")), [])

    def test_a_hand_out_without_a_wheel_warns_of_the_bare_name(self):
        self.run_program("handout", "hw1.yaml", "-o", "given")
        self.assertIn("and not by its name alone", (self.folder / "given/README.md").read_text())

    def refused_wheel(self, wheel, *more):
        errors = self.refused("pack", "github", "hw1.yaml", "--wheel", wheel, "-o", "repository", *more)
        self.assertFalse((self.folder / "repository").exists())
        return errors

    def test_a_wheel_that_the_workflow_cannot_take(self):
        errors = self.refused_wheel(WHEEL, "--python", "3.13")
        self.assertIn(WHEEL + " is for Python 3.12, and ubuntu-24.04 is to have Python 3.13", errors)
        self.assertIn("take the wheel with cp313, or --python 3.12", errors)
        for tag, reason in (("manylinux_2_40_x86_64", "needs glibc 2.40, and ubuntu-24.04 has 2.39"),
                            ("linux_x86_64", "is for linux_x86_64, which means the machine that made it"),
                            ("manylinux_2_31_aarch64", "is for manylinux_2_31_aarch64, and not for x86-64 Linux"),
                            ("musllinux_1_2_x86_64", "and not for x86-64 Linux"),
                            ("win_amd64", "is for win_amd64, and not for x86-64 Linux")):
            errors = self.refused_wheel(ADDRESS.replace("manylinux_2_31_x86_64", tag))
            self.assertIn(reason, errors)
            self.assertIn("hint: ", errors)
        both = ADDRESS.replace("manylinux_2_31_x86_64", "manylinux_2_31_x86_64.manylinux_2_40_x86_64")
        self.run_program("pack", "github", "hw1.yaml", "--wheel", both, "--list")

    def test_what_is_no_wheel_with_a_hash(self):
        self.assertIn("needs a wheel of Warpmark to install",
                      self.refused("pack", "github", "hw1.yaml", "-o", "repository"))
        for wheel in ("warpmark", "warpmark==0.1.0", "numpy-2.0-cp312-cp312-manylinux_2_31_x86_64.whl",
                      "warpmark-0.1.0.tar.gz", WHEEL.replace("cp312-cp312", "cp312-cp312t"),
                      WHEEL.replace("cp312-cp312", "py3-none")):
            self.assertIn("`%s` is not the name of a wheel of Warpmark" % wheel, self.refused_wheel(wheel))
        for address in (ADDRESS.split("#")[0], ADDRESS[:-1], ADDRESS[:-1] + "g"):
            self.assertIn("has no hash, by which pip could tell it from another file", self.refused_wheel(address))
        self.assertIn("is neither a file nor an address with https://",
                      self.refused_wheel(ADDRESS.replace("https", "http")))
        self.assertIn("cannot read ", self.refused_wheel("nowhere/" + WHEEL))
        self.write(WHEEL, "<html>404")
        self.assertIn("is no wheel: it is not a zip archive", self.refused_wheel(WHEEL))

    def annotations(self, text, *more, code=1):
        self.run_program("handout", "hw1.yaml", "-o", "given")
        self.write("given/scale.cu", text)
        self.environment.update(GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(self.folder / "given"))
        out, errors = self.run_program("try", "assignment.yaml", "scale.cu", "--device", "cpu",
                                       *more, cwd=self.folder / "given", code=code)
        self.assertNotRegex(out, "(?m)^::")
        return errors

    def test_failures_are_annotated_at_their_lines(self):
        self.assertRegex(self.annotations(NO_BOUND.replace("src[i]", "src[i + n]")),
                         r"(?m)^::error file=scale.cu,line=3,title=0 of 2 points%3A small::Line 3 ")

    def test_what_does_not_compile_is_annotated(self):
        self.assertRegex(self.annotations(KERNEL.replace("src[i]", "sorce[i]")),
                         r"(?m)^::error file=scale.cu,line=3,title=does not compile::The file does")

    def test_no_annotation_without_a_failure(self):
        self.assertEqual(self.annotations(KERNEL, code=0), "")

    def test_json_has_no_annotation(self):
        self.assertEqual(self.annotations(WRONG, "--json"), "")


if __name__ == "__main__":
    unittest.main()

"""The portable wheel, built and then used where it was not built, in fresh virtual environments.

Usage: wheel_test.py SOURCE_DIR WHEEL_DIR

A wheel for this Python that lies in WHEEL_DIR is taken as it is; else packaging/wheel.sh makes one. Needs
PyPI and apt-get.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from scale_suite import KERNEL, SUITE

SOURCE = WHEELS = None


def run(*command, code=0, **options):
    """Returns what a command prints on both streams; fails unless it exits with `code`."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != code:
        raise AssertionError("%s exited with %d:\n%s" % (command, done.returncode, done.stdout))
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        wheels = WHEELS  # of a release, which is not changed
        pattern = "warpmark-*-cp%d%d-*.whl" % sys.version_info[:2]
        if not list(wheels.glob(pattern)):
            wheels = SOURCE / "build/packages"
        if not list(wheels.glob(pattern)):
            run(SOURCE / "packaging/wheel.sh", "--python", sys.executable, wheels)
        cls.wheel = next(wheels.glob(pattern))
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="warpmark wheel-"))
        cls.venv = cls.folder / "venv"
        run(sys.executable, "-m", "venv", cls.venv)
        run(cls.venv / "bin/pip", "install", "--quiet", cls.wheel)
        cls.program = cls.venv / "bin/warpmark"
        cls.work = cls.folder / "work"
        cls.work.mkdir()
        (cls.work / "scale.yaml").write_text(SUITE)
        (cls.work / "scale.cu").write_text(KERNEL)
        cls.environment = {"PATH": "/usr/bin:/bin", "HOME": str(cls.folder), "LANG": "C.UTF-8"}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def warpmark(self, *arguments, code=0, **more):
        return run(self.program, *arguments, code=code, cwd=self.work,
                   env={**self.environment, **more})

    def test_its_name_promises_the_oldest_glibc_and_it_is_small(self):
        self.assertRegex(self.wheel.name, r"-manylinux_2_31_x86_64\.whl$")
        self.assertLessEqual(self.wheel.stat().st_size, 12e6)

    def test_checks_at_once(self):
        out = self.warpmark("check", "scale.yaml", "--device", "cpu")
        self.assertIn("2 passed", out)

    def test_the_module_is_the_same_program(self):
        out = run(self.venv / "bin/python", "-m", "warpmark", "check", "scale.yaml", "--device", "cpu",
                  cwd=self.work, env=self.environment)
        self.assertIn("2 passed", out)

    def test_a_module_of_the_working_folder_is_not_imported(self):
        (self.work / "numpy.py").write_text("raise SystemExit('imported')\n")
        self.addCleanup((self.work / "numpy.py").unlink)
        for command in ([self.program], [self.venv / "bin/python", "-m", "warpmark"]):
            out = run(*command, "check", "scale.yaml", "--device", "cpu", "--no-cache", cwd=self.work,
                      env=self.environment)
            self.assertIn("2 passed", out)

    def test_a_wrong_kernel_fails_with_its_line(self):
        (self.work / "wrong.cu").write_text(KERNEL.replace("i < n", "i <= n"))
        (self.work / "wrong.yaml").write_text(SUITE.replace("scale.cu", "wrong.cu"))
        out = self.warpmark("check", "wrong.yaml", "--device", "cpu", code=1)
        self.assertIn("out-of-bounds", out)
        self.assertIn("wrong.cu:4", out)

    def test_jobs_and_grading_start_the_program_again(self):
        (self.work / "run.yaml").write_text(
            "warpmark: 1\ncheck:\n- {name: a, suites: [scale.yaml], device: cpu}\n"
            "- {name: b, suites: [scale.yaml], device: cpu}\n")
        self.warpmark("run", "run.yaml")
        shutil.rmtree(self.work / "hw1", ignore_errors=True)
        self.warpmark("new", "assignment", "hw1", "--from", "scale.yaml")
        (self.work / "class").mkdir(exist_ok=True)
        (self.work / "class/ada.cu").write_text(KERNEL)
        (self.work / "secret").write_text("a secret of the staff")
        out = self.warpmark("grade", "hw1/assignment.yaml", "class", "-o", "out", "--secret", "secret",
                            "--device", "cpu", "--no-sandbox")
        self.assertIn("1 with full points", out)

    def test_doctor_names_this_python_and_nvidias_wheels(self):
        out = self.warpmark("doctor")
        self.assertIn("in which Warpmark is installed", out)
        self.assertRegex(out, r"NVRTC +13\.0 at .*nvidia/cu13/lib/libnvrtc\.so\.13")

    def test_it_has_the_licences_of_what_it_bundles(self):
        notices = next(self.venv.glob("lib/python*/site-packages/warpmark/share/doc/warpmark/THIRD_PARTY_NOTICES"))
        for name in ("yaml-cpp", "fmt", "Google Benchmark", "GoogleTest", "CLI11", "nlohmann-json", "pybind11"):
            self.assertRegex(notices.read_text(), r"(?m)^%s\n=+$" % re.escape(name))

    def test_examples_come_with_it(self):
        self.warpmark("examples", "suites/doublify", "-o", "copied")
        self.assertIn("passed", self.warpmark("check", "copied/doublify", "--device", "cpu"))
        self.assertRegex(self.warpmark("doctor"), r"ok +examples +%s/" % re.escape(str(self.venv)))

    def test_no_other_python_is_taken(self):
        out = self.warpmark("doctor", WARPMARK_PYTHON="/nowhere/python3", VIRTUAL_ENV="/nowhere")
        self.assertRegex(out, r"ok +Python .*%s" % re.escape(str(self.venv)))
        self.assertNotIn("missing  Python", out)

    def test_without_nvidias_wheel_it_says_what_to_install(self):
        bare = self.folder / "bare"
        run(sys.executable, "-m", "venv", bare)
        run(bare / "bin/pip", "install", "--quiet", "--no-deps", self.wheel)
        run(bare / "bin/pip", "install", "--quiet", "numpy")
        # The toolkit of this machine is not there.
        out = run("unshare", "--map-root-user", "--mount", "sh", "-c",
                  'for home in /usr/local/cuda* /opt/cuda; do '
                  'if [ -d "$home" ]; then mount -t tmpfs none "$(readlink -f "$home")"; fi; done; '
                  'exec "$0" check scale.yaml --device cpu --no-cache', bare / "bin/warpmark", code=3,
                  cwd=self.work, env=self.environment)
        self.assertIn("-m pip install 'nvidia-cuda-nvrtc==13.0.*'", out)

    def test_the_cmake_package_is_found(self):
        (self.work / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(kernels LANGUAGES NONE)\n"
            "enable_testing()\nfind_package(warpmark 0.1 REQUIRED)\n"
            "warpmark_discover_tests(scale.yaml DEVICE cpu)\n")
        prefix = run(self.venv / "bin/python", "-c",
                     "import warpmark; print(list(warpmark.__path__)[0])").strip()
        run("cmake", "-S", self.work, "-B", self.folder / "cmake build",
            "-DCMAKE_PREFIX_PATH=" + prefix, env=self.environment)
        out = run("ctest", "--test-dir", self.folder / "cmake build", env=self.environment)
        self.assertIn("scale.n=1000", out)

    def test_an_uninstalled_one_leaves_nothing(self):
        other = self.folder / "other"
        run(sys.executable, "-m", "venv", other)
        before = {str(path) for path in (other / "bin").iterdir()}
        run(other / "bin/pip", "install", "--quiet", "--no-deps", self.wheel)
        run(other / "bin/pip", "uninstall", "--quiet", "--yes", "warpmark")
        self.assertEqual({str(path) for path in (other / "bin").iterdir()}, before)
        self.assertFalse(list(other.glob("lib/python*/site-packages/warpmark")))


if __name__ == "__main__":
    WHEELS = pathlib.Path(sys.argv.pop(2)).resolve()
    SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()

# Tests ./bootstrap on a fake machine: what it asks, installs, fetches, runs and answers.
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

from fake_machine import SOURCE, FakeMachine


class BootstrapTest(unittest.TestCase):
    def setUp(self):
        self.machine = FakeMachine()
        self.addCleanup(lambda: self.machine.close())

    def run_script(self, *arguments, code=0, **settings):
        done = self.machine.run(*arguments, **settings)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout


class EverythingPresent(BootstrapTest):
    def test_alone_touches_neither_package_manager_nor_network(self):
        output = self.run_script()
        self.assertEqual(self.machine.calls(), [])
        for words in ("cmake --preset once", "cmake --build --preset once",
                      "ctest --preset once", "build/bin/warpmark run configs/demo.yaml"):
            self.assertIn("$ " + words, output)

    def test_found_is_printed_with_places(self):
        output = self.run_script(FAKE_GPU="driver=13.0\\ngpus=1\\noldest=9.0\\nname=H200\\n")
        for words in ("c++ (fake) 12.2.0", "3.25.1", "1.11.1", "NumPy      1.24.2",
                      str(self.machine.root / "toolkit"), "H200, compute capability 9.0"):
            self.assertIn(words, output)

    def test_no_gpu_is_said(self):
        self.assertIn("the CPU device will be used", self.run_script())

    def test_toolkit_is_linked_to_where_the_program_looks(self):
        self.run_script()
        deps = self.machine.tree / "build/deps/cuda"
        self.assertTrue((deps / "include/nvrtc.h").exists())
        self.assertTrue((deps / "lib/libnvrtc.so.12").exists())

    def test_build_runs_cmake_and_no_ctest(self):
        self.run_script("build")
        self.assertEqual(self.machine.calls(), ["cmake --preset once",
                                                "cmake --build --preset once --target product"])

    def test_run_builds_no_tests_and_test_does(self):
        self.run_script("run", "--offline", code=127)  # no program comes of a fake build
        self.assertEqual(self.machine.calls("cmake --build"),
                         ["cmake --build --preset once --target product"])
        self.run_script("test", "--offline")
        self.assertEqual(self.machine.calls("cmake --build"), ["cmake --build --preset once"])

    def test_ci_uses_its_preset(self):
        self.run_script("build", CI="true")
        self.assertEqual(self.machine.calls("cmake --preset"), ["cmake --preset ci"])

    def test_test_passes_arguments_to_ctest(self):
        self.run_script("test", "--offline", "--", "-R", "unit")
        self.assertRegex(self.machine.calls("ctest")[0], r"^ctest --preset once -j\d+ -R unit$")

    def test_all_takes_the_long_tests(self):
        self.run_script("test", "--all", "--offline")
        self.assertIn("--preset all", self.machine.calls("ctest")[0])

    def test_failing_tests_and_builds_are_1(self):
        self.run_script("test", "--offline", code=1, FAKE_CTEST_EXIT="8")
        self.run_script("build", code=1, FAKE_CMAKE_EXIT="2")

    def test_run_gives_the_programs_exit_code(self):
        program = self.machine.file("tree/build/bin/warpmark", '#!/bin/sh\necho "got $*"\nexit 1\n')
        program.chmod(0o755)
        self.assertIn("got run configs/demo.yaml", self.run_script("run", code=1))
        self.assertIn("got list suites", self.run_script("run", "--", "list", "suites", code=1))

    def test_from_another_folder_paths_are_the_users(self):
        program = self.machine.file("tree/build/bin/warpmark", '#!/bin/sh\necho "got $* in $PWD"\n')
        program.chmod(0o755)
        folder = self.machine.file("else where/x.yaml", "").parent
        output = self.run_script("run", "--", "check", "x.yaml", folder=folder)
        self.assertIn("got check x.yaml in %s" % folder, output)
        self.assertIn("got run configs/demo.yaml in %s" % self.machine.tree,
                      self.run_script("run", folder=folder))
        self.assertIn("%s/../toolkit: headers" % folder,
                      self.run_script(folder=folder, WARPMARK_CUDA_HOME="../toolkit"))

    def test_moved_build_starts_afresh(self):
        for home, words in ((self.machine.tree, "cmake --preset once"),
                            ("/old/place", "cmake --preset once --fresh")):
            self.machine.file("tree/build/CMakeCache.txt", "WARPMARK_PRESET:STRING=once\n"
                              "CMAKE_HOME_DIRECTORY:INTERNAL=%s\n" % home)
            self.run_script("build")
            self.assertEqual(self.machine.calls("cmake --preset"), [words])

    def test_a_build_folder_keeps_its_preset(self):
        for line, preset in (("WARPMARK_PRESET:STRING=default", "default"), ("", "default"),
                             ("WARPMARK_PRESET:STRING=ci", "ci"), ("WARPMARK_PRESET:STRING=once", "once")):
            self.machine.file("tree/build/CMakeCache.txt", line + "\n")
            self.run_script("build")
            self.assertEqual(self.machine.calls("cmake --preset"), ["cmake --preset " + preset])
        self.run_script("build", CI="true")
        self.assertEqual(self.machine.calls("cmake --preset"), ["cmake --preset ci"])

    def test_no_place_to_build_in(self):
        build = self.machine.file("tree/build", "a file")
        self.assertIn("build is no folder", self.run_script("build", code=3))
        build.unlink()
        build.symlink_to("/no/where")
        self.assertIn("a link to nothing", self.run_script("build", code=3))
        self.assertEqual(self.machine.calls(), [])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_build_folder_of_somebody_else(self):
        for path in ("tree/build/deps", "tree/build"):
            folder = self.machine.root / path
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o500)
            self.assertIn("cannot write to %s, which belongs to" % folder,
                          self.run_script("build", code=3))
            folder.chmod(0o700)
            if folder.name == "deps":
                folder.rmdir()

    def test_ci_script_calls_the_tests_and_nothing_else(self):
        self.run_script(script=".ci/run", CI="true", FAKE_PIP="cu13", code=0)
        self.assertEqual([c.split()[0] for c in self.machine.calls()
                          if not c.startswith("pip")], ["cmake", "cmake", "ctest"])


class Usage(BootstrapTest):
    def test_wrong_usage_is_2_and_does_nothing(self):
        for arguments in (["--frobnicate"], ["frobnicate"], ["build", "test"], ["--all"],
                          ["build", "--", "x"]):
            with self.subTest(arguments):
                self.assertIn("bootstrap: error:", self.run_script(*arguments, code=2))
                self.assertFalse((self.machine.tree / "build").exists())
        self.assertIn("comes after --: test -- -R", self.run_script("test", "-R", "unit", code=2))

    def test_help(self):
        output = self.run_script("--help")
        for option in ("build", "run", "test", "--all", "--yes", "--offline", "--dry-run"):
            self.assertIn(option, output)


class MissingPackage(BootstrapTest):
    def setUp(self):
        super().setUp()
        self.machine.remove("ninja")

    COMMAND = "apt-get install --yes --no-install-recommends ninja-build"

    def test_without_root_and_sudo_prints_the_command(self):
        self.machine.remove("sudo")
        for arguments in ([], ["build", "--yes"]):
            output = self.run_script(*arguments, code=3)
            self.assertIn(self.COMMAND, output)
            self.assertIn("neither root nor sudo", output)
            self.assertEqual(self.machine.calls(), [])

    def test_declined(self):
        for answer in ("n\n", "\n", ""):
            self.assertIn(self.COMMAND, self.run_script(answer=answer, code=3))
            self.assertEqual(self.machine.calls(), [])

    def test_accepted_goes_through_sudo_and_on(self):
        output = self.run_script("build", answer="y\n")
        self.assertIn(self.COMMAND, self.machine.calls("apt-get")[-1])
        # There is no one at a pipe to type sudo's password.
        self.assertTrue(self.machine.calls("sudo")[0].startswith("sudo -n "))
        self.assertEqual(self.machine.calls("cmake --build"),
                         ["cmake --build --preset once --target product"])
        self.assertIn("Found after the installation", output)

    def test_yes_and_ci_ask_nothing(self):
        for settings in ({}, {"CI": "1"}):
            with self.subTest(settings):
                self.run_script(*([] if settings else ["--yes"]), **settings)
                self.assertTrue(self.machine.calls("apt-get"))
                self.machine.remove("ninja")

    def test_root_needs_neither_question_nor_sudo(self):
        self.machine.tool("id", "echo 0\n")
        self.run_script()
        self.assertEqual(self.machine.calls("sudo"), [])
        self.assertTrue(self.machine.calls("apt-get"))

    def test_dry_run_changes_nothing(self):
        output = self.run_script("build", "--dry-run")
        self.assertIn(self.COMMAND, output)
        self.assertEqual(self.machine.calls(), [])
        self.assertFalse((self.machine.tree / "build").exists())

    def test_offline(self):
        self.assertIn("--offline", self.run_script("--offline", "--yes", code=3))
        self.assertEqual(self.machine.calls(), [])

    def test_failing_package_manager(self):
        self.machine.tool("apt-get", "exit 100\n")
        self.assertIn("package manager failed", self.run_script("--yes", code=3))

    def test_installation_that_does_not_help_is_said(self):
        self.machine.tool("apt-get", "exit 0\n")
        self.assertIn("still missing: ninja-build", self.run_script("--yes", code=3))

    def test_another_system_gets_the_names(self):
        self.machine.remove("apt-get")
        self.assertIn("ninja-build", self.run_script("--yes", code=3))

    def test_old_tool_counts_as_missing(self):
        self.machine.tool("ninja", "echo 1.8.2\n")
        output = self.run_script("--dry-run")
        self.assertIn("version 1.8.2 is older than 1.10", output)
        self.assertIn(self.COMMAND, output)


class Wheels(BootstrapTest):
    def setUp(self):
        super().setUp()
        self.cuda = self.machine.tree / "build/deps/cuda"

    def test_offline_is_3_with_words(self):
        output = self.run_script("build", "--cuda-wheels", "--offline", code=3)
        self.assertIn("--offline forbids to fetch NVRTC", output)
        self.assertEqual(self.machine.calls(), [])

    def test_dry_run_fetches_nothing(self):
        output = self.run_script("test", "--cuda-wheels", "--dry-run", FAKE_PIP="cu13")
        self.assertIn("would fetch the wheels of bootstrap.d/cuda-13.0.txt", output)
        self.assertEqual(self.machine.calls(), [])
        self.assertFalse((self.machine.tree / "build").exists())

    def test_both_layouts_become_one(self):
        for mode, driver in (("cu12", "12.4"), ("cu13", "13.0")):
            with self.subTest(mode):
                self.run_script("--cuda-wheels", FAKE_PIP=mode,
                                FAKE_GPU="driver=%s\\noldest=8.0\\n" % driver)
                major = mode[2:]
                self.assertTrue((self.cuda / "include/cuda.h").is_file())
                self.assertEqual(sorted(p.name for p in (self.cuda / "lib").iterdir()),
                                 ["libnvrtc-builtins.so.%s.0" % major, "libnvrtc.so",
                                  "libnvrtc.so." + major])
                self.assertEqual(os.readlink(self.cuda / "lib/libnvrtc.so"), "libnvrtc.so." + major)
                self.assertTrue(list((self.cuda / "licenses").iterdir()))

    def test_pip_is_bound_to_hashes(self):
        self.run_script("--cuda-wheels", FAKE_PIP="cu13")
        for option in ("--require-hashes", "--no-deps", "--only-binary=:all:"):
            self.assertIn(option, self.machine.calls("pip")[0])

    def test_second_run_fetches_nothing_even_offline(self):
        self.run_script("--cuda-wheels", FAKE_PIP="cu13")
        self.run_script("--cuda-wheels", "--offline")
        self.assertEqual(self.machine.calls(), [])

    def test_changed_pins_fetch_again(self):
        self.run_script("--cuda-wheels", FAKE_PIP="cu13")
        with open(self.machine.tree / "bootstrap.d/cuda-13.0.txt", "a") as pins:
            pins.write("# changed\n")
        self.run_script("--cuda-wheels", FAKE_PIP="cu13")
        self.assertEqual(len(self.machine.calls("pip")), 1)

    def test_broken_download_leaves_no_half_state(self):
        self.assertIn("no route to host", self.run_script("--cuda-wheels", code=3))
        self.assertEqual(list((self.machine.tree / "build/deps").iterdir()), [])

    def test_broken_download_keeps_what_was_there(self):
        self.run_script("--cuda-wheels", FAKE_PIP="cu13")
        self.run_script("--cuda-wheels", code=3, FAKE_GPU="driver=12.4\\noldest=8.0\\n")
        self.assertTrue((self.cuda / "lib/libnvrtc.so.13").exists())

    def test_environments_of_tests_are_optional(self):
        offline = self.run_script("test", "--all", "--offline")
        refused = self.run_script("test", "--all")  # by the fake pip
        for name, title in (("numpy2", "NumPy 2"), ("tools", "MkDocs and lizard"), ("languages", "PyTorch, Triton and Numba")):
            with self.subTest(name):
                self.assertIn("build/deps/%s; tests that need %s are skipped" % (name, title), offline)
                self.assertIn("no %s for this Python could be had" % title, refused)
                self.assertFalse((self.machine.tree / "build/deps" / name).exists())

    def test_only_all_tests_get_the_large_environment(self):
        for arguments, fetches in ((["test"], False), (["test", "--all"], True), (["build"], False)):
            with self.subTest(arguments):
                output = self.run_script(*arguments, "--dry-run")
                self.assertEqual("bootstrap.d/languages.txt into build/deps/languages (" in output, fetches, output)
                self.run_script(*arguments)  # pip is fake
                self.assertEqual(any("languages.txt" in call for call in self.machine.calls("pip")), fetches)

    def test_another_python_has_no_pins(self):
        named = self.machine.file("named/python3", "#!/bin/sh\nprintf '%s\\n' executable=$0 version=3.9.1 numpy=2.0.0 pybind11=/p lacks=\n")
        named.chmod(0o755)
        output = self.run_script("test", "--all", WARPMARK_PYTHON=str(named))
        for title in ("NumPy 2", "MkDocs and lizard", "PyTorch, Triton and Numba"):
            self.assertIn("no %s for Python 3.9.1 is pinned: tests that need it are skipped" % title, output)
        self.assertEqual(self.machine.calls("pip"), [])

    def test_terminated_download_leaves_no_half_state(self):
        self.machine.file("fake_pip.py", "import os, signal, sys\n"
                          "open(sys.argv[1] + '/half.whl', 'w')\n"
                          "os.kill(int(os.environ['FAKE_PARENT']), signal.SIGTERM)\n")
        self.machine.tool("python3", (self.machine.bin / "python3").read_text().replace(
            "#!/bin/sh\n", "export FAKE_PARENT=$PPID\n"))
        done = self.machine.run("--cuda-wheels")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertEqual(list((self.machine.tree / "build/deps").iterdir()), [])

    def test_a_failed_build_ends_what_is_fetched_beside_it(self):
        self.machine.file("fake_pip.py", "import os, time\n"
                          "with open(os.environ['FAKE_ROOT'] + '/pid.new', 'w') as file:\n"
                          "    file.write(str(os.getpid()))\n"
                          "os.rename(file.name, os.environ['FAKE_ROOT'] + '/pid')\n"
                          "time.sleep(120)\n")
        self.machine.tool("cmake", (self.machine.bin / "cmake").read_text().replace(
            "#!/bin/sh\n", '#!/bin/sh\ncase "$*" in *--build*)\n'
            '  while [ ! -e "$FAKE_ROOT/pid" ]; do sleep 0.1; done; exit 2 ;;\nesac\n'))
        self.machine.tool("sleep", '#!/bin/sh\nexec %s "$@"\n' % shutil.which("sleep"))
        self.run_script("test", code=1)
        pid = int((self.machine.root / "pid").read_text())
        deadline = time.monotonic() + 10
        while os.path.exists("/proc/%d" % pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(os.path.exists("/proc/%d" % pid))
        self.assertEqual(list((self.machine.tree / "build/deps").glob(".part.*")), [])

    def test_version_fits_driver_and_gpu(self):
        for driver, oldest, version in (
                ("12.2", "8.0", "12.4"), ("12.4", "8.0", "12.4"), ("12.7", "9.0", "12.4"),
                ("12.8", "12.0", "12.8"), ("12.9", "8.9", "12.8"), ("13.0", "7.5", "13.0"),
                ("13.2", "10.0", "13.0"), ("13.0", "7.0", "12.8"), ("12.6", "6.1", "12.4"),
                ("12.4", "", "12.4")):
            with self.subTest(driver=driver, oldest=oldest):
                gpu = "driver=%s\\n" % driver + ("oldest=%s\\n" % oldest if oldest else "")
                output = self.run_script("--cuda-wheels", "--dry-run", FAKE_GPU=gpu)
                self.assertIn("bootstrap.d/cuda-%s.txt" % version, output)

    def test_toolkit_that_does_not_serve_is_passed_over(self):
        cases = ((13020, "driver=12.4\\noldest=8.0\\n", "newer than the driver"),
                 (11080, "", "older than 12.4"),
                 (13000, "driver=13.0\\noldest=7.0\\n", "does not compile for"))
        for number, gpu, words in cases:
            with self.subTest(words):
                home = self.machine.toolkit("toolkit-%d" % number, number)
                output = self.run_script("--dry-run", WARPMARK_CUDA_HOME=str(home), FAKE_GPU=gpu)
                self.assertRegex(output, "passed over %s: .*%s" % (re.escape(str(home)), words))


class Unpacked(unittest.TestCase):
    """Wheels, unpacked by real tools."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="warpmark-wheels-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def test_programs_stay_executable(self):
        with zipfile.ZipFile(self.folder / "a.whl", "w") as wheel:
            for name, mode in (("a/bin/ptxas", 0o755), ("a/text", 0o644)):
                one = zipfile.ZipInfo(name)
                one.external_attr = (0o100000 | mode) << 16
                wheel.writestr(one, name)
        subprocess.run([sys.executable, SOURCE / "bootstrap.d/unpack_wheel.py", self.folder / "a.whl", self.folder], check=True)
        self.assertTrue(os.access(self.folder / "a/bin/ptxas", os.X_OK))
        self.assertFalse(os.stat(self.folder / "a/text").st_mode & 0o111)

    def compile(self, path, code, *words):
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", path, *words], input=code, text=True, check=True)

    def test_libraries_that_are_left_out_have_stand_ins(self):
        """A library that links three of NVIDIA's, with and without versions, of which one is there."""
        libraries, own = self.folder / "torch/lib", self.folder / "nvidia/cu13/lib"
        libraries.mkdir(parents=True)
        own.mkdir(parents=True)
        self.folder.joinpath("map").write_text("libcudnn.so.9 { cudnnCreate; cudnnGetVersion; };")
        self.compile(libraries / "libcudnn.so.9", "int cudnnCreate(void) { return 1; } long cudnnGetVersion(void) { return 9; }", "-Wl,-soname,libcudnn.so.9",
                     "-Wl,--version-script=%s" % (self.folder / "map"))
        self.compile(libraries / "libnccl.so.2", "int ncclSend(void) { return 1; }", "-Wl,-soname,libnccl.so.2")
        self.compile(own / "libcudart.so.13", "int cudaFree(void) { return 7; }", "-Wl,-soname,libcudart.so.13")
        self.compile(libraries / "libtorch_cuda.so", "int cudnnCreate(void), ncclSend(void), cudaFree(void); long cudnnGetVersion(void);"
                     "int here(void) { return cudaFree() + cudnnGetVersion(); } int all(void) { return cudnnCreate() + ncclSend(); }",
                     libraries / "libcudnn.so.9", libraries / "libnccl.so.2", own / "libcudart.so.13", "-Wl,-z,now",
                     "-Wl,-rpath,$ORIGIN:$ORIGIN/../../nvidia/cu13/lib")
        for name in ("libcudnn.so.9", "libnccl.so.2"):
            (libraries / name).unlink()
        load = [sys.executable, "-c", "import ctypes; library = ctypes.CDLL(%r); print(library.here(), flush=True); library.all()" %
                str(libraries / "libtorch_cuda.so")]
        self.assertNotEqual(subprocess.run(load, capture_output=True, check=False).returncode, 0)
        subprocess.run([sys.executable, SOURCE / "bootstrap.d/stand_ins.py", self.folder, "cc"], check=True, capture_output=True)
        done = subprocess.run(load, capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.returncode), ("7\n", -signal.SIGABRT), done.stderr)
        self.assertIn("cudnnCreate was called: ./bootstrap leaves out this library of NVIDIA", done.stderr)
        self.assertEqual(sorted(path.name for path in libraries.iterdir()),
                         ["libcudnn.so.9", "libnccl.so.2", "libtorch_cuda.so", "stand_ins.so"])


class Python(BootstrapTest):
    def test_order_and_reasons(self):
        refused = self.machine.file("refused/bin/python3", "#!/bin/sh\n"
                                    "echo lacks=numpy\necho 'reason=no NumPy'\nexit 1\n")
        refused.chmod(0o755)
        for settings in ({"WARPMARK_PYTHON": str(refused)},
                         {"VIRTUAL_ENV": str(self.machine.root / "refused")}):
            with self.subTest(settings):
                output = self.run_script(**settings)
                self.assertIn("passed over %s: no NumPy" % refused, output)
                self.assertIn("3.11.2  %s/python3" % self.machine.bin, output)

    def test_named_interpreter_comes_first(self):
        named = self.machine.file("named/python3", "#!/bin/sh\nprintf '%s\\n' "
                                  "executable=$0 version=3.12.9 numpy=2.3.5 pybind11=/p lacks=\n")
        named.chmod(0o755)
        output = self.run_script(WARPMARK_PYTHON=str(named))
        self.assertIn("3.12.9  %s" % named, output)
        self.assertIn("pybind11   /p", output)

    def test_mpi_is_installed_for_the_tests(self):
        for missing in ("mpirun", "mpicc"):
            self.machine = FakeMachine()
            self.machine.remove(missing)
            for arguments, wanted in ((["build"], False), (["test"], True),
                                      (["test", "--offline"], False)):
                with self.subTest(arguments, missing=missing):
                    output = self.run_script("--dry-run", *arguments)
                    self.assertEqual("libopenmpi-dev openmpi-bin" in output, wanted, output)
                    if "--offline" in arguments:
                        self.assertIn("without MPI (mpirun, mpicc) the tests of several ranks", output)


class Presets(unittest.TestCase):
    def test_presets_of_one_folder_set_the_same_variables(self):
        # A variable that only one of them sets would stay in the cache for the other.
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]
        presets = {preset["name"]: preset for preset in presets}
        for preset in ("once", "ci"):
            self.assertNotIn("binaryDir", presets[preset])
            self.assertEqual(presets[preset]["cacheVariables"]["WARPMARK_PRESET"], preset)
            for name in presets[preset]["cacheVariables"]:
                self.assertIn(name, presets["default"]["cacheVariables"])


class Pins(unittest.TestCase):
    # One wheel for every machine. All others have one for each architecture, and each its hash.
    PURE_PYTHON = {"click", "cuda-pathfinder", "debugpy", "filelock", "fsspec", "ghp-import", "iniconfig", "jinja2", "lizard",
                   "markdown", "mergedeep", "mkdocs", "mkdocs-get-deps", "mpmath", "networkx", "packaging", "pathspec",
                   "platformdirs", "pluggy", "pygments", "pytest", "python-dateutil", "pyyaml-env-tag", "setuptools", "sympy",
                   "typing-extensions", "tzdata"}

    def test_every_requirement_is_exact_and_hashed(self):
        for path in sorted((SOURCE / "bootstrap.d").glob("*.txt")):
            text = path.read_text().replace("\\\n", " ")
            lines = [l for l in text.splitlines() if l.strip() and not l.startswith("#")]
            self.assertTrue(lines, path)
            for line in lines:
                with self.subTest(path.name, line=line[:40]):
                    self.assertRegex(
                        line, r"^[a-z0-9-]+==[0-9a-z.]+( +--hash=sha256:[0-9a-f]{64})+$")
                    pure = line.split("==")[0] in self.PURE_PYTHON
                    self.assertEqual(pure, line.count("--hash=") == 1)

    def test_mkdocs_of_the_test_is_that_of_the_documentation(self):
        pin = re.compile(r"^mkdocs==[0-9.]+", re.M)
        self.assertEqual(pin.findall((SOURCE / "docs/requirements.txt").read_text()),
                         pin.findall((SOURCE / "bootstrap.d/tools.txt").read_text()))

    def test_no_host_is_named(self):
        files = [SOURCE / "bootstrap", SOURCE / ".ci/run"]
        files += [p for p in (SOURCE / "bootstrap.d").iterdir() if p.is_file()]
        for path in files:
            self.assertNotRegex(path.read_text(), r"https?://|index-url|\.(org|com|net)\b", path)


if __name__ == "__main__":
    unittest.main()

# Installs Warpmark, moves it, and builds a stranger's projects against it: those of docs/install.md.
"""Environment: WARPMARK_SOURCE_DIR, WARPMARK_BINARY_DIR, WARPMARK_TEST_CMAKE, WARPMARK_TEST_CTEST.

Everything runs with an environment of its own, without a CUDA compiler on the path, in folders whose
names have spaces.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ["WARPMARK_SOURCE_DIR"]).resolve()
BUILD = pathlib.Path(os.environ["WARPMARK_BINARY_DIR"]).resolve()
CMAKE, CTEST = os.environ["WARPMARK_TEST_CMAKE"], os.environ["WARPMARK_TEST_CTEST"]
TOOLS = ("ninja", "make", "c++", "cc", "sh", "env", "readelf")
GUIDE = (SOURCE / "docs/install.md").read_text()

SKIP = "skip: {when: n > 0, reason: nothing to be seen}\n"


def guide_files(heading):
    """The files that a section of the guide shows: `NAME`: and then the text, fenced."""
    section = GUIDE.split("\n## " + heading + "\n")[1].split("\n## ")[0]
    return dict(re.findall(r"`([\w/.]+)`:\n\n```\w+\n(.*?)```", section, re.S))


def cached(name):
    """A value of the build's CMake cache."""
    found = re.search(r"^%s:\w+=(.*)$" % name, (BUILD / "CMakeCache.txt").read_text(), re.M)
    return found.group(1) if found else ""


class Stranger:
    """Someone with an installed Warpmark, which was moved to `prefix`, and an environment of their own."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder).resolve()
        self.environment = {"PATH": self.tool_path(), "HOME": str(self.root), "LANG": "C",
                            "TMPDIR": str(self.root), "XDG_CACHE_HOME": str(self.root / "cache")}
        for name in ("WARPMARK_NVRTC", "WARPMARK_CUDA_HOME", "ASAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        first = self.root / "first place"
        # The suppressions of a sanitizer name functions, which a stripped program has no more.
        strip = [] if cached("WARPMARK_SANITIZE") else ["--strip"]
        self.run(CMAKE, "--install", BUILD, "--prefix", first, *strip)
        self.prefix = self.root / "another place"
        first.rename(self.prefix)
        self.program = self.prefix / "bin/warpmark"
        self.doctor = self.run(self.program, "doctor", code=None).stdout

    def tool_path(self):
        """A folder with the tools that CMake needs, and no others, and the system's."""
        tools = self.root / "tools"
        tools.mkdir()
        for tool in TOOLS:
            if shutil.which(tool):
                (tools / tool).symlink_to(shutil.which(tool))
        return "%s:/usr/bin:/bin" % tools

    def run(self, *command, code=0, **settings):
        done = subprocess.run([str(word) for word in command], text=True, cwd=self.root, timeout=300,
                              env={**self.environment, **settings}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if code is not None and done.returncode != code:
            raise AssertionError("%s ended with %d:\n%s" % (command, done.returncode, done.stdout))
        return done


class InstallTest(unittest.TestCase):
    """Tests share one installation; each has a folder of its own, `root`."""
    stranger = None

    def setUp(self):
        if InstallTest.stranger is None:
            folder = tempfile.TemporaryDirectory(prefix="warpmark install ")
            unittest.addModuleCleanup(folder.cleanup)
            InstallTest.stranger = Stranger(folder.name)
        self.prefix, self.program = self.stranger.prefix, self.stranger.program
        self.doctor = self.stranger.doctor
        self.run_command = self.stranger.run
        self.root = self.stranger.root / self.id().split(".")[-1]
        self.root.mkdir()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def need_device(self):
        for need in ("NVRTC", "NumPy", "cpu"):
            if not re.search(r"^ok +%s " % need, self.doctor, re.M):
                self.skipTest(self.doctor)

    def project(self, name, files, generator="Ninja", code=0):
        """Writes and configures a project; its build folder, and what was said."""
        for path, text in files.items():
            self.write("%s/%s" % (name, path), text)
        tool = {"Ninja": "ninja"}.get(generator, "make")
        if shutil.which(tool) is None:
            self.skipTest("no " + tool)
        build = self.root / name / "build folder"
        done = self.run_command(CMAKE, "-S", self.root / name, "-B", build, "-G", generator,
                                "-DCMAKE_PREFIX_PATH=%s" % self.prefix, code=code)
        return build, done.stdout

    def ctest(self, build, *arguments, code=0):
        return self.run_command(CTEST, "--test-dir", build, *arguments, code=code).stdout

    def names(self, build):
        return re.findall(r"Test +#\d+: (.*)", self.ctest(build, "-N"))


class Installed(InstallTest):
    def test_everything_is_there(self):
        data = self.prefix / cached("CMAKE_INSTALL_DATADIR") if cached("CMAKE_INSTALL_DATADIR") \
            else self.prefix / "share"
        for path in ("warpmark/suites/doublify/suite.yaml", "warpmark/suites/doublify/doublify.cu",
                     "warpmark/schema/suite.json", "warpmark/configs/demo.yaml",
                     "doc/warpmark/LICENSE", "doc/warpmark/docs/suite-format.md"):
            self.assertTrue((data / path).is_file(), path)
        for header in ("plugin.h", "plugin.hpp", "device.h"):
            self.assertTrue((self.prefix / "include/warpmark" / header).is_file(), header)
        built = {path.name for path in (BUILD / "lib/warpmark").glob("*.so")}
        installed = {path.name for path in self.prefix.glob("lib*/**/warpmark/*.so")}
        self.assertEqual(installed, built)

    def test_what_readme_and_guides_name_is_there(self):
        data = self.prefix / (cached("CMAKE_INSTALL_DATADIR") or "share") / "warpmark"
        named = set()
        for page in (SOURCE / "README.md", *SOURCE.glob("docs/**/*.md"), *SOURCE.glob("examples/**/*.md")):
            named.update(re.findall(r"\b((?:suites|courses|configs|examples|schema)/[\w./-]*\w)", page.read_text()))
        ours = sorted(name for name in named if (SOURCE / name).exists())  # the others are the reader's
        self.assertGreater(len(ours), 40)
        self.assertEqual([name for name in ours if not (data / name).exists()], [])

    def test_examples_are_listed_and_copied_whole(self):
        self.assertIn("ok       examples   %s/" % self.prefix, self.doctor)
        names = [line.split()[0] for line in self.run_command(self.program, "examples").stdout.splitlines()]
        for name in ("suites/doublify", "courses/first/multiply_them", "configs/demo.yaml", "examples/ci/gitlab.yml"):
            self.assertIn(name, names)
        for name in names:
            self.run_command(self.program, "examples", name, "-o", self.root / name)
        self.need_device()
        config = self.root / "configs/demo.yaml/configs/demo.yaml"
        # A GPU skips the case that needs exact bounds.
        self.assertRegex(self.run_command(self.program, "run", config).stdout, r"\n(645 passed|644 passed, 1 skipped) in ")

    @unittest.skipIf(cached("WARPMARK_SANITIZE"), "sanitizers record where variables are declared")
    def test_no_file_names_the_folder_of_build_or_source(self):
        words = {str(SOURCE).encode(), str(BUILD).encode()}
        files = [path for path in self.prefix.rglob("*") if path.is_file() and
                 "cuda" not in path.relative_to(self.prefix).parts]
        # An interpreter of the source folder, as .venv, is recorded by its place.
        python = cached("WARPMARK_BUILD_PYTHON").encode()
        self.assertGreater(len(files), 20)
        # With their debug information, which --strip has removed from the installed ones.
        files += [BUILD / "bin/warpmark", *(BUILD / "lib/warpmark").glob("*.so")]
        for path in files:
            content = path.read_bytes().replace(python, b"")
            for word in words:
                self.assertFalse(word in content, "%s names %s" % (path, word.decode()))

    def test_libraries_are_found_from_where_the_program_lies(self):
        python = {str(pathlib.Path(cached(name)).parent) for name in
                  ("Python3_LIBRARY", "Python_LIBRARY", "_Python3_LIBRARY_RELEASE") if cached(name)}
        for path in (self.program, *self.prefix.glob("lib*/**/warpmark/*.so")):
            dynamic = self.run_command("readelf", "--dynamic", "--wide", path).stdout
            for entry in re.findall(r"(?:RPATH|RUNPATH).*\[(.*)\]", dynamic):
                for folder in entry.split(":"):
                    recorded = folder in python or not folder.startswith((str(SOURCE), str(BUILD)))
                    self.assertTrue(folder.startswith("$ORIGIN") or recorded, (path, folder))

    @unittest.skipIf(cached("WARPMARK_SANITIZE"), "a sanitizer's library needs a program with it")
    def test_a_program_is_linked_with_the_device_and_started_on_it(self):
        launcher = self.prefix / "bin/warpmark-cpu"
        driver = self.run_command(launcher, "--print-path").stdout.strip()
        self.assertTrue(driver.startswith(str(self.prefix)))
        source, program = self.root / "linked.c", self.root / "linked"
        source.write_text("int cuInit(unsigned int); int main(void) { return cuInit(0); }\n")
        self.run_command("cc", source, "-o", program, "-L" + driver, "-lcuda")
        needed = self.run_command("readelf", "--dynamic", "--wide", program).stdout
        self.assertRegex(needed, r"NEEDED.*\[libcuda\.so\.1\]")
        self.assertNotIn("warpmark", needed)
        self.run_command(launcher, program)

    @unittest.skipIf(cached("WARPMARK_SANITIZE"), "a sanitizer's library needs a program with it")
    def test_a_program_is_linked_with_the_runtime_library_and_started_on_it(self):
        launcher = self.prefix / "bin/warpmark-cpu"
        driver = self.run_command(launcher, "--print-path").stdout.strip()
        if not list(pathlib.Path(driver).glob("libcudart.so.*")):
            self.skipTest("built without the headers of CUDA 13")
        source, program = self.root / "runtime.c", self.root / "runtime"
        source.write_text("int cudaFree(void *); int main(void) { return cudaFree(0); }\n")
        for version in ("12", "13"):
            self.run_command("cc", source, "-o", program, "-L" + driver,
                             "-l:libcudart.so." + version)
            self.run_command(launcher, program)

    def test_the_toolkits_libraries_are_stood_in_for(self):
        folder = pathlib.Path(self.run_command(self.prefix / "bin/warpmark-cpu", "--print-path").stdout.strip())
        for major in ("12", "13"):
            for name in ("nvrtc", "nvJitLink"):
                dynamic = self.run_command("readelf", "--dynamic", "--wide", folder / f"lib{name}.so.{major}").stdout
                self.assertIn(f"[lib{name}.so.{major}]", dynamic)
        self.assertTrue((folder / "include/stdio.h").exists())

    def test_doctor_prints_the_moved_places(self):
        for what in ("cpu", "plugin"):
            self.assertRegex(self.doctor, r"(?m)^ok +%s +(source at )?%s/" % (
                what, re.escape(str(self.prefix))))

    def test_doctor_does_not_send_a_user_to_bootstrap(self):
        said = self.run_command(self.program, "doctor", code=3,
                                WARPMARK_CUDA_HOME=str(self.root)).stdout
        self.assertIn("set WARPMARK_CUDA_HOME", said)
        self.assertNotIn("./bootstrap", said)

    def test_its_own_nvrtc_comes_before_the_loaders(self):
        said = self.run_command(self.program, "doctor", code=None).stdout
        own = next(self.prefix.glob("lib*/**/warpmark/cuda"), None)
        if own is None or not (own / "lib").exists():
            self.skipTest("./bootstrap put no NVRTC into build/deps/cuda")
        place = re.search(r"(?m)^ok +NVRTC +[0-9.]+ at (.*)$", said).group(1)
        self.assertEqual(pathlib.Path(place).resolve().parent, (own / "lib").resolve())

    def test_the_demo_runs_from_any_folder_and_through_a_link(self):
        self.need_device()
        link = self.root / "bin/wm"
        link.parent.mkdir()
        link.symlink_to(self.program)
        demo = next(self.prefix.glob("share/warpmark/configs/demo.yaml"))
        said = self.run_command(link, "run", demo).stdout
        self.assertRegex(said, r"\n\d+ passed(, \d+ skipped)? in ")


class Data(InstallTest):
    """Files in share, which work there and from there."""

    def setUp(self):
        super().setUp()
        share = cached("CMAKE_INSTALL_DATADIR") or "share"
        self.data, self.pages = self.prefix / share / "warpmark", self.prefix / share / "doc/warpmark"

    def files_of_the_prefix(self):
        return {path: path.lstat().st_mtime_ns for path in self.prefix.rglob("*")}

    def test_every_link_of_the_pages_leads_somewhere(self):
        count = 0
        for page in self.pages.rglob("*.md"):
            text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                file = link.split("#")[0]
                if file and "://" not in file:
                    count += 1
                    target = (page.parent / file).resolve()
                    self.assertTrue(target.exists(), "%s: %s" % (page, link))
                    self.assertIn(self.pages, target.parents)
        self.assertGreater(count, 40)

    def test_every_file_names_a_schema_that_is_there(self):
        files = [path for folder in ("suites", "courses", "configs")
                 for path in (self.data / folder).rglob("*.yaml")]
        self.assertGreater(len(files), 25)
        for path in files:
            line = path.read_text().split("\n")[0]
            schema = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", line).group(1)
            self.assertTrue((path.parent / schema).is_file(), "%s: %s" % (path, schema))

    def test_no_configuration_writes_into_the_prefix(self):
        self.need_device()
        before = self.files_of_the_prefix()
        # The others write reports beside them: `warpmark examples` copies them to where that is wanted.
        writes = re.compile(r"^ *(journal|junit|keep|benchmark_out|formats):", re.M)
        configs = [path for path in (self.data / "configs").iterdir() if not writes.search(path.read_text())]
        self.assertIn("demo.yaml", [path.name for path in configs])
        for config in configs:
            self.run_command(self.program, "run", config, "--device", "cpu", "-k", "multiply_them")
        self.assertEqual(self.files_of_the_prefix(), before)

    def test_schemas_are_found_where_the_program_was_moved_to(self):
        for name in ("suite", "assignment", "run"):
            file = self.data / "schema" / (name + ".json")
            said = self.run_command(self.program, "schema", name, "--path").stdout
            self.assertEqual(said, "%s\n" % file.resolve())
            self.assertEqual(self.run_command(self.program, "schema", name).stdout, file.read_text())

    def test_a_new_assignment_of_a_stranger_names_its_schema(self):
        self.need_device()
        self.run_command(self.program, "new", "assignment", self.root / "hw1", "--from",
                         self.data / "suites/doublify/double_array.yaml")
        line = (self.root / "hw1/assignment.yaml").read_text().split("\n")[0]
        # The prefix has a space, which editors take in a URL only.
        file = self.data.resolve() / "schema/assignment.json"
        self.assertEqual(line, "# yaml-language-server: $schema=" + file.as_uri())

    def test_the_courses_can_be_graded(self):
        self.need_device()
        assignment = self.data / "courses/first/doublify/assignment.yaml"
        said = self.run_command(self.program, "try", assignment,
                                assignment.parent / "solutions/plain.cu").stdout
        self.assertIn(": 8 of 8 points\n", said)


class Components(InstallTest):
    def test_each_alone(self):
        for component, has, lacks in (("runtime", "bin/warpmark", "include"),
                                      ("development", "include/warpmark/plugin.hpp", "bin")):
            prefix = self.root / component
            self.run_command(CMAKE, "--install", BUILD, "--prefix", prefix, "--component", component)
            self.assertTrue((prefix / has).exists())
            self.assertFalse((prefix / lacks).exists())

    def test_a_package_without_its_program_says_so(self):
        prefix = self.root / "development only"
        self.run_command(CMAKE, "--install", BUILD, "--prefix", prefix, "--component", "development")
        self.write("half/CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\n"
                   "find_package(warpmark REQUIRED)\n")
        said = self.run_command(CMAKE, "-S", self.root / "half", "-B", self.root / "half/b", "-G",
                                "Ninja", "-DCMAKE_PREFIX_PATH=%s" % prefix, code=1).stdout
        self.assertIn("bin/warpmark is not there", said.replace("\n ", ""))

    def test_destdir(self):
        stage = self.root / "stage"
        self.run_command(CMAKE, "--install", BUILD, "--prefix", "/opt/some where", DESTDIR=str(stage))
        program = stage / "opt/some where/bin/warpmark"
        self.assertIn("source", self.run_command(program, "doctor", code=None).stdout)


class Suites(InstallTest):
    """A stranger's suites as tests: no compiler at all."""

    def test_names_labels_verdicts_and_new_lists(self):
        self.need_device()
        files = guide_files("Your suites as tests of ctest")
        files["CMakeLists.txt"] += ('warpmark_discover_tests("bad ones/wrong.yaml" PREFIX expected/ '
                                    'DEVICE cpu PROPERTIES WILL_FAIL TRUE)\n'
                                    'warpmark_discover_tests(suites PER suite PREFIX whole/ LABELS '
                                    'quick)\n')
        files["suites/skipped.yaml"] = files["suites/scale.yaml"].replace("1, ", "") + SKIP
        files["bad ones/wrong.yaml"] = files["suites/scale.yaml"].replace("3 * x", "4 * x")
        files["bad ones/scale.cu"] = files["suites/scale.cu"]
        build, _ = self.project("my suites", files)
        cases = ["scale.n=1", "scale.n=1000", "skipped.n=1000"]
        bad = ["expected/wrong.n=1", "expected/wrong.n=1000"]
        self.assertEqual(self.names(build), cases + bad + ["whole/scale", "whole/skipped"])
        said = self.ctest(build, "--output-on-failure")
        for name in ("scale.n=1000", "expected/wrong.n=1", "whole/scale"):
            self.assertRegex(said, r"%s \.+ +Passed" % re.escape(name))
        for name in ("skipped.n=1000", "whole/skipped"):
            self.assertRegex(said, r"%s \.+\*\*\*Skipped" % re.escape(name))
        self.assertRegex(said, r"kernels += .*3 tests")
        self.assertRegex(said, r"quick += .*2 tests")

        time.sleep(0.05)  # more than a tick of the file system's clock
        self.write("my suites/suites/scale.yaml",
                   files["suites/scale.yaml"].replace("[1, 1000]", "[7]"))
        self.assertEqual(self.names(build)[:2], ["scale.n=7", "skipped.n=1000"])
        self.write("my suites/suites/scale.yaml", "warpmark: 1\nkernl: {}\n")
        said = self.ctest(build, "--output-on-failure", "-R", "NOT_DISCOVERED", code=8)
        self.assertRegex(said, "unknown key .*`kernl`")

    def test_another_version_is_refused(self):
        files = {"CMakeLists.txt": guide_files("Your suites as tests of ctest")["CMakeLists.txt"]
                 .replace("warpmark 0.1", "warpmark 7")}
        said = re.sub(r"\s+", " ", self.project("late", files, code=1)[1])
        self.assertIn('compatible with requested version "7"', said)


class Plugins(InstallTest):
    """A stranger's own plugin, that of docs/plugins.md."""

    def files(self):
        files = guide_files("Your own plugin")
        text = (SOURCE / "docs/plugins.md").read_text()
        files["twice.cpp"] = re.search(r"```cpp\n(.*?)```", text, re.S).group(1)
        return files

    def build_and_test(self, name, generator):
        build, _ = self.project(name, self.files(), generator)
        self.run_command(CMAKE, "--build", build)
        plugin = build / "lib/warpmark/warpmark-plugin-twice.so"
        exported = self.run_command("nm", "--dynamic", "--defined-only", plugin).stdout
        self.assertIn("warpmark_plugin_v1", exported)
        self.assertNotIn("Twice", exported)  # hidden visibility
        self.assertEqual(self.names(build), ["twice.default"])
        if re.search(r"^ok +NVRTC ", self.doctor, re.M):
            self.assertRegex(self.ctest(build), r"twice\.default \.+ +Passed")

    def test_one_that_new_plugin_writes(self):
        self.run_command(self.program, "new", "plugin", "my-scan", "-o", self.root / "made")
        files = {path.name: path.read_text() for path in (self.root / "made").iterdir()}
        self.assertEqual(sorted(files),
                         ["CMakeLists.txt", "README.md", "my-scan.cpp", "my-scan.yaml"])
        build, _ = self.project("made", files, "Unix Makefiles")
        self.run_command(CMAKE, "--build", build)
        self.assertEqual(self.names(build), ["my~scan.n=1", "my~scan.n=1000"])
        if re.search(r"^ok +NVRTC ", self.doctor, re.M):
            self.assertIn("100% tests passed", self.ctest(build))

    def test_with_make(self):
        self.build_and_test("with make", "Unix Makefiles")

    @unittest.skipUnless(os.environ.get("WARPMARK_TEST_LONG"), "the same again, for the label long")
    def test_with_ninja(self):
        self.build_and_test("with ninja", "Ninja")

    def test_what_is_missing_is_named(self):
        lists = ("cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\n"
                 "set(CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json TRUE)\n"
                 "find_package(warpmark %s)\nwarpmark_add_plugin(%s)\n")
        for number, (components, arguments, words) in enumerate((
                ("REQUIRED COMPONENTS plugin", "p p.cpp", "nlohmann-json3-dev"),
                ("REQUIRED COMPONENTS plugins", "p p.cpp", "no component `plugins`"),
                ("REQUIRED", "p p.cpp", "C++ is not enabled"),
                ("REQUIRED", "p", "no source file"),
                ("REQUIRED", "p.q p.cpp", "no name of a plugin"))):
            with self.subTest(words):
                files = {"CMakeLists.txt": lists % (components, arguments)}
                said = self.project("missing %d" % number, files, code=1)[1]
                self.assertIn(words, re.sub(r"\s+", " ", said))


if __name__ == "__main__":
    unittest.main()

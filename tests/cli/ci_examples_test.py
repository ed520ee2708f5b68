# The pipelines of examples/ci, run step by step in a stranger's repository, without their servers.
import copy
import json
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from program import KERNEL, LINES, PROGRAM, SOURCE, CheckTest

try:
    import yaml
except ImportError:
    print("skipped: no module yaml, which reads the pipelines")
    sys.exit(77)
from ci_pipeline import GithubJob, GitlabJob

EXAMPLES = SOURCE / "examples/ci"
WHEEL = ("https://example.invalid/warpmark-0.1.0-cp312-cp312-manylinux_2_31_x86_64.whl#sha256=" + 64 * "0")
WRONG = KERNEL.replace("f * src[i]", "i < 28 ? f * src[i] : src[i]")
MORE_WORK = KERNEL.replace("f * src[i]", "f * src[i] + 0.f * src[(i + 1) % n]")

# `python -m pip install` puts the program onto the path; anything else is Python's.
PYTHON_STUB = """#!/bin/sh
if [ "$1 $2 $3" = "-m pip install" ]; then
  echo "$4" >> "{folder}/installed"
  exec ln -s "{program}" "{folder}/stubs/warpmark"
fi
exec "{python}" "$@"
"""
# Both keep the text that they would send, and `gh api` knows the comment that is there.
GH_STUB = """#!/bin/sh
printf '%s ' "$@" >> "{folder}/calls"; echo >> "{folder}/calls"
for word; do case $word in
  body=@*) exec cp "${{word#body=@}}" "{folder}/sent" ;;
  comment.md) exec cp "$word" "{folder}/sent" ;;
  --paginate) exec cat "{folder}/comments" ;;
esac; done
exit 1
"""
CURL_STUB = """#!/bin/sh
printf '%s ' "$@" >> "{folder}/calls"; echo >> "{folder}/calls"
for word; do case $word in body@*) exec cp "${{word#body@}}" "{folder}/sent" ;; esac; done
exit 1
"""


class Stranger(CheckTest):
    """Someone with a repository of one suite, its baseline, and an example as its pipeline."""
    example = None
    folder_of_suites = "suites"

    def setUp(self):
        super().setUp()
        self.pipeline = yaml.safe_load((EXAMPLES / self.example).read_text())
        self.settings = self.pipeline.get("env") or self.pipeline["variables"]
        self.settings["WARPMARK"] = WHEEL
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        for name, text in (("python", PYTHON_STUB), ("python3", PYTHON_STUB), ("gh", GH_STUB),
                           ("curl", CURL_STUB)):
            self.write("stubs/" + name, text.format(
                folder=self.folder, program=PROGRAM, python=sys.executable)).chmod(0o755)
        self.write("comments", "")
        self.environment["PATH"] = "%s/stubs:/usr/bin:/bin" % self.folder
        # The caches are to be where the pipelines keep them.
        del self.environment["XDG_CACHE_HOME"]
        self.assertIsNone(shutil.which("warpmark", path=self.environment["PATH"]))
        self.write_kernel(KERNEL)
        self.make_baseline()
        if shutil.which("git"):
            for words in (["init", "--quiet"], ["add", "."],
                          ["-c", "user.name=S", "-c", "user.email=s@example.invalid", "commit",
                           "--quiet", "--message=Kernels"]):
                subprocess.run(["git", *words], cwd=self.repository, env=self.environment, check=True)

    def write_kernel(self, text):
        lines = dict(LINES, axes="{n: [32, 100]}")
        lines["  src"] = "{in: rng.random(n)}"
        folder = "repository/%s/" % self.folder_of_suites
        self.write(folder + "t.yaml", "".join("%s: %s\n" % line for line in lines.items()))
        self.write(folder + "k.cu", text)

    def make_baseline(self):
        """By the command of README.md."""
        text = (EXAMPLES / "README.md").read_text()
        command = re.search(r"^    warpmark (bench .*)$", text, re.M).group(1)
        folder = (self.repository / self.folder_of_suites).parent
        self.run_program(*command.split(), cwd=folder,
                         env={**self.environment, "WARPMARK_CACHE_DIR": str(self.folder / "mine")})

    def install_again(self):
        """A fresh machine: nothing is installed."""
        (self.folder / "stubs/warpmark").unlink(missing_ok=True)
        (self.folder / "calls").unlink(missing_ok=True)
        (self.folder / "sent").unlink(missing_ok=True)

    def calls(self):
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def sent(self):
        path = self.folder / "sent"
        return path.read_text() if path.exists() else None

    def failures(self, path):
        """The number of tests of a JUnit file, and the names of those that failed."""
        root = ElementTree.parse(path).getroot()
        return len(list(root.iter("testcase"))), [
            "%s.%s" % (test.get("classname"), test.get("name")) for test in root.iter("testcase")
            if test.find("failure") is not None]

    def reports(self, name):
        return (self.repository / self.folder_of_suites).parent / "reports" / name


class OnGithub(Stranger):
    example = "github.yml"
    CHECK, GATE = "Check", "Compare instructions and bytes with the baseline"
    COMMENT = "Comment on the pull request"

    def job(self, name="kernels", event="pull_request", of="stranger/kernels", **settings):
        self.install_again()
        names = {"event_name": event}
        if event == "pull_request":
            names.update({"event.pull_request.number": 7,
                          "event.pull_request.head.repo.full_name": of})
        return GithubJob(self.pipeline, name, self.repository, {**self.environment, **settings},
                         names)

    def annotations(self, job, step):
        """The files and texts of a step's annotations, each of which is a file of the checkout."""
        found = re.findall(r"^::error file=([^,]*),line=(\d+),.*?::(.*)$", job.output(step), re.M)
        for file, line, _ in found:
            lines = (self.repository / file).read_text().splitlines()
            self.assertLessEqual(int(line), len(lines))
        return [(file, text) for file, _, text in found]


class Github(OnGithub):
    def test_its_keys(self):
        text = (EXAMPLES / self.example).read_text()
        # YAML 1.1 takes the word `on` for a truth.
        self.assertEqual(set(self.pipeline), {"name", True, "permissions", "concurrency", "defaults",
                                              "env", "jobs"})
        self.assertEqual(set(self.pipeline[True]), {"push", "pull_request", "workflow_dispatch"})
        self.assertEqual(self.pipeline["permissions"], {"contents": "read"})
        for job in self.pipeline["jobs"].values():
            self.assertLessEqual(set(job.get("permissions", {}).items()),
                                 {("contents", "read"), ("pull-requests", "write")})
            self.assertIn("timeout-minutes", job)
            self.assertRegex(job["runs-on"], r"^ubuntu-\d+\.\d+$")
        actions = re.findall(r"uses: (.*)", text)
        self.assertEqual(len(actions), 7)
        for action in actions:  # one commit, with the version that it is
            self.assertRegex(action, r"^actions/[a-z-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$")
        # A script never contains text that somebody else wrote.
        for job in self.pipeline["jobs"].values():
            for step in job["steps"]:
                self.assertNotIn("${{", step.get("run", ""))

    def test_what_pip_would_look_for_in_an_index_is_refused(self):
        for wheel in ("", "warpmark", "warpmark==0.1.0", WHEEL.split("#")[0]):
            self.settings["WARPMARK"] = wheel
            job = self.job()
            self.assertEqual(job.codes(), {"Install Warpmark": 1}, job.steps)
            self.assertIn("WARPMARK in this file must name a wheel with #sha256=", job.output("Install Warpmark"))
            self.assertFalse((self.folder / "installed").exists())

    def test_a_good_pull_request(self):
        job = self.job()
        self.assertEqual(job.codes(), {"Install Warpmark": 0, self.CHECK: 0, "Lint": 0, self.GATE: 0,
                                       "Summarise": 0, self.COMMENT: 0}, job.steps)
        self.assertEqual((self.folder / "installed").read_text(), WHEEL + "\n")
        self.assertEqual(self.failures(self.reports("check.xml")), (2, []))
        self.assertEqual(self.failures(self.reports("counters.xml")), (2, []))
        self.assertIn("**warpmark compare**: 2 the same", job.summary)
        self.assertEqual(self.sent(), job.summary)
        self.assertTrue(self.sent().startswith("<!-- warpmark -->\n"))
        self.assertTrue(self.calls()[-1].startswith("pr comment 7 --repo stranger/kernels "))
        self.assertEqual(job.artifacts, {"warpmark-reports": self.repository / "reports"})
        for step in (self.CHECK, self.GATE):
            self.assertEqual(self.annotations(job, step), [])
        # The folder that is kept from run to run is the one with the compiled kernels.
        cache = job.cache["path"].replace("~", str(self.folder))
        self.assertEqual(len(list((self.folder / cache / "kernels").rglob("*.*"))) > 0, True)
        self.assertTrue(job.cache["key"].startswith(job.cache["restore-keys"]))
        # The next push replaces the comment.
        self.write("comments", "41\n42\n")
        job = self.job()
        self.assertFalse(job.failed)
        self.assertEqual(self.calls()[-1].split()[:4], [
            "api", "--method", "PATCH", "repos/stranger/kernels/issues/comments/42"])
        self.assertEqual(self.sent(), job.summary)

    def test_who_gets_no_comment(self):
        for settings in ({"of": "other/kernels"}, {"event": "push"}):
            job = self.job(**settings)
            self.assertFalse(job.failed)
            self.assertNotIn(self.COMMENT, job.codes())
            self.assertEqual(self.calls(), [])
            self.assertIn("2 the same", job.summary)

    def test_a_wrong_kernel(self):
        self.write_kernel(WRONG)
        job = self.job()
        self.assertTrue(job.failed)
        self.assertEqual(job.codes(), {"Install Warpmark": 0, self.CHECK: 1, "Lint": 0, self.GATE: 1,
                                       "Summarise": 0, self.COMMENT: 0}, job.steps)
        self.assertEqual(self.failures(self.reports("check.xml")), (2, ["t.n=32", "t.n=100"]))
        files = {file for file, _ in self.annotations(job, self.CHECK)}
        self.assertEqual(files, {"suites/t.yaml"})
        self.assertIn("**lost**", job.summary)
        self.assertTrue(self.reports("failures/t.n=32").is_dir())
        self.assertIn("warpmark-reports", job.artifacts)

    def test_a_kernel_that_does_not_compile(self):
        self.write_kernel(KERNEL.replace("if (i < n)", "if (i < m)"))
        job = self.job()
        self.assertEqual(job.codes()[self.CHECK], 1)
        ((file, text),) = self.annotations(job, self.CHECK)
        self.assertEqual(file, "suites/k.cu")
        self.assertIn('identifier "m" is undefined', text)

    def test_a_regression(self):
        self.write_kernel(MORE_WORK)
        job = self.job()
        self.assertTrue(job.failed)
        self.assertEqual(job.codes(), {"Install Warpmark": 0, self.CHECK: 0, "Lint": 0, self.GATE: 1,
                                       "Summarise": 0, self.COMMENT: 0}, job.steps)
        self.assertEqual(self.failures(self.reports("counters.xml")), (2, ["t.n=32", "t.n=100"]))
        annotations = self.annotations(job, self.GATE)
        self.assertEqual([file for file, _ in annotations], ["suites/k.cu"])
        for _, text in annotations:
            self.assertIn("slower", text)
        self.assertRegex(job.summary, r"\| \*\*slower\*\* \| `t\.n=100` +\| (global_load|ptx_)\w+ ")
        self.assertRegex(job.summary, r"\| `t\.n=\d+` and 1 more \| `suites/k\.cu:3` \| \+")
        self.assertEqual(self.sent(), job.summary)
        # It is meant: the journal of the run takes the baseline's place.
        shutil.copy(self.reports("counters.jsonl"), self.repository / "warpmark.baseline")
        self.assertFalse(self.job().failed)

    def test_the_baselines_job(self):
        (self.repository / "warpmark.baseline").unlink()
        job = self.job()
        self.assertEqual(job.codes(), {"Install Warpmark": 0, self.CHECK: 0, "Lint": 0, self.GATE: 2}, job.steps)
        self.assertIn("there is no baseline warpmark.baseline", job.output(self.GATE))
        self.assertFalse(self.job("baseline").ran)
        self.assertFalse(self.job(event="workflow_dispatch").ran)
        job = self.job("baseline", event="workflow_dispatch")
        self.assertEqual(job.codes(), {"Install Warpmark": 0, "Count": 0}, job.steps)
        self.assertEqual(job.artifacts, {
            "warpmark-baseline": self.repository / "warpmark.baseline*"})
        self.assertEqual(sorted(path.name for path in self.repository.glob("warpmark.baseline*")),
                         ["warpmark.baseline", "warpmark.baseline.lines"])
        self.assertFalse(self.job().failed)

    def test_a_machine_that_lacks_something(self):
        job = self.job(WARPMARK_NVRTC="/nowhere/libnvrtc.so")
        self.assertEqual(job.codes(), {"Install Warpmark": 3}, job.steps)
        self.assertIn("hint: ", job.output("Install Warpmark"))
        self.assertIn("warpmark-reports", job.artifacts)


class GithubInASubfolder(OnGithub):
    """Steps run below the root of the checkout, as with `working-directory`."""
    folder_of_suites = "gpu/kernels/suites"

    def setUp(self):
        super().setUp()
        self.pipeline = copy.deepcopy(self.pipeline)
        self.pipeline["defaults"]["run"]["working-directory"] = "gpu/kernels"

    def job(self, *arguments, **settings):
        # hashFiles() and the paths of artifacts are those of the checkout.
        for job in self.pipeline["jobs"].values():
            for step in job["steps"]:
                step["if"] = step.get("if", "true").replace("hashFiles('", "hashFiles('**/")
        return super().job(*arguments, **settings)

    def test_files_are_named_from_the_checkout(self):
        self.write_kernel(WRONG)
        job = self.job()
        self.assertEqual(job.codes()[self.CHECK], 1)
        self.assertEqual({file for file, _ in self.annotations(job, self.CHECK)},
                         {"gpu/kernels/suites/t.yaml"})
        # People read them from where the step ran.
        self.assertIn("\n  suites/t.yaml:", job.output(self.CHECK))
        self.write_kernel(MORE_WORK)
        job = self.job()
        self.assertEqual({file for file, _ in self.annotations(job, self.GATE)},
                         {"gpu/kernels/suites/k.cu"})


class Gitlab(Stranger):
    example = "gitlab.yml"

    def job(self, name, branch=None, **variables):
        self.install_again()
        if branch is None:
            variables = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": "7",
                         "CI_COMMIT_REF_SLUG": "faster", **variables}
        else:
            variables = {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": branch,
                         "CI_COMMIT_REF_SLUG": branch, **variables}
        return GitlabJob(self.pipeline, name, self.repository, self.environment, variables)

    def test_its_keys(self):
        jobs = [name for name in self.pipeline if name not in ("variables", ".warpmark")]
        self.assertEqual(jobs, ["kernels", "lint", "counters", "baseline"])
        for name in jobs:
            job = GitlabJob.whole(self.pipeline, name)
            self.assertRegex(job["image"], r"^python:\d+\.\d+\.\d+-\w+$")
            self.assertIn("timeout", job)
            self.assertEqual(set(job["cache"]), {"key", "fallback_keys", "paths"})

    def test_what_pip_would_look_for_in_an_index_is_refused(self):
        for wheel in ("", "warpmark", "warpmark==0.1.0", WHEEL.split("#")[0]):
            self.settings["WARPMARK"] = wheel
            job = self.job("kernels")
            self.assertEqual(job.codes(), {"kernels": 1}, job.steps)
            self.assertIn("WARPMARK in this file must name a wheel with #sha256=", job.output("kernels"))
            self.assertFalse((self.folder / "installed").exists())

    def test_a_good_merge_request(self):
        job = self.job("kernels")
        self.assertEqual(job.codes(), {"kernels": 0}, job.steps)
        self.assertEqual((self.folder / "installed").read_text(), WHEEL + "\n")
        self.assertEqual(self.failures(job.reports["junit"]), (2, []))
        (cache,) = job.job["cache"]["paths"]
        self.assertTrue((self.repository / cache / "kernels").is_dir())
        job = self.job("counters", WARPMARK_TOKEN="secret")
        self.assertEqual(job.codes(), {"counters": 0, "after": 0}, job.steps)
        self.assertEqual(self.failures(job.reports["junit"]), (2, []))
        self.assertIn("2 the same", self.reports("comparison.md").read_text())
        self.assertEqual(self.calls(), [])  # no news, no note
        head, counts = (self.repository / "warpmark.baseline").read_text().split("\n\n")
        counts = {tuple(line.split()[:2]): line.split()[2] for line in counts.splitlines()[:-1]}
        lines = ['warpmark_%s{case="%s"} %s' % (name, case, counts.get((case, name), 0))
                 for case in ("t.n=32", "t.n=100")
                 for name in re.findall("^counter: (.*)$", head, re.M)]
        self.assertGreater(len(lines), 20)
        self.assertEqual(job.reports["metrics"].read_text().splitlines(), lines)

    def test_where_it_runs(self):
        for name in ("kernels", "lint", "counters", "baseline"):
            self.assertTrue(self.job(name, branch="main").ran)
            self.assertFalse(self.job(name, branch="other").ran)

    def test_a_wrong_kernel(self):
        self.write_kernel(WRONG)
        job = self.job("kernels")
        self.assertEqual(job.codes(), {"kernels": 1}, job.steps)
        self.assertEqual(self.failures(job.reports["junit"]), (2, ["t.n=32", "t.n=100"]))
        self.assertEqual(job.artifacts, {"reports": self.repository / "reports"})
        self.assertTrue(self.reports("failures/t.n=32").is_dir())
        self.assertEqual([one["location"]["path"] for one in json.loads(job.reports["codequality"].read_text())],
                         ["suites/t.yaml"] * 2)
        self.assertIn("2 problems", self.reports("check.html").read_text())
        # No runner of GitHub reads this.
        self.assertNotIn("::error", job.output("kernels"))

    def test_a_suite_that_everything_passes(self):
        file = self.repository / "suites/t.yaml"
        file.write_text(file.read_text().replace("reference: {out: f * src}", "reference: {out: 0 * src}"))
        job = self.job("lint")
        self.assertEqual(job.codes(), {"lint": 2}, job.steps)
        (issue, *_) = json.loads(job.reports["codequality"].read_text())
        self.assertEqual(issue["location"]["path"], "suites/t.yaml")
        self.assertFalse(self.job("kernels").reports["codequality"].read_text().startswith("[]"))

    def test_a_regression(self):
        self.write_kernel(MORE_WORK)
        for settings in ({}, {"WARPMARK_TOKEN": "secret"}):
            job = self.job("counters", **settings)
            self.assertEqual(job.codes(), {"counters": 1, "after": 0}, job.steps)
            self.assertEqual(self.failures(job.reports["junit"]), (2, ["t.n=32", "t.n=100"]))
            self.assertIn("| **slower** |", self.reports("comparison.md").read_text())
            self.assertIn('warpmark_global_load_bytes{case="t.n=100"} 800\n',
                          job.reports["metrics"].read_text())
        self.assertEqual(self.sent(), self.reports("comparison.md").read_text())
        (call,) = self.calls()
        self.assertIn("--header PRIVATE-TOKEN: secret ", call)
        self.assertTrue(call.endswith("https://gitlab.invalid/api/v4/projects/12/merge_requests/7/"
                                      "notes "), call)

    def test_the_baselines_job(self):
        (self.repository / "warpmark.baseline").unlink()
        job = self.job("counters")
        self.assertEqual(job.codes()["counters"], 2, job.steps)
        self.assertIn("there is no baseline warpmark.baseline", job.output("counters"))
        self.assertEqual(self.job("baseline").job["rules"][0]["when"], "manual")
        job = self.job("baseline")
        self.assertEqual(job.codes(), {"baseline": 0}, job.steps)
        self.assertEqual(job.artifacts, {
            name: self.repository / name for name in ("warpmark.baseline", "warpmark.baseline.lines")})
        self.assertTrue((self.repository / "warpmark.baseline.lines").is_file())
        self.assertFalse(self.job("counters").failed)


class Both(unittest.TestCase):
    def test_the_page_names_what_is_there(self):
        text = (EXAMPLES / "README.md").read_text()
        for link in re.findall(r"\]\(([^)]*)\)", text):
            self.assertTrue((EXAMPLES / link).is_file(), link)
        for name in ("github.yml", "gitlab.yml"):
            pipeline = yaml.safe_load((EXAMPLES / name).read_text())
            settings = pipeline.get("env") or pipeline["variables"]
            self.assertIn("--compare %s --update-baseline\n" % settings["BASELINE"], text)
            self.assertLess(len((EXAMPLES / name).read_text().splitlines()), 130)
        self.assertIn("gh run download --name warpmark-baseline ", text)

    def test_the_wheel_is_the_users_to_name(self):
        """For the Python that the pipeline has."""
        for name in ("github.yml", "github_matrix.yml", "gitlab.yml"):
            text = (EXAMPLES / name).read_text()
            self.assertIn('  WARPMARK: ""\n', text)
            tag = re.search(r"warpmark-[\d.]+-(cp3\d+)-\1-manylinux_2_31_x86_64\.whl#sha256=", text).group(1)
            pythons = re.findall(r"(?:python-version: \"|image: python:)3\.(\d+)", text)
            self.assertEqual(set(pythons), {tag[3:]}, name)


if __name__ == "__main__":
    unittest.main()

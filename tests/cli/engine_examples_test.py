# The examples that run parts by an engine: Kubernetes, GitHub's matrix, MPI, Snakemake. Their own commands run here,
# without a cluster, and make the journal of one run.
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from ci_pipeline import GithubJob
from program import PROGRAM, SOURCE, CheckTest
from ranks_test import RanksTest
from shard_test import SMALL, steady

try:
    import yaml
except ImportError:
    yaml = None

EXAMPLES = SOURCE / "examples"
SKIPPED = SMALL + "skip: {when: n == 7, reason: too long}\n"  # the whole of the last of four parts
WRONG = SMALL.replace("= 2", "= n > 5 ? 1 : 2")  # in two of five cases
# `pip install` has nothing to do: `warpmark` is on the path.
PYTHON_STUB = """#!/bin/sh
[ "$1 $2 $3" = "-m pip install" ] || exec "%s" "$@"
""" % sys.executable


class Engine(CheckTest):
    """A folder with suites, as of the volume that all parts see, and `warpmark` on the path."""
    def setUp(self):
        super().setUp()
        self.write("suites/small.yaml", SMALL)
        self.write("stubs/python", PYTHON_STUB).chmod(0o755)
        (self.folder / "stubs/warpmark").symlink_to(PROGRAM)
        self.environment["PATH"] = "%s/stubs:%s" % (self.folder, os.environ["PATH"])

    def needs_yaml(self):
        if yaml is None:
            self.skipTest("no module yaml, which reads the examples")

    def run_words(self, words, code=0, **environment):
        done = subprocess.run(words, cwd=self.folder, env={**self.environment, **environment}, timeout=300,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, "%s\n%s" % (words, done.stdout))
        return done.stdout

    def assert_as_one_run(self, merged="run.jsonl", code=0):
        self.check("suites", "-q", "--journal", "whole.jsonl", code=code)
        command = re.compile(r'"command":"[^"]+"')
        texts = [command.sub("", steady((self.folder / name).read_text())) for name in (merged, "whole.jsonl")]
        self.assertEqual(*texts)
        self.assertEqual(self.journal(merged)[-1]["exit_code"], code)


class Kubernetes(Engine):
    def setUp(self):
        super().setUp()
        self.needs_yaml()
        text = (EXAMPLES / "kubernetes/check_job.yaml").read_text()
        self.job, self.merge = yaml.safe_load_all(text)

    def container(self, job):
        (container,) = job["spec"]["template"]["spec"]["containers"]
        return container

    def run_pod(self, job, index=None, code=0):
        """Runs the container as the kubelet does, but the volume is the test's folder."""
        container = self.container(job)
        variables = {} if index is None else {"JOB_COMPLETION_INDEX": str(index)}
        return self.run_words(container["command"] + container["args"], code, **variables)

    def test_its_keys(self):
        readme = (EXAMPLES / "kubernetes/README.md").read_text()
        for job in (self.job, self.merge):
            self.assertEqual((job["apiVersion"], job["kind"]), ("batch/v1", "Job"))
            pod, container = job["spec"]["template"]["spec"], self.container(job)
            # backoffLimitPerIndex and podFailurePolicy require this restart policy.
            self.assertEqual(pod["restartPolicy"], "Never")
            self.assertEqual(container["image"], self.container(self.job)["image"])
            (mount,), (volume,) = container["volumeMounts"], pod["volumes"]
            self.assertEqual((mount["name"], mount["mountPath"]), (volume["name"], container["workingDir"]))
            self.assertIn("`%s`" % volume["persistentVolumeClaim"]["claimName"], readme)
            self.assertIn("job/%s\n" % job["metadata"]["name"], readme)
        spec = self.job["spec"]
        self.assertEqual(spec["completionMode"], "Indexed")
        self.assertIn("--shard auto/%d " % spec["completions"], self.container(self.job)["args"][0])
        self.assertGreater(spec["backoffLimitPerIndex"], 0)
        self.assertIs(self.merge["spec"]["suspend"], True)
        (patch,) = re.findall(r"kubectl patch job (\S+) --type=merge -p '(.*)'", readme)
        self.assertEqual(patch[0], self.merge["metadata"]["name"])
        self.assertEqual(json.loads(patch[1]), {"spec": {"suspend": False}})

    def test_the_parts_are_one_run(self):
        for index in range(self.job["spec"]["completions"]):
            self.run_pod(self.job, index)
        self.assertIn('"passed":5,', self.run_pod(self.merge))
        self.assert_as_one_run()

    def test_failed_cases(self):
        self.write("suites/small.yaml", WRONG)
        for index in range(self.job["spec"]["completions"]):
            self.run_pod(self.job, index)
        self.assertIn('"failed":2,', self.run_pod(self.merge, code=1))
        self.assert_as_one_run(code=1)

    def test_a_part_of_skips_only(self):
        self.write("suites/small.yaml", SKIPPED)
        for index in range(self.job["spec"]["completions"]):
            self.run_pod(self.job, index)
        self.assertIn('"skipped":1,', self.run_pod(self.merge))
        self.assert_as_one_run()

    def test_a_part_that_cannot_run(self):
        for index in (0, 2, 3):
            self.run_pod(self.job, index)
        self.write("suites/small.yaml", "no suite")
        self.run_pod(self.job, 1, code=2)
        rules = [rule for rule in self.job["spec"]["podFailurePolicy"]["rules"] if rule["action"] == "FailIndex"]
        self.assertEqual(rules[0]["onExitCodes"]["values"], [2])
        self.assertIn("missing: 2", self.run_pod(self.merge, code=2))
        self.assertFalse((self.folder / "run.jsonl").exists())


class GithubMatrix(Engine):
    def setUp(self):
        super().setUp()
        self.needs_yaml()
        self.text = (EXAMPLES / "ci/github_matrix.yml").read_text()
        self.workflow = yaml.safe_load(self.text)
        self.workflow["env"]["WARPMARK"] = "file:///wheels/warpmark-0.1.0-cp312-cp312-any.whl#sha256=0"
        self.part = self.workflow["jobs"]["part"]
        (self.folder / "store").mkdir()

    def run_job(self, name, more=None):
        """On a fresh machine, which has the checkout if the job makes one."""
        folder = self.folder / "machine" / "checkout"
        shutil.rmtree(folder.parent, ignore_errors=True)
        folder.mkdir(parents=True)
        steps = self.workflow["jobs"][name]["steps"]
        if any(step.get("uses", "").startswith("actions/checkout@") for step in steps):
            shutil.copytree(self.folder / "suites", folder / "suites")
        return GithubJob(self.workflow, name, folder, self.environment, {"event_name": "push"}, more,
                         self.folder / "store")

    def run_parts(self):
        shards = self.part["strategy"]["matrix"]["shard"]
        return [self.run_job("part", {"matrix.shard": shard, "strategy.job-total": len(shards)}) for shard in shards]

    def test_its_keys(self):
        self.assertEqual(self.part["strategy"]["matrix"]["shard"], [1, 2, 3, 4])
        self.assertIs(self.part["strategy"]["fail-fast"], False)
        self.assertEqual(self.workflow["jobs"]["merge"]["needs"], "part")
        self.assertEqual(self.workflow["permissions"], {"contents": "read"})
        for action in re.findall(r"uses: (.*)", self.text):  # one commit, with the version that it is
            self.assertRegex(action, r"^actions/[a-z-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$")
        # The same versions of actions and of Warpmark as in the other workflow.
        other = (EXAMPLES / "ci/github.yml").read_text()
        for action in set(re.findall(r"actions/\S+", self.text)):
            self.assertTrue(action in other or action.startswith("actions/download-artifact@"), action)
        self.assertEqual(*(re.findall("(?m)^  WARPMARK: .*$", text) for text in (self.text, other)))
        for job in self.workflow["jobs"].values():
            for step in job["steps"]:
                self.assertNotIn("${{", step.get("run", ""))

    def test_the_parts_are_one_run(self):
        for job in self.run_parts():
            self.assertEqual(job.codes(), {"Install Warpmark": 0, "Check": 0}, job.steps)
        job = self.run_job("merge")
        self.assertEqual(job.codes(), {"Install Warpmark": 0, "Merge": 0}, job.steps)
        self.assertIn('"passed":5,', job.summary)
        reports = self.folder / "store/warpmark-reports"
        self.assertEqual((reports / "run.xml").read_text().count("<testcase "), 5)
        self.assert_as_one_run(reports / "run.jsonl")

    def test_failed_cases(self):
        self.write("suites/small.yaml", WRONG)
        # Cases are dealt out in turn: n is 1 and 9 in the first part, 7 in the last.
        self.assertEqual([job.codes()["Check"] for job in self.run_parts()], [1, 0, 0, 1])
        job = self.run_job("merge")
        self.assertEqual(job.codes()["Merge"], 1)
        self.assertIn('"failed":2,', job.summary)
        self.assert_as_one_run(self.folder / "store/warpmark-reports/run.jsonl", code=1)

    def test_a_part_of_skips_only(self):
        self.write("suites/small.yaml", SKIPPED)
        for job in self.run_parts():
            self.assertFalse(job.failed, job.steps)
        self.assertIn('"skipped":1,', self.run_job("merge").summary)
        self.assert_as_one_run(self.folder / "store/warpmark-reports/run.jsonl")

    def test_a_part_that_is_missing(self):
        self.run_parts()
        shutil.rmtree(self.folder / "store/warpmark-part-3")
        job = self.run_job("merge")
        self.assertEqual(job.codes()["Merge"], 2)
        self.assertIn("missing: 3", job.output("Merge"))


class Mpi(Engine, RanksTest):
    def run_script(self, code=0):
        return self.run_words(["bash", EXAMPLES / "mpi/check.sh", "--oversubscribe"], code)

    def test_the_parts_are_one_run(self):
        self.assertIn('"passed":5,', self.run_script())
        self.assert_as_one_run()

    def test_failed_cases(self):
        self.write("suites/small.yaml", WRONG)
        self.assertIn('"failed":2,', self.run_script(code=1))
        self.assert_as_one_run(code=1)

    def test_a_part_of_skips_only(self):
        self.write("suites/small.yaml", SKIPPED)
        self.assertIn('"skipped":1,', self.run_script())
        self.assert_as_one_run()

    def test_the_two_commands(self):
        """Runs the two commands of README.md."""
        text = (EXAMPLES / "mpi/README.md").read_text()
        for line in re.findall(r"^    ((?:mpirun|warpmark) .*)$", text, re.M):
            self.run_words(shlex.split(line.replace("--host a:2,b:2", "--oversubscribe")))
        self.assert_as_one_run()


class Snakemake(Engine):
    def setUp(self):
        super().setUp()
        if shutil.which("snakemake") is None:
            self.skipTest("Snakemake is not installed")
        shutil.copy(EXAMPLES / "snakemake/Snakefile", self.folder)
        text = (EXAMPLES / "snakemake/README.md").read_text()
        self.commands = [shlex.split(line, comments=True) for line in re.findall(r"^    (snakemake .*)$", text, re.M)]

    def test_the_parts_are_one_run(self):
        self.run_words(self.commands[0])
        self.assert_as_one_run()
        # An existing result is not made again, and one whose suite changed is.
        before = (self.folder / "run.jsonl").read_bytes()
        self.run_words(self.commands[0])
        self.assertEqual((self.folder / "run.jsonl").read_bytes(), before)
        self.write("suites/small.yaml", WRONG)
        self.assertIn('"failed":2,', self.run_words(self.commands[0], code=1))
        self.assert_as_one_run(code=1)

    def test_a_part_of_skips_only(self):
        self.write("suites/small.yaml", SKIPPED)
        self.assertIn('"skipped":1,', self.run_words(self.commands[0]))
        self.assert_as_one_run()

    def test_other_suites(self):
        (self.folder / "suites").rename(self.folder / "kernels")
        self.run_words([word.replace("shards=8", "shards=5") for word in self.commands[1]])
        (self.folder / "kernels").rename(self.folder / "suites")
        self.assertEqual(len(list((self.folder / "parts").glob("*.jsonl"))), 5)

    def test_a_sweep(self):
        self.run_words([word.replace("gpu:0 gpu:1", "cpu cpu:0") for word in self.commands[2]])
        names = {path.name for path in (self.folder / "sweep").iterdir()}
        self.assertEqual(names, {"cpu.jsonl", "cpu.log", "cpu0.jsonl", "cpu0.log", "cpu0.md", "report.html"})
        self.assertIn("5 the same", (self.folder / "sweep/cpu0.md").read_text())


if __name__ == "__main__":
    unittest.main()

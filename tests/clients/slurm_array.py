"""examples/slurm on a cluster of one node, which lies in a temporary folder and ends with the test.

    slurm_array.py PROGRAM ROOT

Slurm's own programs must be installed (Debian: slurmctld, slurmd, slurm-client). No munge: nobody else takes part.
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
EXAMPLES = ROOT / "examples/slurm"
COURSE = ROOT / "courses/first/doublify"
LIMIT_S = 240
SUITE = """warpmark: 1
kernel: {source: 'extern "C" __global__ void fill(int *a) { a[threadIdx.x] = threadIdx.x; }', entry: fill}
axes: {n: [32, 64]}
arguments: {a: {out: n}}
launch: {block: n}
reference: {a: np.arange(n)}
"""
SKIP = 77

# Nothing is confined, so that the test needs no cgroup: it asks how jobs depend on each other.
CONFIGURATION = """ClusterName=warpmark
SlurmctldHost=localhost
SlurmctldPort={controller}
SlurmdPort={daemon}
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=1
ReturnToService=2
GresTypes=gpu
NodeName={node} NodeAddr=localhost CPUs={cpus} RealMemory=1000 Gres=gpu:one:1,gpu:two:1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("localhost", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def tool(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


class Cluster:
    """slurmctld and slurmd, started in the foreground, so that they end with this process's kill."""

    def __init__(self, folder):
        self.folder = folder
        ports = free_ports(2)
        (folder / "state").mkdir()
        (folder / "spool").mkdir()
        configuration = folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(
            folder=folder, controller=ports[0], daemon=ports[1], node=socket.gethostname().split(".")[0],
            user=os.environ.get("USER", "root") if os.geteuid() else "root", cpus=os.cpu_count()))
        (folder / "gres.conf").write_text("Name=gpu Type=one File=/dev/null\nName=gpu Type=two File=/dev/zero\n")
        self.environment = {**os.environ, "SLURM_CONF": str(configuration),
                            "PATH": "%s:%s" % (PROGRAM.parent, os.environ["PATH"])}
        for name in [name for name in self.environment if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF"]:
            del self.environment[name]
        self.daemons = [subprocess.Popen([tool(name), "-D", "-f", str(configuration)], env=self.environment,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL) for name in ("slurmctld", "slurmd")]

    def run(self, *words, cwd=None, **environment):
        done = subprocess.run([str(word) for word in words], cwd=cwd, env={**self.environment, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise AssertionError("%s: %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))
        return done.stdout

    def wait_until_up(self):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            done = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.environment, capture_output=True, text=True,
                                  timeout=60, check=False)
            if done.stdout.strip() == "idle":
                return
            time.sleep(0.2)
        raise AssertionError("no node is up\n" + self.logs())

    def wait_for_jobs(self):
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            if not self.run("squeue", "-h", "-o", "%i %T %r").strip():
                return
            time.sleep(0.5)
        raise AssertionError("jobs do not end:\n%s%s" % (self.run("squeue"), self.logs()))

    def logs(self):
        return "".join("%s\n%s\n" % (name, "\n".join(log.read_text().splitlines()[-15:]))
                       for name in ("slurmctld.log", "slurmd.log") if (log := self.folder / name).exists())

    def end(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in ("seconds", "date")}
    return [without_times(one) for one in value] if isinstance(value, list) else value


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="warpmark-slurm-")
        cls.addClassCleanup(cls.temporary.cleanup)
        folder = pathlib.Path(cls.temporary.name)
        (folder / "cluster").mkdir()
        cls.cluster = Cluster(folder / "cluster")
        cls.addClassCleanup(cls.cluster.end)
        cls.cluster.wait_until_up()

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.temporary.name))

    def texts(self, pattern):
        return "".join("%s\n%s\n" % (log.name, log.read_text()) for log in sorted(self.folder.glob(pattern)))

    def results(self, name):
        return {path.parent.name: without_times(json.loads(path.read_text()))
                for path in sorted((self.folder / name).glob("staff/*/result.json"))}

    def test_a_class_of_12(self):
        (self.folder / "submissions").mkdir()
        sources = sorted(COURSE.glob("**/*.cu"))
        for number in range(12):
            (self.folder / ("submissions/student%02d.cu" % number)).write_text(sources[number % len(sources)].read_text())
        (self.folder / "secret").write_text("a secret of this test alone\n")
        (self.folder / "secret").chmod(0o600)
        words = {"ASSIGNMENT": str(COURSE / "assignment.yaml"), "SHARDS": "3"}
        # A small machine may have less than the script asks sbatch for.
        said = self.cluster.run("bash", EXAMPLES / "grade_class.sbatch", "--cpus-per-task=1", "--mem=100M",
                                cwd=self.folder, **words)
        self.assertRegex(said, r"^Submitted batch job \d+\n$")
        self.cluster.wait_for_jobs()
        logs = self.texts("grade*.log")
        self.assertIn("grades: the grades of 3 shards", logs)
        self.assertEqual(sorted(path.name for path in (self.folder / "grades.parts").iterdir()), ["1", "2", "3"])
        self.cluster.run(PROGRAM, "grade", COURSE / "assignment.yaml", "submissions", "-o", "whole", "--secret", "secret",
                         "--device", "cpu", "-q", cwd=self.folder)
        self.assertEqual(len(self.results("grades")), 12)
        self.assertEqual(self.results("grades"), self.results("whole"))

    def test_a_part_that_fails_is_not_merged(self):
        (self.folder / "submissions").mkdir()
        for name in ("ada", "bob"):
            (self.folder / ("submissions/%s.cu" % name)).write_text("")
        self.cluster.run("bash", EXAMPLES / "grade_class.sbatch", "--cpus-per-task=1", "--mem=100M", cwd=self.folder, SHARDS="2", ASSIGNMENT=str(COURSE / "assignment.yaml"))
        self.cluster.wait_for_jobs()
        self.assertIn("secret", self.texts("grade-0.log"))
        self.assertFalse((self.folder / "grades").exists())
        self.assertFalse((self.folder / "grade-merge.log").exists())

    def test_a_sweep(self):
        (self.folder / "suites").mkdir()
        (self.folder / "suites/fill.yaml").write_text(SUITE)
        said = self.cluster.run("bash", EXAMPLES / "sweep.sbatch", "--cpus-per-task=1", "--mem=100M", cwd=self.folder,
                                MODELS="one two", DEVICE="cpu")
        self.assertRegex(said, r"^Submitted batch job \d+\n$")
        self.cluster.wait_for_jobs()
        results = self.folder / "sweep"
        self.assertTrue((results / "report.html").exists(), self.texts("sweep/*.log"))
        self.assertEqual(sorted(path.name for path in results.glob("*.jsonl")), ["one.jsonl", "two.jsonl"])
        self.assertIn("fill.n=32", (results / "one-two.md").read_text())


if __name__ == "__main__":
    MISSING = [name for name in ("slurmctld", "slurmd", "sbatch", "squeue", "sinfo") if tool(name) is None]
    if MISSING:
        print("skipped: Slurm is not installed: no " + ", ".join(MISSING))
        sys.exit(SKIP)
    unittest.main()

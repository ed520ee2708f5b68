# `warpmark export`: databases of real runs, of journals in tests/results and of hostile ones.
import hashlib
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import unittest

from program import PROGRAM, PYTHON, SOURCE, CheckTest, ProgramTest

RESULTS = SOURCE / "tests/results"
REFERENCE = SOURCE / "docs/reference/database-tables.md"
EXAMPLES = re.search(r"^## Queries over results\n(.*?)^## ", (SOURCE / "docs/commands.md").read_text(),
                     re.M | re.S).group(1)

RUN = {"type": "run", "record": 1, "warpmark": "0.1.0", "date": "2026-11-20T09:30:00Z",
       "command": "warpmark bench", "seed": 2**64 - 1, "cases": 9, "deselected": 2, "trials": 3,
       "shard": {"index": 1, "count": 4, "cases": 36, "division": "0", "command": "warpmark"},
       "device": {"kind": "gpu", "name": "NVIDIA H200", "uuid": "GPU-1", "architecture": 90,
                  "driver_version": 13000, "nvrtc_version": "13.0", "attributes": []},
       "bench": {"host": {"system": "Linux", "processor": "Xeon", "processors": 16,
                          "memory_bytes": 2**37},
                 "git": {"commit": "1a2b", "dirty": True},
                 "ceilings": {"copy_bytes_per_s": 4.2e12, "read_bytes_per_s": 4.4e12,
                              "array_bytes": 1024, "launch_s": 1e-6, "float64_flops_per_s": 1e12,
                              "float32_flops_per_s": 2e12, "float16_flops_per_s": 4e12},
                 "cuda_version": 13000}}
SERIES = {"mode": "cold", "batch": 2, "stop": "budget", "latency_hidden": True, "late": 1, "count": 3,
          "median_s": 2e-6, "low_s": 1e-6, "high_s": 3e-6, "confidence": 0.95, "q1_s": 1.5e-6,
          "q3_s": 2.5e-6, "min_s": 0.5e-6, "max_s": 4e-6, "bytes_per_s": 1e9, "flops_per_s": 2e9,
          "copy_share": 0.5, "read_share": 0.25, "peak_share": 0.125, "moved_bytes": 4096,
          "processes": [{"count": 3, "median_s": 2e-6, "overhead_s": 1e-7, "clock_mhz": 1980.5,
                         "clock_change": 0.01}],
          "samples_s": [1e-6, 2e-6, 4e-6]}
CASE = {"type": "case", "suite": "deep/t", "case": "deep/t.n=16,d=~0.5,kind=bc,flag=True,old=007",
        "verdict": "failed", "failure": "wrong", "reason": "why", "message": "one\ntwo",
        "where": {"file": "t.yaml", "line": 5, "column": 7},
        "outputs": [{"name": "out", "dtype": "float32", "shape": [2, 3], "elements": 6, "wrong": 3,
                     "unwritten": 2, "doubtful": 1, "sufficient_tolerance": "{ulp: 2}",
                     "tolerance": "rtol 1e-06 from float64",
                     "first": {"kind": "value", "index": 4, "position": [1, 1], "actual": "7",
                               "expected": "8", "error": "1", "bound": "0"}, "worst": None}],
        "findings": [{"kind": "race", "severity": "warning", "kernel": "k", "argument": "a",
                      "file": "k.cu", "line": 3, "message": "a race", "thread": [0, 0, 0]}],
        "notices": ["a notice"], "compiled_from_cache": True, "seconds": 1.5, "trial": 2,
        "reproduce": "warpmark check",
        "counters": [{"launch": 7, "kernel": "k", "step": "step 1, k", "step_name": "k", "barriers": 5}],
        "measurement": {"point": [{"name": "n", "value": 16}, {"name": "kind", "value": "b c"}],
                        "sources": "5f", "against": "the baseline",
                        "not_held": "it was not timed", "budget_s": 5, "precision": 0.005, "restore": "batch",
                        "bytes": 128, "flops": 64, "peak_flops_per_s": 1e12, "series": [SERIES],
                        "kernels": [{"entry": "k", "grid": [4, 5, 6], "block": [1, 2, 3],
                                     "registers": 32, "shared_bytes": 48, "local_bytes": 8,
                                     "active_blocks": 2, "occupancy": 0.75}],
                        "counters": [{"name": "launches", "value": 1}], "before": {}, "after": {},
                        "seconds": 0.5}}
END = {"type": "end", "passed": 1, "failed": 2, "skipped": 3, "interrupted": 4, "not_run": 5,
       "seconds": 9.5, "exit_code": 1, "error": "no room"}


def sources(language):
    return re.findall(r"^```%s\n(.*?)^```$" % language, EXAMPLES, re.M | re.S)


class Databases:
    """Queries the database that a test has exported."""

    def ask(self, query, file="out.sqlite"):
        connection = sqlite3.connect(self.folder / file)
        self.addCleanup(connection.close)
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(query)]

    def column(self, query, file="out.sqlite"):
        return [next(iter(row.values())) for row in self.ask(query, file)]

    def export(self, *arguments, out="out.sqlite"):
        printed, errors = self.run_program("export", *arguments, "-o", out)
        self.assertEqual(errors, "")
        self.assertEqual(self.column("PRAGMA foreign_key_check", out), [])
        self.assertEqual(self.column("PRAGMA integrity_check", out), ["ok"])
        return printed

    def write_journal(self, path, *records):
        self.write(path, "".join(json.dumps(record) + "\n" for record in records))


class OfJournals(Databases, ProgramTest):
    def setUp(self):
        super().setUp()
        self.write_journal("one.jsonl", RUN, CASE, END)

    def digest(self, file="out.sqlite"):
        return hashlib.sha256((self.folder / file).read_bytes()).hexdigest()

    def drafts(self, name="out.sqlite"):
        return [path.name for path in self.folder.glob(name + ".*")]

    def assert_rows(self, table, *rows):
        self.assertEqual(self.ask("SELECT * FROM " + table), list(rows))

    def test_every_member_has_its_column(self):
        self.assertEqual(self.export("one.jsonl", "--samples"), "out.sqlite: 1 run with 1 result\n")
        device, bench = RUN["device"], RUN["bench"]
        ceilings = {name: value for name, value in bench["ceilings"].items() if name != "array_bytes"}
        self.assert_rows("run", {
            "id": 1, "file": "one.jsonl", "number": 1, "verb": "bench", "shard_index": 1,
            "shard_count": 4, "seed": "18446744073709551615",
            **{name: RUN[name] for name in ("date", "warpmark", "command", "cases", "deselected",
                                            "trials")},
            **{"device_" + name: device[name] for name in ("kind", "name", "uuid")},
            **{name: device[name] for name in ("architecture", "driver_version", "nvrtc_version")},
            **{"host_" + name: value for name, value in bench["host"].items()},
            "git_commit": "1a2b", "git_dirty": 1, **ceilings,
            **{name: value for name, value in END.items() if name != "type"}})
        measured = CASE["measurement"]
        self.assert_rows("result", {
            "id": 1, "run_id": 1, "number": 1, "suite": "deep/t", "case_id": CASE["case"],
            **{name: CASE[name] for name in ("verdict", "failure", "reason", "message", "seconds",
                                             "trial", "reproduce")},
            **{"where_" + name: value for name, value in CASE["where"].items()},
            "compiled_from_cache": 1, "sampling_s": 0.5,
            **{name: measured[name] for name in ("sources", "restore", "budget_s", "precision", "bytes",
                                                 "flops", "peak_flops_per_s", "against", "not_held")}})
        self.assert_rows("series", {
            "id": 1, "result_id": 1, **{name: value for name, value in SERIES.items()
                                        if name not in ("processes", "samples_s")},
            "latency_hidden": 1})
        self.assert_rows("process", {"series_id": 1, "number": 1, **SERIES["processes"][0]})
        self.assert_rows("sample", *({"series_id": 1, "number": number, "seconds": seconds}
                                     for number, seconds in enumerate(SERIES["samples_s"], 1)))
        kernel = dict(measured["kernels"][0])
        for name in ("grid", "block"):
            kernel.update({name + "_" + axis: size for axis, size in zip("xyz", kernel.pop(name))})
        self.assert_rows("kernel", {"result_id": 1, "number": 1, **kernel})
        self.assert_rows("counter", *({"result_id": 1, "launch": launch, "kernel": kernel, "step": step,
                                       "name": name, "value": value}
                                      for launch, kernel, step, name, value in (
                                          (None, None, None, "launches", 1),
                                          (1, "k", "step 1, k", "barriers", 5))))
        output = {name: value for name, value in CASE["outputs"][0].items()
                  if name not in ("first", "worst")}
        first = {"first_" + name: value for name, value in CASE["outputs"][0]["first"].items()
                 if name != "position"}
        self.assert_rows("output", {"result_id": 1, "number": 1, **output, "shape": "[2,3]", **first})
        finding = {name: value for name, value in CASE["findings"][0].items() if name != "thread"}
        record = self.column("SELECT record FROM finding")[0]
        self.assertEqual(json.loads(record), CASE["findings"][0])
        self.assert_rows("finding", {"result_id": 1, "number": 1, **finding, "record": record})
        self.assert_rows("notice", {"result_id": 1, "number": 1, "text": "a notice"})

    def test_axes_are_texts_and_numbers(self):
        self.export("one.jsonl")
        axes = self.ask("SELECT position, name, label, text, number FROM axis")
        self.assertEqual([tuple(axis.values()) for axis in axes], [
            (1, "n", "16", "16", 16.0), (2, "d", "~0.5", "-0.5", -0.5), (3, "kind", "bc", "b c", None),
            (4, "flag", "True", "True", 1.0), (5, "old", "007", "007", None)])

    def test_no_samples_unless_they_are_asked_for(self):
        self.export("one.jsonl")
        self.assert_rows("sample")
        self.assertEqual(self.column("SELECT count FROM series"), [3])

    def test_what_a_journal_does_not_say_is_null(self):
        run = {name: RUN[name] for name in ("type", "record", "warpmark", "date", "command", "cases")}
        case = {name: CASE[name] for name in ("type", "suite", "case", "verdict", "failure")}
        self.write_journal("least.jsonl", dict(run, device={"name": "", "architecture": 0}),
                           dict(case, reason="", where=None, outputs=[], measurement=None))
        self.assertEqual(self.export("least.jsonl"),
                         "out.sqlite: 1 run with 1 result; 1 has not come to its end\n")
        given = {"id", "file", "number", "verb", "run_id", "case_id", *run, *case}
        for table in ("run", "result"):
            for name, value in self.ask("SELECT * FROM " + table)[0].items():
                self.assertEqual(value is None, name not in given, (table, name, value))

    def test_runs_that_were_killed_and_several_of_a_file(self):
        self.write_journal("many.jsonl", RUN, CASE, RUN, CASE, END, RUN)
        (self.folder / "many.jsonl").open("a").write('{"type": "case", "su')
        self.assertEqual(self.export("many.jsonl", "one.jsonl"),
                         "out.sqlite: 4 runs with 3 results; 2 have not come to their end\n")
        runs = self.ask("SELECT id, file, number, exit_code FROM run")
        self.assertEqual([tuple(run.values()) for run in runs], [
            (1, "many.jsonl", 1, None), (2, "many.jsonl", 2, 1), (3, "many.jsonl", 3, None),
            (4, "one.jsonl", 1, 1)])
        self.assertEqual(self.column("SELECT run_id FROM result"), [1, 2, 4])

    def test_a_folder_and_files_that_are_named_twice(self):
        self.write_journal("runs/b.jsonl", RUN, END)
        self.write_journal("runs/a.jsonl", RUN, CASE, END)
        self.write("runs/.hidden.jsonl", "no journal")
        self.export("runs")
        self.assertEqual(self.column("SELECT file FROM run"), ["runs/a.jsonl", "runs/b.jsonl"])
        before = self.digest()
        self.export("runs", "runs/../runs/b.jsonl", self.folder / "runs")
        self.assertEqual(self.digest(), before)

    def test_the_views(self):
        for day, factor in (("20", 1), ("22", 3), ("21", 2)):
            case = json.loads(json.dumps(CASE))
            case["measurement"]["series"][0]["median_s"] = factor * 1e-6
            self.write_journal("runs/%s.jsonl" % day, dict(RUN, date="2026-11-%sT00:00:00Z" % day), case)
        other = dict(RUN, device=dict(RUN["device"], name="another"))
        self.write_journal("runs/other.jsonl", other, CASE)
        self.export("runs")
        latest = self.ask("SELECT device_name, median_s, date FROM latest ORDER BY device_name")
        self.assertEqual([tuple(row.values()) for row in latest],
                         [("NVIDIA H200", 3e-6, "2026-11-22T00:00:00Z"), ("another", 2e-6, RUN["date"])])
        self.assertEqual(self.column("SELECT age FROM history WHERE device_name = 'NVIDIA H200' "
                                     "ORDER BY date"), [3, 2, 1])
        self.assertEqual(self.ask("SELECT * FROM failed")[0]["reason"], "why")
        self.assertEqual(self.column("SELECT COUNT(*) FROM failed"), [4])

    def test_the_tables_are_those_of_the_documentation(self):
        self.export("one.jsonl")
        documented = sqlite3.connect(":memory:")
        self.addCleanup(documented.close)
        documented.executescript(re.search(r"^```sql\n(.*?)^```$", REFERENCE.read_text(),
                                           re.M | re.S).group(1))
        for query in ("SELECT type, name, sql FROM sqlite_master", "PRAGMA user_version",
                      "PRAGMA application_id"):
            self.assertEqual([tuple(row.values()) for row in self.ask(query)],
                             documented.execute(query).fetchall())

    def test_the_examples_of_the_documentation(self):
        shutil.copytree(RESULTS, self.folder / "journals")
        (self.folder / "journals/cpu_baseline.jsonl").unlink()  # it is no journal
        export, tool = sources("bash")[0].splitlines()
        self.assertEqual(export.split()[:2], ["warpmark", "export"])
        self.run_program(*export.split()[1:])
        _, *options, query = shlex.split(tool)
        queries = [query, *sources("sql")]
        self.assertEqual(len(queries), 4)
        for query in queries:
            self.assertGreater(len(self.ask(query, "results.sqlite")), 1, query)
        script, = sources("python")
        done = subprocess.run([PYTHON, "-c", script], cwd=self.folder, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^doublify\.n=4 \d+$")
        if shutil.which("sqlite3") is not None:
            done = subprocess.run(["sqlite3", *options, queries[0]], cwd=self.folder,
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertRegex(done.stdout, r"^case_id +mode +us +\n")

    def test_equal_journals_make_equal_bytes(self):
        self.export("one.jsonl", "--samples")
        before = self.digest()
        self.export("one.jsonl", "--samples")
        self.export("one.jsonl", "--samples", out="other.sqlite")
        self.assertEqual([self.digest(), self.digest("other.sqlite")], [before, before])

    def test_only_own_databases_are_replaced(self):
        self.export("one.jsonl")
        self.write_journal("two.jsonl", RUN, RUN, END)
        self.export("two.jsonl")
        self.assertEqual(self.column("SELECT COUNT(*) FROM run"), [2])
        self.write("empty.sqlite", "")
        self.export("two.jsonl", out="empty.sqlite")
        newer = sqlite3.connect(self.folder / "newer.sqlite")
        newer.executescript("PRAGMA application_id = 1466985835; PRAGMA user_version = 2; "
                            "CREATE TABLE run (id INTEGER)")
        newer.close()
        foreign = sqlite3.connect(self.folder / "foreign.sqlite")
        foreign.execute("CREATE TABLE run (id INTEGER)")
        foreign.close()
        self.write("text.sqlite", "SQLite format 3")
        for name in ("newer", "foreign", "text"):
            name += ".sqlite"
            before = self.digest(name)
            self.assertIn("-o would replace %s, which is no database of this version's" % name,
                          self.refused("export", "one.jsonl", "-o", name))
            self.assertEqual((self.digest(name), self.drafts(name)), (before, []))

    def test_a_database_that_others_write_stays(self):
        self.export("one.jsonl")
        writer = sqlite3.connect(self.folder / "out.sqlite", isolation_level=None)
        self.addCleanup(writer.close)
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("UPDATE run SET error = 'mine'")
        errors = self.refused("export", "one.jsonl", "-o", "out.sqlite")
        self.assertIn("another program has not finished with out.sqlite", errors)
        self.assertIn("there is out.sqlite-wal", errors)
        writer.close()
        self.assertEqual(self.column("SELECT error FROM run"), ["mine"])

    def test_mistakes(self):
        (self.folder / "empty").mkdir()
        self.write("text.txt", "no journal\n")
        os.mkfifo(self.folder / "pipe")
        for arguments, message in (
                ((), "RESULT is required"),
                (("one.jsonl",), "--output is required"),
                (("nothing.jsonl", "-o", "x"), "cannot read nothing.jsonl"),
                (("text.txt", "-o", "x"), "text.txt:1: error: this line of the journal is not JSON"),
                ((RESULTS / "cpu_baseline.jsonl", "-o", "x"), "this is a baseline of counters"),
                (("empty", "-o", "x"), "the folder empty has no journal"),
                (("one.jsonl", "-o", "one.jsonl"), "-o would replace one.jsonl, which this command reads"),
                (("one.jsonl", "-o", "empty"), "-o: empty is a folder"),
                (("one.jsonl", "-o", "pipe"), "pipe is no regular file"),
                (("one.jsonl", "-o", "/dev/null"), "/dev/null is no regular file")):
            with self.subTest(arguments):
                errors = self.refused("export", *arguments)
                self.assertIn(message, errors)
                self.assertEqual((self.drafts("x"), (self.folder / "x").exists()), ([], False))
        self.assertIn("cannot write text.txt/x: Not a directory",
                      self.refused("export", "one.jsonl", "-o", "text.txt/x", code=3))
        self.export("one.jsonl", out="new/folder/x")

    def test_wrong_records_are_named_by_their_line(self):
        for case, message in (
                (dict(CASE, verdict=None), "`verdict` must be a text, not null"),
                (dict(CASE, seconds="long"), "`seconds` must be a number, not a text"),
                (dict(CASE, trial=2**64), "`trial` must be an integer"),
                (dict(CASE, measurement={}), "the record has no `measurement/series`"),
                (dict(CASE, counters=[{"barriers": 2**63}]), "`counters/0/barriers` must be an integer"),
                (dict(CASE, outputs=[7]), "`outputs/0` must be an object"),
                ({name: CASE[name] for name in CASE if name != "suite"}, "the record has no `suite`")):
            self.write_journal("wrong.jsonl", RUN, CASE, case, END)
            self.assertIn("wrong.jsonl:3: error: " + message,
                          self.refused("export", "wrong.jsonl", "-o", "x"))
        self.write_journal("wrong.jsonl", RUN, END, dict(RUN, cases="some"), END)
        self.assertIn("wrong.jsonl:3: error: `cases`", self.refused("export", "wrong.jsonl", "-o", "x"))
        self.assertEqual(self.drafts("x"), [])

    def test_hostile_texts(self):
        evil = "a\0b\x1b[31m\u202e'); DROP TABLE run; -- \uffff\U0001f600"
        self.write_journal("evil.jsonl", dict(RUN, command=evil, warpmark=evil), dict(
            CASE, suite=evil, case=evil + ".n=1,n=2,n=" + evil, reason=evil, notices=[evil, evil],
            findings=[7, [], None, {"kind": 7, "line": evil, "message": evil}],
            counters=[{evil: 1, "kernel": 7}, {evil: -2**63}, {}],
            outputs=[dict(CASE["outputs"][0], name=evil)] * 2, measurement=None))
        self.export("evil.jsonl", "evil.jsonl", "one.jsonl")
        self.assertEqual(self.column("SELECT COUNT(*) FROM run"), [2])
        for table, name in (("run", "command"), ("result", "reason"), ("notice", "text"),
                            ("counter", "name"), ("output", "name"), ("finding", "message")):
            text = next(filter(None, self.column("SELECT %s FROM %s" % (name, table))))
            self.assertNotRegex(text, "[\0\x1b\u202e]")
            self.assertIn("'); DROP TABLE run; -- ", text)
        for line in (b'{"type": "run", "command": "\xff\xfe"}\n', b'{"type": "\\ud800"}\n'):
            (self.folder / "bytes.jsonl").write_bytes(line)
            self.assertIn("bytes.jsonl:1: error: ", self.refused("export", "bytes.jsonl", "-o", "x"))

    def test_no_sqlite(self):
        python = self.make_python()
        packages = next(self.folder.glob("python/lib/python*/site-packages"))
        (packages / "without.pth").write_text("import sys; sys.modules['sqlite3'] = None\n")
        self.environment["WARPMARK_PYTHON"] = str(python)
        errors = self.refused("export", "one.jsonl", "-o", "out.sqlite", code=3)
        self.assertRegex(errors, r"python3 has no usable sqlite3: \S")
        self.assertIn("hint: ", errors)
        self.assertEqual((self.drafts(), (self.folder / "out.sqlite").exists()), ([], False))


class OfRuns(Databases, CheckTest):
    def test_a_check_with_failures(self):
        self.write_scale(
            axes="{n: [32, 64, 128], kind: [plain, {value: \"'b c'\", label: bc}]}",
            kernel_text="""extern "C" __global__ void k(float *out, const float *src, float f, int n) {
              int i = threadIdx.x;
              if (i < n || n == 64) out[i] = n == 128 && i == 5 ? 7 : f * src[i]; }
            """, launch="{block: 256}")
        self.check("--counters", "--journal", "run.jsonl", code=1)
        self.assertEqual(self.export("run.jsonl"), "out.sqlite: 1 run with 6 results\n")
        run, = self.ask("SELECT * FROM run")
        self.assertEqual((run["verb"], run["device_kind"], run["failed"], run["exit_code"], run["seed"]),
                         ("check", "cpu", 4, 1, "0"))
        records = self.journal()[1:-1]
        for result, record in zip(self.ask("SELECT * FROM result"), records):
            self.assertEqual([result[name] for name in ("suite", "verdict", "failure", "seconds")],
                             [record[name] for name in ("suite", "verdict", "failure", "seconds")])
            self.assertEqual(result["case_id"], record["case"])
        failed = self.ask("SELECT failure, reproduce FROM failed")
        self.assertEqual([row["failure"] for row in failed], ["fault"] * 2 + ["wrong"] * 2)
        self.assertIn("warpmark check suites/t.yaml --case t.n=64,kind=plain", failed[0]["reproduce"])
        output, = self.ask("SELECT * FROM output WHERE wrong = 1 LIMIT 1")
        self.assertEqual((output["first_index"], output["first_actual"]), (5, "7"))
        self.assertEqual(set(self.column("SELECT kind FROM finding")), {"illegal_address"})
        self.assertEqual(self.column("SELECT argument FROM finding WHERE result_id = 3"), ["src", "out"])
        bytes_read = self.column("SELECT value FROM counter WHERE result_id = 1 AND launch = 1 "
                                 "AND name = 'global_load_bytes'")
        self.assertEqual(bytes_read, [4 * 32])
        # A check knows the values of axes from ids alone.
        self.assertEqual([tuple(row.values()) for row in
                          self.ask("SELECT name, text, number FROM axis WHERE result_id = 2")],
                         [("n", "32", 32), ("kind", "bc", None)])

    def test_a_bench_that_counts(self):
        self.write_scale(axes="{n: [100, 257]}", more="bench: {axes: {n: [100, 257]}, bytes: 8 * n}\n")
        self.run_program("bench", "suites", "--device", "cpu", "--max-samples", "3", "--journal",
                         "run.jsonl")
        self.export("run.jsonl", "--samples")
        records = [record["measurement"] for record in self.journal()[1:-1]]
        medians = [record["series"][0]["median_s"] for record in records]
        self.assertEqual(self.column("SELECT median_s FROM latest ORDER BY result_id"), medians)
        self.assertEqual(self.column("SELECT seconds FROM sample WHERE series_id = 1 ORDER BY number"),
                         records[0]["series"][0]["samples_s"])
        for number, record in enumerate(records, 1):
            counted = self.ask("SELECT name, value FROM counter WHERE result_id = %d "
                               "ORDER BY rowid" % number)
            self.assertEqual(counted, record["counters"])
        self.assertEqual(self.column("SELECT number FROM axis"), [100, 257])
        self.assertEqual(self.column("SELECT bytes FROM result"), [800, 2056])

    def test_an_interrupt_leaves_nothing(self):
        # The program reads a pipe when the signal comes.
        os.mkfifo(self.folder / "slow.jsonl")
        process = subprocess.Popen([str(PROGRAM), "export", "slow.jsonl", "-o", "out.sqlite"],
                                   cwd=self.folder, env=self.environment, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        with open(self.folder / "slow.jsonl", "w", encoding="utf-8") as pipe:
            process.send_signal(2)
            pipe.write(json.dumps(RUN) + "\n")
        out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, b""), errors)
        self.assertIn(b"interrupted: out.sqlite was not written", errors)
        self.assertEqual(list(self.folder.glob("out.sqlite*")), [])


if __name__ == "__main__":
    unittest.main()

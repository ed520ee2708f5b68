# `warpmark judge`: candidates for the kernel of a suite, and what the record says of each.
import json
import unittest

from assignment import ASSIGNMENT, KERNEL, NO_BOUND, SLOW, WRONG, GradeTest
from program import SOURCE

RACE = """extern "C" __global__ void scale(float *out, const float *src, float f, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[63 - threadIdx.x] = i < n ? src[i] : 0;
  float own = tile[63 - threadIdx.x], other = tile[threadIdx.x];
  if (i < n) out[i] = f * own + 0 * other;
}
"""
TWICE = """extern "C" __global__ void scale(float *out, const float *src, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { out[i] = src[i]; out[i] = f * *(volatile const float *)&src[i]; }
}
"""
CLOCK = KERNEL.replace("if (i", "if (clock64() < 0) return; if (i")
VISIBLE = ASSIGNMENT.replace("credit: each, hint: any n", "credit: each")


class Judge(GradeTest):
    def judge(self, *files, task="suites/scale.yaml", code=0, more=()):
        """Records by the names of the candidates' files."""
        out, self.errors = self.run_program("judge", task, *files, "--no-sandbox", "--json", *more, code=code)
        return {one["id"]: one["judgement"] for one in map(json.loads, out.splitlines())}

    def judge_text(self, text, **options):
        self.write("c.cu", text)
        return self.judge("c.cu", **options)["c.cu"]

    def test_a_right_candidate(self):
        one = self.judge_text(KERNEL)
        self.assertEqual((one["verdict"], one["cases"], one["passed"], one["trials"]), ("right", 3, 3, 3))
        for part in ("compiled", "right", "clean", "honest"):
            self.assertEqual(one[part], {"holds": True, "reason": ""})
        self.assertEqual((one["fast"]["by"], one["fast"]["counters"], one["fast"]["ratio"]), ("counters", ["moved_sectors"], 1))
        self.assertEqual(one["feedback"], "all 3 cases are right\nmoved_sectors is 1 of the task's own kernel")
        self.assertEqual((one["findings"], one["noticed"], one["problem"]), ([], [], ""))
        for digest in ("task", "candidate", "key"):
            self.assertRegex(one["digests"][digest], "^[0-9a-f]{64}$")
        self.assertEqual(one["limits"]["memory_mib"], 1024)

    def test_each_part_says_why_it_does_not_hold(self):
        wrong = self.judge_text(WRONG, code=1)
        self.assertEqual((wrong["verdict"], wrong["right"]["holds"], wrong["clean"]["holds"]), ("wrong", False, True))
        self.assertIn("3 of 3 cases: wrong: elements differ", wrong["feedback"])
        outside = self.judge_text(NO_BOUND, code=1)
        self.assertEqual((outside["verdict"], outside["right"]["holds"], outside["clean"]["holds"]), ("unclean", None, False))
        self.assertEqual(outside["findings"], [{"word": "memory error", "cases": 3}])
        self.assertIn("3 of 3 cases: memory error: an access out of bounds", outside["feedback"])
        race = self.judge_text(RACE, code=1)
        self.assertEqual((race["verdict"], race["findings"]), ("unclean", [{"word": "race", "cases": 3}]))
        broken = self.judge_text(KERNEL.replace("f *", "g *"), code=1)
        self.assertEqual((broken["verdict"], broken["compiled"]["holds"], broken["right"]["holds"]), ("not compiled", False, None))
        self.assertIn('identifier "g" is undefined', broken["feedback"])
        empty = self.judge_text("", code=1)
        self.assertEqual((empty["verdict"], empty["honest"]["holds"], empty["compiled"]["holds"]), ("refused", False, None))
        self.assertIn("empty", empty["feedback"])

    def test_hidden_data_stay_hidden(self):
        for text in (WRONG, NO_BOUND, RACE):
            one = self.judge_text(text, code=1)
            told = json.dumps({key: one[key] for key in ("feedback", "compiled", "right", "clean", "honest", "findings")})
            for secret in ("257", "expected", "seed", "[31]", "n="):
                self.assertNotIn(secret, told)

    def test_work_is_compared_with_the_suites_kernel(self):
        self.assertGreater(self.judge_text(TWICE)["fast"]["ratio"], 1)
        one = self.judge_text(KERNEL, more=["--speed", "ptx_thread_instructions,moved_sectors"])
        self.assertEqual((one["fast"]["counters"], one["fast"]["ratio"]), (["ptx_thread_instructions", "moved_sectors"], 1))
        one = self.judge_text(KERNEL, more=["--speed", "none"])
        self.assertEqual((one["fast"]["by"], one["fast"]["ratio"], one["fast"]["reason"]), ("", None, "the task does not ask for speed"))
        one = self.judge_text(KERNEL, more=["--speed", "gpu"])
        self.assertIsNone(one["fast"]["ratio"])
        self.assertIn("times on a GPU", one["fast"]["reason"])
        self.assertEqual(self.judge_text(WRONG, code=1)["fast"]["reason"], "only a right candidate is measured")

    def test_clocks_are_noticed_and_cost_nothing(self):
        one = self.judge_text(CLOCK)
        self.assertEqual(one["verdict"], "right")
        self.assertIn("clock64", one["noticed"][0])

    def test_an_assignment_is_a_task(self):
        self.write("hw1.yaml", VISIBLE.replace("limits:", "ptx: {forbid: ['%clock64']}\nlimits:"))
        self.write("good.cu", KERNEL)
        self.write("bad.cu", NO_BOUND)
        self.write("slow.cu", WRONG)
        self.write("clock.cu", CLOCK)
        made = self.judge("good.cu", "bad.cu", "slow.cu", "clock.cu", task="hw1.yaml", code=1)
        self.assertEqual({name: one["verdict"] for name, one in made.items()},
                         {"good.cu": "right", "bad.cu": "unclean", "slow.cu": "wrong", "clock.cu": "refused"})
        self.assertIn("clock64", made["clock.cu"]["honest"]["reason"])
        self.assertIn("n=32", made["slow.cu"]["feedback"])  # a case that the task shows
        self.assertNotIn("n=100", made["slow.cu"]["feedback"])

    def test_for_people(self):
        self.write("good.cu", KERNEL)
        self.write("bad.cu", WRONG)
        out, _ = self.run_program("judge", "suites/scale.yaml", "good.cu", "bad.cu", "--no-sandbox", "-j", "1", code=1)
        self.assertRegex(out, r"(?s)good\.cu: right \(3 of 3 cases, 3 trials, .* s\)\n  all 3 cases are right\n"
                              r".*bad\.cu: wrong \(0 of 3 cases, 1 trials, .* s\)\n  3 of 3 cases: wrong: ")

    def test_a_stream(self):
        lines = [json.dumps({"id": name, "text": text}) for name, text in (("a", KERNEL), (2, WRONG))] + ["nonsense"]
        self.write("requests", "\n".join(lines))
        with open(self.folder / "requests", "rb") as requests:
            out, err = self.run_program("judge", "suites/scale.yaml", "--stream", "--no-sandbox", code=2, stdin=requests)
        answers = {one["id"]: one for one in map(json.loads, out.splitlines())}
        self.assertEqual((answers["a"]["judgement"]["verdict"], answers[2]["judgement"]["verdict"]), ("right", "wrong"))
        self.assertIn("no JSON object", answers[None]["error"])
        self.assertIn("2 graded", err)

    def test_other_inputs_each_time_but_by_one_secret(self):
        keys = {self.judge_text(KERNEL)["digests"]["key"] for _ in range(2)}
        self.assertEqual(len(keys), 2)
        keys = {self.judge_text(KERNEL, more=["--secret", "secret"])["digests"]["key"] for _ in range(2)}
        self.assertEqual(len(keys), 1)

    def test_records_keep_their_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("there is no jsonschema")
        schema = json.loads((SOURCE / "schema/judgement.json").read_text())
        for text, code in ((KERNEL, 0), (WRONG, 1), ("", 1), ("nonsense", 1)):
            jsonschema.validate(self.judge_text(text, code=code), schema)

    def test_what_cannot_be_asked(self):
        for words, said in ((["suites/scale.yaml"], "no candidate is given"), (["none.yaml", "c.cu"], "none.yaml"),
                            (["suites/scale.yaml", "none.cu"], "none.cu"),
                            (["suites/scale.yaml", "suites/scale.cu", "--stream"], "--stream reads candidates from the standard input"),
                            (["suites/scale.yaml", "suites/scale.cu", "--speed", "colour"], "colour"),
                            (["suites/scale.cu", "suites/scale.cu"], "suites/scale.cu")):
            _, err = self.run_program("judge", *words, "--no-sandbox", code=2)
            self.assertIn(said, err)
            self.assertNotIn("task.yaml", err)

    def test_an_endless_candidate_ends(self):
        self.write("hw1.yaml", VISIBLE.replace("4e9", "1e6"))
        one = self.judge_text(SLOW, task="hw1.yaml", code=1)
        self.assertEqual((one["verdict"], one["right"]["holds"], one["clean"]["holds"]), ("wrong", False, None))
        self.assertIn("limit: too many instructions", one["feedback"])


if __name__ == "__main__":
    unittest.main()

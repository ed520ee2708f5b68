# `warpmark try`: what a student sees of an assignment before it is handed in.
import json
import unittest

from assignment import KERNEL, NO_BOUND, WRONG, GradeTest


class Try(GradeTest):
    def try_out(self, *arguments, code=0, stdin=None):
        more = {}
        if stdin is not None:
            more["stdin"] = self.write("stdin", stdin).open()
            self.addCleanup(more["stdin"].close)
        return self.run_program("try", "hw1.yaml", *arguments, "--device", "cpu", code=code, **more)

    def test_shows_visible_cases_alone(self):
        self.write("my.cu", KERNEL)
        out, _ = self.try_out("my.cu")
        self.assertIn("2 of 2 points", out)
        self.assertNotIn("odd", out)
        self.write("my.cu", KERNEL.replace("i < n", "i < n / 4 * 4"))
        self.try_out("my.cu")
        out, _ = self.try_out("my.cu", "--hidden", code=1)
        self.assertIn("257", out)

    def test_standard_input(self):
        out, _ = self.try_out("-", stdin=KERNEL)
        self.assertIn("scale.cu: 2 of 2 points", out)
        out, _ = self.try_out("-", stdin=NO_BOUND.replace("out[i]", "out[i + 1]"), code=1)
        self.assertIn("reproduce: warpmark try hw1.yaml - --case", out)
        self.assertIn("`scale.cu` is empty", self.try_out("-", stdin="", code=1)[0])
        self.assertIn("no more than 64 KiB", self.try_out("-", stdin="//" + "x" * 70000, code=1)[0])

    def test_explains_and_repeats_what_failed(self):
        self.write("my.cu", NO_BOUND)
        out, _ = self.try_out("my.cu", code=1)
        self.assertIn("if (i < n)", out)
        command = next(line for line in out.splitlines() if "warpmark try" in line)
        words = command.split("warpmark try ")[1].split()
        self.assertEqual(words[0], "hw1.yaml")
        again, _ = self.run_program("try", *words, "--device", "cpu", code=1)
        self.assertIn("if (i < n)", again)

    def test_repeats_a_failure_of_the_grade(self):
        self.hand_in(cem=WRONG)
        self.grade()
        item = self.result("cem")["cases"][0]["items"][0]
        words = item["reproduce"].split()
        self.assertEqual(words[:4], ["warpmark", "try", "hw1.yaml", "scale.cu"])
        self.write("scale.cu", WRONG)
        out, _ = self.run_program(*words[1:], "--device", "cpu", "--json", code=1)
        again = json.loads(out)["cases"][0]["items"][0]
        self.assertEqual(again["detail"], item["detail"])
        # Those of a hidden case are for staff.
        hidden = self.result("cem")["cases"][1]["items"][0]
        out, _ = self.run_program(*hidden["reproduce"].split()[1:], "--device", "cpu", "--json",
                                  code=1)
        self.assertEqual(json.loads(out)["cases"][0]["items"][0]["detail"], hidden["detail"])

    def test_mistakes(self):
        self.assertIn("there is no file my.cu", self.try_out("my.cu", code=2)[1])
        self.write("my.cu", "")
        self.assertIn("is empty", self.try_out("my.cu", code=1)[0])
        self.write("my.cu", KERNEL)
        errors = self.try_out("my.cu", "--case", "smal", code=2)[1]
        self.assertIn("did you mean `small`?", errors)
        self.assertIn("no visible case `odd`", self.try_out("my.cu", "--case", "odd", code=2)[1])
        self.assertIn("--seed needs --case", self.try_out("my.cu", "--seed", "1", code=2)[1])
        self.assertIn("from 0 to 2**64", self.try_out("my.cu", "--case", "small", "--seed", "-4",
                                                      code=2)[1])
        self.write("my.cu", "int main() {}")
        self.assertIn("main", self.try_out("my.cu", code=1)[0])


if __name__ == "__main__":
    unittest.main()

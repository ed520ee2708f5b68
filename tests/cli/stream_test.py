# `warpmark grade --stream`: submissions as JSON lines, for programs that evaluate many.
import json
import os
import signal
import subprocess
import unittest

from assignment import KERNEL, SLOW, WRONG, GradeTest
from program import PROGRAM


def request(name, text):
    return json.dumps({"id": name, "text": text}) + "\n"


class Stream(GradeTest):
    def arguments(self, *more, out="out", paths=()):
        return ["grade", "hw1.yaml", "--stream", "--secret", "secret", "--device", "cpu", "--no-sandbox", *more]

    def stream(self, text, *more, code=0):
        self.write("requests", text)
        with open(self.folder / "requests", "rb") as requests:
            out, err = self.run_program(*self.arguments(*more), code=code, stdin=requests)
        return [json.loads(line) for line in out.splitlines()], err

    def by_id(self, answers):
        self.assertEqual(len({repr(one["id"]) for one in answers}), len(answers))
        return {one["id"]: one for one in answers}

    def test_each_request_has_one_answer(self):
        answers, err = self.stream(request("good", KERNEL) + request(2, WRONG) + "\n" + request("Ω", "no C++"))
        self.assertIn("3 graded, 0 failed in the grader, 0 lines were no requests", err)
        answers = self.by_id(answers)
        self.assertEqual({name: (one["result"]["state"], one["result"]["points"]) for name, one in answers.items()},
                         {"good": ("graded", 6), 2: ("graded", 0), "Ω": ("compile_error", 0)})
        self.assertEqual(answers["good"]["result"]["student"], "good")

    def test_verdicts_and_keys_are_those_of_a_class(self):
        self.REAL_STARTS = True
        self.hand_in(ada=KERNEL, bob=WRONG)
        GradeTest.run_program(self, *GradeTest.arguments(self))
        answers = self.by_id(self.stream(request("ada", KERNEL) + request("bob", WRONG), "-q")[0])
        for student, expected in self.steady().items():
            result = answers[student]["result"]
            result["context"].pop("date")
            result.pop("seconds")
            for case in result["cases"]:
                for item in case["items"]:
                    item.pop("seconds")
            self.assertEqual({**result, "context": None}, {**expected, "context": None})

    def test_a_line_that_is_no_request_costs_nobody_else_anything(self):
        lines = ["nonsense", "[1]", json.dumps({"text": "x"}), json.dumps({"id": "a"}), json.dumps({"id": [1], "text": ""}),
                 json.dumps({"id": "b", "text": "x", "more": 1}), json.dumps({"id": "c", "text": "x" * 9_000_000}),
                 '{"id": "d", "text": "cut o', '{"text": "\\"id\\": \\"x\\"", "files": {"id": "y"}, "id": 7',
                 json.dumps({"text": "x" * 9_000_000, "id": "e"}),
                 json.dumps({"files": {"a": "x" * 9_000_000, "id": "nobody"}}), json.dumps({"id": True, "text": ""}),
                 json.dumps({"id": "good", "text": KERNEL})]
        answers, err = self.stream("\n".join(lines), code=2)  # the last has no end of line
        self.assertIn("1 graded, 0 failed in the grader, 12 lines were no requests", err)
        errors = [(one["id"], one["error"]) for one in answers if "error" in one]
        self.assertEqual(errors, [
            (None, "error: the line is no JSON object"), (None, "error: the line is no JSON object"),
            (None, "error: a request needs `id`, a text or a number"),
            ("a", "error: a request needs `text`, the source that is handed in"),
            ([1], "error: a request needs `id`, a text or a number"),
            ("b", "error: unknown key `more`; a request has `id`, and `text` or `files`"),
            ("c", "error: the line is longer than any submission may be"),
            ("d", "error: the line is no JSON object"), (7, "error: the line is no JSON object"),
            ("e", "error: the line is longer than any submission may be"),
            (None, "error: the line is longer than any submission may be"),
            (True, "error: a request needs `id`, a text or a number")])
        self.assertEqual([one["result"]["points"] for one in answers if "result" in one], [6])

    def test_what_is_refused_has_a_result(self):
        answers = self.by_id(self.stream(request("empty", "  ") + request("binary", "\0"))[0])
        self.assertEqual([one["result"]["state"] for one in answers.values()], ["refused", "refused"])
        self.assertIn("is empty", answers["empty"]["result"]["message"])

    def test_answers_come_while_the_input_is_open(self):
        with subprocess.Popen([PROGRAM, *self.arguments("-q")], cwd=self.folder, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, env=self.environment) as running:
            for name, text in (("first", KERNEL), ("second", WRONG)):
                running.stdin.write(request(name, text).encode())
                running.stdin.flush()
                self.assertEqual(json.loads(running.stdout.readline())["id"], name)
            running.stdin.close()
            self.assertEqual(running.wait(60), 0)

    def test_an_interrupt_ends_it(self):
        with subprocess.Popen([PROGRAM, *self.arguments()], cwd=self.folder, stdin=subprocess.PIPE, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            running.stdin.write((request("good", KERNEL) + request("slow", SLOW)).encode())
            running.stdin.flush()
            self.assertIn(b'"good"', running.stdout.readline())
            os.kill(running.pid, signal.SIGINT)
            running.communicate(timeout=60)
            self.assertEqual(running.returncode, 130)

    def test_it_takes_no_files(self):
        for more in (["class"], ["-o", "out"], ["--regrade"], ["--canvas", "c.csv"], ["--feedback", "f"], ["--only", "a"],
                     ["--roster", "r.csv"], ["--times", "t.csv"], ["--items", "i.csv"], ["--student", "s"]):
            _, err = self.run_program(*self.arguments(*more), code=2)
            self.assertIn("--stream reads submissions from the standard input", err)


if __name__ == "__main__":
    unittest.main()

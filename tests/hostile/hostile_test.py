# The hostile corpus: no submission gets a point it should not, reads what it must not, or disturbs another.
"""manifest.json says what each file must get. Those of a test are graded together, so that one which
disturbs the next shows: `right` and `mangled_name` must have all points among them."""
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

from program import SOURCE, CheckTest  # noqa: E402

MANIFEST = json.loads((HERE / "manifest.json").read_text())["submissions"]
HIDDEN = ("n=257", "n=1000")
DEVICE = os.environ.get("WARPMARK_TEST_DEVICE", "cpu")
# Each file is a few lines: a bomb that is not stopped would take the rest of the day.
WHOLE_S = 900


def strings(value):
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


class Hostile(CheckTest):
    OWN_KERNELS = True

    def grade(self, assignment, entries):
        submissions = self.folder / f"class-{assignment}"
        submissions.mkdir()
        for entry in entries:
            if (HERE / entry["name"]).is_dir():  # a file with headers of its own
                shutil.copytree(HERE / entry["name"], submissions / entry["name"])
            else:
                shutil.copy(HERE / (entry["name"] + ".cu"), submissions)
        secret = self.folder / "secret"
        secret.write_bytes(b"thirty-two bytes of a secret ...")
        out = self.folder / f"out-{assignment}"
        stdout, stderr = self.run_program(
            "grade", HERE / f"{assignment}.yaml", submissions, "-o", out, "--secret", secret,
            "--device", DEVICE, "--jobs", "2", timeout=WHOLE_S)
        self.said = stdout + stderr
        return out

    def check_one(self, out, entry):
        # A GPU's hardware lets pass what the CPU device finds: reads within the 15 bytes that
        # alignment leaves behind a buffer, barriers that some threads have left.
        if DEVICE.startswith("gpu"):
            entry = {**entry, **entry.get("gpu", {})}
        folder = out / "students" / entry["name"]
        result = json.loads((out / "staff" / entry["name"] / "result.json").read_text())
        self.assertIn(result["state"], entry["states"], result.get("staff"))
        words = [item["word"] for case in result["cases"] for item in case["items"]]
        if "words" in entry:
            self.assertLessEqual(set(words), set(entry["words"]))
        points, most = result["points"], result["max_points"]
        wanted = entry["points"]
        if wanted == "none":
            self.assertEqual(points, 0)
        elif wanted == "less":
            self.assertLess(points, most)
        elif wanted == "full":
            self.assertEqual(points, most)
        if result["state"] != "graded":
            self.assertNotEqual(result["message"], "", "a refusal says why")
        self.check_texts(folder, entry, result)

    def check_texts(self, folder, entry, result):
        files = {file.name: file.read_text() for file in folder.iterdir()}
        self.assertEqual(sorted(files), ["report.html", "results.json", "student.json"])
        for name, text in files.items():
            for hidden in [*HIDDEN, *entry.get("hidden", [])]:
                self.assertNotIn(hidden, text, name)
            self.assertNotIn("<script>alert", text.replace("&lt;", "") if name.endswith("html")
                             else "", name)
        texts = [result["message"], result["log"]]
        texts += [text for case in result["cases"] for text in strings(case)]
        student = json.loads(files["student.json"])
        for text in texts + list(strings(student)):
            for word in entry.get("never", []):
                self.assertNotIn(word, text)
            self.assertFalse(any(ord(c) < 32 and c not in "\n\t" for c in text), "control characters")
            self.assertLess(len(text), 100_000)

    def check_all(self, assignment, part=0, parts=1):
        """One of several equal parts of an assignment's submissions."""
        every = [one for one in MANIFEST if one["assignment"] == assignment]
        entries = [one for number, one in enumerate(every)
                   if number % parts == part or one["name"] in ("right", "mangled_name")]
        out = self.grade(assignment, entries)
        for entry in entries:
            with self.subTest(name=entry["name"]):
                self.check_one(out, entry)
        self.assertFalse(pathlib.Path("/tmp/warpmark_was_here").exists())
        for line in self.said.splitlines():
            self.assertFalse(line.startswith("::") or "##[" in line, line)

    def test_open_0(self):
        """The sandbox and the checks alone, in parts for tests that run side by side."""
        self.check_all("open", 0, 5)

    def test_open_1(self):
        self.check_all("open", 1, 5)

    def test_open_2(self):
        self.check_all("open", 2, 5)

    def test_open_3(self):
        self.check_all("open", 3, 5)

    def test_open_4(self):
        self.check_all("open", 4, 5)

    def test_strict(self):
        """With a policy."""
        self.check_all("strict")

    def test_credit(self):
        """With points in part, and for performance."""
        self.check_all("credit")

    def test_forms(self):
        """In PTX, and with code for the CPU."""
        self.check_all("forms")

    def test_sums(self):
        """Sums of blocks: copies, barriers and what the check for races keeps."""
        self.check_all("sums")

    def test_scans(self):
        """Blocks that wait for each other."""
        self.check_all("scans")

    def test_silus(self):
        """One element for each thread."""
        self.check_all("silus")

    def test_macros(self):
        """With a macro that is hidden."""
        self.check_all("macros")


class Corpus(unittest.TestCase):
    def test_each_file_is_in_the_manifest(self):
        files = [path.stem for path in HERE.glob("*.cu")]
        files += [path.parent.name for path in HERE.glob("*/twice.cu") if path.parent.name != "suite"]
        self.assertEqual(sorted(files), sorted(one["name"] for one in MANIFEST))

    def test_each_threat_has_one(self):
        wanted = ([f"T{i}" for i in (1, 2, 3, 4, 7, 8, 9, 11, 12, 13, 14, 15)] +
                  [f"T{i}" for i in range(16, 27)] + [f"T{i}" for i in range(32, 37)])
        have = {threat for one in MANIFEST for threat in one["threats"]}
        self.assertEqual([threat for threat in wanted if threat not in have], [])

    def test_the_threat_model_names_what_there_is(self):
        text = (SOURCE / "docs/threat-model.md").read_text()
        rows = re.findall(r"^\| (T\d+) \|(.*)\|([^|]*)\|$", text, re.M)
        self.assertEqual([row[0] for row in rows], [f"T{i}" for i in range(1, 39)])
        known = {one["name"]: one["threats"] for one in MANIFEST}
        named = set()
        for threat, answer, proof in rows:
            names = re.findall(r"`([^`]+)`", proof)
            self.assertTrue(names or "to come" in answer, threat)
            for name in names:
                self.assertTrue((SOURCE / name).is_file() if "/" in name else name in known, name)
            named.update(names)
        self.assertEqual(set(known) - named, {"mangled_name", "right"} - named)


if __name__ == "__main__":
    unittest.main()

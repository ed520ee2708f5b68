# The headers that students bring along: what is found, what is refused, and what they are in reports.
import io
import json
import unittest
import zipfile

from assignment import ASSIGNMENT, KERNEL
from several_files import UTIL, WITH_UTIL, SeveralTest, sha256, sha256_of_all


class OwnHeaders(SeveralTest):
    def grade(self, *more, assignment="hw1.yaml", **options):
        return super().grade(*more, assignment=assignment, **options)

    def test_are_those_beside_the_file(self):
        files = {"scale.cu": WITH_UTIL, "util.cuh": UTIL}
        self.hand_in("ada", files)
        self.hand_in("bob", {"src/scale.cu": WITH_UTIL.replace("util", "inc/util"), "src/inc/util.cuh":
                             '#include "more.h"\n' + UTIL, "src/inc/more.h": "\ufeff// nothing\n"})
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as made:
            made.writestr("hw/scale.cu", WITH_UTIL)
            made.writestr("hw/util.cuh", UTIL)
        (self.folder / "class/cem.zip").write_bytes(stream.getvalue())
        self.write("class/dee.cu", WITH_UTIL)  # beside those of others
        self.write("class/util.cuh", UTIL)
        self.hand_in("eva", {"scale.cu": WITH_UTIL})
        self.hand_in("fay", {"scale.cu": KERNEL, "util.cuh": UTIL})  # which nothing includes
        _, errors = self.grade()
        self.assertIn("left out: class/util.cuh", errors)
        for student in ("ada", "bob", "cem", "fay"):
            self.assertEqual(self.result(student)["points"], 6, student)
        ada = self.result("ada")
        self.assertEqual(ada["submission_sha256"], sha256_of_all(files))
        self.assertEqual([(one["name"], one["sha256"]) for one in ada["files"]],
                         [(name, sha256(text)) for name, text in files.items()])
        self.assertEqual([one["name"] for one in self.result("bob")["files"]],
                         ["scale.cu", "inc/util.cuh", "more.h"][:2] + ["inc/more.h"])
        self.assertEqual(self.result("fay")["submission_sha256"], sha256(KERNEL))
        self.assertNotIn("files", self.result("fay"))
        for student in ("dee", "eva"):
            self.assertEqual(self.result(student)["state"], "compile_error")
            self.assertIn("the header `util.cuh` is not there", self.result(student)["message"])

    def test_nothing_outside_of_the_folder_is_included(self):
        secret = self.write("solution.cuh", UTIL)
        self.write("class/solution.cuh", UTIL)
        self.write("class/bob/util.cuh", UTIL)
        self.hand_in("ada", {"scale.cu": WITH_UTIL.replace("util.cuh", "../solution.cuh")})
        self.hand_in("bob", {"scale.cu": WITH_UTIL.replace("util.cuh", str(secret))})
        self.hand_in("cem", {"scale.cu": WITH_UTIL})
        (self.folder / "class/cem/util.cuh").symlink_to("../bob/util.cuh")
        self.hand_in("dee", {"scale.cu": WITH_UTIL.replace("util.cuh", "inc/util.cuh")})
        (self.folder / "class/dee/inc").symlink_to("../bob")
        self.hand_in("eva", {"scale.cu": WITH_UTIL.replace("util.cuh", "util.cu"), "lib/util.cu": UTIL})
        self.grade()
        for student in ("ada", "bob"):
            self.assertEqual(self.result(student)["state"], "compile_error")
            self.assertIn("leads out of the folder of what you handed in", self.result(student)["message"])
        self.assertEqual(self.result("cem")["state"], "refused")
        self.assertIn("`util.cuh` is a symbolic link", self.result("cem")["message"])
        self.assertIn("the header `inc/util.cuh` is not there", self.result("dee")["message"])
        self.assertIn("a .cu file cannot be included", self.result("eva")["message"])
        # Nor where the student's file is named by hand.
        self.run_program(*self.arguments(assignment="hw1.yaml", out="named", paths=("class/dee/scale.cu",)))
        self.assertEqual(self.result("dee", "named")["state"], "compile_error")

    def test_have_limits(self):
        self.write("hw1.yaml", ASSIGNMENT + "submission: {own_headers: 2, max_kib: 2}\n")
        includes = "".join('#include "h%d.cuh"\n' % i for i in range(3))
        headers = {"h%d.cuh" % i: "// nothing\n" for i in range(3)}
        self.hand_in("ada", {"scale.cu": includes + KERNEL, **headers})
        self.hand_in("bob", {"scale.cu": WITH_UTIL, "util.cuh": UTIL + "//" + "x" * 2100})
        self.hand_in("cem", {"scale.cu": WITH_UTIL, "util.cuh": UTIL + "\x01"})
        self.hand_in("dee", {"scale.cu": '#include "inc/util.cuh"\n#include "util.cuh"\n' + WITH_UTIL,
                             "inc/util.cuh": '#include "a.h"\n', "inc/a.h": "", "a.h": UTIL})
        self.hand_in("eva", {"scale.cu": '#include "inc/util.cuh"\n#include "a.h"\n' + KERNEL,
                             "inc/util.cuh": '#include "a.h"\n', "inc/a.h": "", "a.h": UTIL})
        self.hand_in("fay", {"scale.cu": '#include "./util.cuh"\n' + WITH_UTIL, "util.cuh": UTIL, "b.h": ""})
        self.grade()
        for student, words in (("ada", "`scale.cu` includes more than 2 headers of your own"),
                               ("bob", "have more than 2,048 bytes together"),
                               ("cem", "`util.cuh` is no text"),
                               ("eva", "`a.h` means two headers: `a.h` and `inc/a.h`")):
            self.assertEqual(self.result(student)["state"], "refused", student)
            self.assertIn(words, self.result(student)["message"], student)
        self.assertEqual(self.result("fay")["points"], 6)
        self.write("hw1.yaml", ASSIGNMENT + "submission: {own_headers: 0}\n")
        self.grade()
        self.assertIn("the header `./util.cuh` is not there", self.result("fay")["message"])

    def test_replace_none_of_ours(self):
        self.write("course.h", "#define FACTOR(f) (f)\n")
        self.write("hw1.yaml", ASSIGNMENT + "submission: {headers: [course.h]}\n")
        kernel = '#include "course.h"\n#include "cuda_fp16.h"\n#include <stdint.h>\n' + KERNEL.replace(
            "f *", "FACTOR(f) *")
        self.hand_in("ada", {"scale.cu": kernel, "course.h": "#error not this one\n",
                             "cuda_fp16.h": "#error not this one\n", "stdint.h": "#error not this one\n"})
        inner = '#include "crt/host_defines.h"\n' + KERNEL
        self.hand_in("bob", {"scale.cu": "#include <cuda_fp16.h>\n" + inner,
                             "crt/host_defines.h": "#error not this one\n"})
        self.grade()
        self.assertEqual(self.result("ada")["points"], 6, self.result("ada")["message"])
        self.assertNotIn("files", self.result("ada"))
        self.assertEqual(self.result("bob")["points"], 6, self.result("bob")["message"])
        self.assertIn("`crt/host_defines.h` is a header of CUDA", self.result("bob")["log"])

    def test_mistakes_in_them_have_their_lines(self):
        self.hand_in("ada", {"scale.cu": WITH_UTIL, "util.cuh": UTIL.replace("int index", "in index")})
        body = "#pragma once\n__device__ void put(float *out, int i, float value) {\n  out[i] = value;\n}\n"
        self.hand_in("bob", {"scale.cu": '#include "util.cuh"\n' + KERNEL.replace(
            "if (i < n) out[i] = f * src[i];", "put(out, i + n, f * src[i % n]);"), "util.cuh": body})
        self.grade()
        ada = self.result("ada")
        self.assertEqual(ada["state"], "compile_error")
        self.assertIn("at line 2 of util.cuh", ada["message"])
        bob = self.result("bob")["cases"][0]["items"][0]
        self.assertIn("Line 3 of util.cuh writes `out[", bob["explanation"])
        self.assertIn("at util.cuh:3", bob["detail"])
        self.assertNotIn(str(self.folder), json.dumps(self.result("bob")))

    def test_their_names_are_data(self):
        names = ["<img src=x>.cuh", "::error file=x::y.h", "$(touch pwned).hpp", "a'b.inl", "\u202ename.inc"]
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as made:
            made.writestr("scale.cu", "".join('#include "%s"\n' % name for name in names) + KERNEL)
            for name in names:
                made.writestr(name, "#pragma message(__FILE__)\n")
        (self.folder / "class").mkdir()
        (self.folder / "class/ada.zip").write_bytes(stream.getvalue())
        out, errors = self.grade("--feedback", "mails")
        result = self.result("ada")
        self.assertEqual(result["points"], 6, result["message"])
        self.assertEqual(len(result["files"]), 1 + len(names))
        texts = [path.read_text() for path in (self.folder / "out").rglob("*") if path.is_file()]
        texts += [path.read_text() for path in (self.folder / "mails").iterdir()]
        for text in [out, errors, *texts]:
            self.assertNotIn("<img src", text if text.startswith("<!doctype") else "")
            self.assertNotIn("\u202e", text)
            for line in text.splitlines():
                self.assertFalse(line.startswith("::"), line)
        page = (self.folder / "out/students/ada/report.html").read_text()
        self.assertIn("sha256sum &#39;$(touch pwned).hpp&#39;", page.replace("&apos;", "&#39;").replace("'", "&#39;"))
        self.assertFalse((self.folder / "pwned").exists())

    def test_try_finds_them_beside_the_file(self):
        self.hand_in("ada", {"scale.cu": WITH_UTIL, "util.cuh": UTIL})
        out, _ = self.run_program("try", "hw1.yaml", "class/ada/scale.cu", "--device", "cpu")
        self.assertIn("scale.cu: 2 of 2 points", out)
        for paths in (["scale.cu"], ["."], ["scale.cu", "util.cuh"]):
            out, _ = self.run_program("try", "../../hw1.yaml", *paths, "--device", "cpu", cwd=self.folder / "class/ada")
            self.assertIn("2 of 2 points", out)
        self.write("class/ada/util.cuh", UTIL.replace("int index", "in index"))
        _, errors = self.run_program("try", "hw1.yaml", "class/ada/scale.cu", "--device", "cpu", code=1,
                                     env={"GITHUB_ACTIONS": "true"})
        self.assertIn("file=class/ada/util.cuh,line=2", errors)

    def test_are_in_receipts_and_pages(self):
        self.hand_in("ada", {"scale.cu": WITH_UTIL, "util.cuh": UTIL})
        self.grade("--feedback", "mails", "--anonymous", "anonymous")
        page = (self.folder / "out/students/ada/report.html").read_text()
        self.assertIn("util.cuh", page)
        self.assertIn(sha256(UTIL)[:16], page)
        self.assertIn("sha256sum scale.cu util.cuh | sha256sum", page)
        for file in (self.folder / "anonymous").iterdir():
            self.assertNotIn("util.cuh", file.read_text())


if __name__ == "__main__":
    unittest.main()

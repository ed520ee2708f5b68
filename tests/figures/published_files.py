"""Tries `warpmark new suite` on .cu files of repositories that were fetched before.

    published_files.py --folder FOLDER [--most N] [--json FILE] [PROGRAM]
    published_files.py --require [PROGRAM]
    published_files.py --page FILE [--check]

FOLDER has a folder for each repository of REPOSITORIES, OWNER+NAME, at the commit there. Of each at most N files
(30 if not given) with a kernel are tried, spread evenly. A file loads if NVRTC compiles it unmodified; its kernels are
drafted if a suite is written for each. A file that nvcc refuses as well, with the same folders of headers, is not
counted: it is a part of another file, or needs a header that is not in the repository. The second form takes FOLDER from
WARPMARK_PUBLISHED_FILES, and fails if the shares are below 95 % and 90 %; without that folder its exit code is 77. The last form writes the
page from results/cpu/published_files.json, or with --check compares it.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from figures import parser_of, write_record

# Commit, and folders of headers that the project's own build names.
REPOSITORIES = {
    "karpathy/llm.c": ("f1e2ace651", []),
    "rusty1s/pytorch_scatter": ("648dda3cf9", ["csrc"]),
    "rusty1s/pytorch_cluster": ("3d1d9e3967", ["csrc"]),
    "NVIDIA/apex": ("6424da3b4f", ["csrc", "apex/contrib/csrc"]),
    "open-mmlab/mmcv": ("a8073c74bf", ["mmcv/ops/csrc/common", "mmcv/ops/csrc/common/cuda"]),
    "Dao-AILab/causal-conv1d": ("0d2252d161", ["csrc"]),
    "facebookresearch/pytorch3d": ("9381c40163", ["pytorch3d/csrc", "."]),
    "ashawkey/torch-ngp": ("b6e0804689", []),
    "bitsandbytes-foundation/bitsandbytes": ("95f9af309d", ["csrc"]),
    "NVIDIA/cuda-samples": ("c94ff366ae", ["Common"]),
    "nerfstudio-project/gsplat": ("90d7b4b349", ["gsplat/cuda/include", "gsplat/cuda/csrc", "gsplat/cuda"]),
    "zjin-lcf/HeCBench": ("f27000a518", []),
}
KERNEL = re.compile(r"__global__")
ERROR = re.compile(r"\): (?:catastrophic )?error: (.*)")
LEFT_OUT = re.compile(r"^warning: left out: (.*)", re.M)


def files_of(folder):
    """Files with a kernel, in order. Ports to other languages' folders are left out."""
    found = []
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            file = os.path.join(path, name)
            if not name.endswith(".cu") or "-hip" in path or "-sycl" in path:
                continue
            with open(file, encoding="latin-1") as text:
                if KERNEL.search(re.sub(r"//[^\n]*|/\*.*?\*/", "", text.read(), flags=re.S)):
                    found.append(file)
    return found


def run(command, timeout=300):
    """Exit code and all output; None after the timeout."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, check=False)
        return done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return None, "it took more than %d s" % timeout


def nvcc_takes(file, include):
    with tempfile.TemporaryDirectory() as folder:
        command = ["nvcc", "-arch=sm_90", "-ptx", "-o", os.path.join(folder, "x.ptx"), file, *["-I" + one for one in include]]
        code, text = run(command)
    return code == 0, text


def tried(program, file, include):
    """The state of a file, its suites, the reasons of its kernels without one, and the file's own."""
    with tempfile.TemporaryDirectory() as folder:
        options = [part for one in include for part in ("--include", one)]
        code, text = run([program, "new", "suite", file, "-o", folder, "--force", *options])
        suites = len([name for name in os.listdir(folder) if name.endswith(".yaml")])
    left = LEFT_OUT.findall(text)
    if "in no folder: `include`" in text:
        return "refused by nvcc", 0, [], ""
    if code == 0 or "no suite can be written" in text:
        return "loads", suites, left if code == 0 else left or [text.strip()], ""
    taken, said = nvcc_takes(file, include)
    own = [one for one in said.split("\n") if "No such file or directory" in one and re.search("torch|ATen|c10|pybind|nccl|cudnn", one)]
    if not taken and not own:
        return "refused by nvcc", 0, [], ""
    found = ERROR.search(text)
    return "fails", 0, [], found[1] if found else text.strip().split("\n")[-1]


RECORD = pathlib.Path(__file__).resolve().parents[2] / "results/cpu/published_files.json"


def reason_text(text):
    """A reason for the page: one line, without what would be markup."""
    line = re.sub(r"\s+", " ", text).replace("|", "\\|").replace("`", "")
    return line if len(line) <= 160 else line[:160] + " …"


def page_text(record):
    share = lambda part, whole: "%d of %d (%.1f %%)" % (part, whole, 100 * part / whole)
    kernels = record["suites"] + record["kernels_without"]
    lines = ["# Published files as they are", "",
             "    python3 tests/figures/published_files.py --folder FOLDER --most 60 --json results/cpu/published_files.json build/bin/warpmark",
             "    python3 tests/figures/published_files.py --page docs/results/published-files.md", "",
             "`.cu` files with kernels of %d repositories, unmodified, with the folders of headers that the projects' own builds name:"
             % len(record["repositories"]),
             "%s load with NVRTC, and `warpmark new suite` drafts a suite for %s kernels, in which only the"
             % (share(record["load"], record["files"]), share(record["suites"], kernels)),
             "references are missing. Files that nvcc refuses as well are not counted: they are parts of others, or need headers that are not in the",
             "repository.", "",
             "| repository | commit | files | refused by nvcc | load | suites | kernels without one |", "|---|---|---|---|---|---|---|"]
    for row in record["repositories"]:
        lines.append("| %(repository)s | %(commit)s | %(files)d | %(refused_by_nvcc)d | %(load)d | %(suites)d | %(kernels_without)d |" % row)
    lines += ["", "## Files that do not load", "", "| file | reason |", "|---|---|"]
    lines += ["| %s | %s |" % (one["file"].replace("+", "/", 1), reason_text(one["why"])) for one in record["fails"]]
    templates = sum("template" in one["why"] for one in record["left_out"])
    lines += ["", "Of the %d kernels without a suite %d are templates, whose arguments are to be given: `--kernel 'NAME<float>'`. The record has the reason"
              % (record["kernels_without"], templates), "of each."]
    return "\n".join(lines) + "\n"


def write_page(file, check):
    text = page_text(json.loads(RECORD.read_text(encoding="utf-8")))
    if not check:
        pathlib.Path(file).write_text(text, encoding="utf-8")
    elif pathlib.Path(file).read_text(encoding="utf-8") != text:
        print("%s is not of the record: published_files.py --page writes it" % file)
        return 1
    return 0


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--folder", help="the folder of the repositories")
    parser.add_argument("--page", help="write this page")
    parser.add_argument("--check", action="store_true", help="compare the page")
    parser.add_argument("--require", action="store_true", help="fail below the shares that are to be reached")
    parser.add_argument("--most", type=int, default=30, help="files of a repository")
    options = parser.parse_args()
    if options.page:
        return write_page(options.page, options.check)
    if options.require:
        options.folder = options.folder or os.environ.get("WARPMARK_PUBLISHED_FILES")
        if not options.folder:
            print("skipped: WARPMARK_PUBLISHED_FILES names no folder of published files")
            return 77
    if not options.folder:
        parser.error("--folder or --page")
    rows, reasons, left_out = [], [], []
    for repository, (commit, include) in REPOSITORIES.items():
        folder = os.path.join(options.folder, repository.replace("/", "+"))
        files = files_of(folder)
        step = max(1, len(files) // options.most)
        files = files[::step][:options.most]
        folders = [os.path.join(folder, one) for one in include]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = list(pool.map(lambda file: tried(options.program, file, folders), files))
        row = {"repository": repository, "commit": commit, "files": len(files),
               "refused_by_nvcc": sum(one[0] == "refused by nvcc" for one in made),
               "load": sum(one[0] == "loads" for one in made),
               "suites": sum(one[1] for one in made), "kernels_without": sum(len(one[2]) for one in made)}
        rows.append(row)
        left_out += [(os.path.relpath(file, options.folder), why.replace(options.folder + "/", "")) for file, one in zip(files, made) for why in one[2]]
        reasons += [(os.path.relpath(file, options.folder), one[3]) for file, one in zip(files, made) if one[0] == "fails"]
        print("%(repository)-38s %(files)4d files, %(refused_by_nvcc)3d refused by nvcc, %(load)4d load, %(suites)4d suites, "
              "%(kernels_without)3d kernels without one" % row, flush=True)
    counted = sum(row["files"] - row["refused_by_nvcc"] for row in rows)
    loaded = sum(row["load"] for row in rows)
    suites, without = (sum(row[key] for row in rows) for key in ("suites", "kernels_without"))
    print("%d of %d files load (%.1f %%); %d of %d kernels have a suite (%.1f %%)" % (
        loaded, counted, 100 * loaded / max(1, counted), suites, suites + without, 100 * suites / max(1, suites + without)))
    for file, reason in reasons + left_out:
        print("  %s: %s" % (file, reason))
    write_record(options.json, {"repositories": rows, "files": counted, "load": loaded, "suites": suites,
                                "kernels_without": without, "fails": [{"file": file, "why": why} for file, why in reasons],
                                "left_out": [{"file": file, "why": why} for file, why in left_out]})
    reached = counted > 0 and loaded >= 0.95 * counted and suites >= 0.9 * (suites + without)
    return 1 if options.require and not reached else 0


if __name__ == "__main__":
    sys.exit(main())

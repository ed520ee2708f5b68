#!/usr/bin/env python3
"""Asks ptxas which of many slightly changed PTX instructions it takes, and writes down the answers.

    record.py [--seed N] [--each N] [--every KIND] [--processes N] [--ptxas PATH] [--templates FILE] [--out FILE]
    record.py --newest [the same]
    record.py --places [--processes N] [--ptxas PATH] [--templates FILE] [--out FILE]

The instructions are those of templates.txt; the changes drop, double, exchange and replace words of
their opcodes and operands, by a random sequence that the seed fixes. With --newest they are those of
templates_newest.txt, which later versions of PTX have added, and images by name, in texts of NEWEST. With --places they
are those of
places.txt, and each of a list of operands stands in each of their places. acceptance_test.cpp compares
what the CPU device takes with the answers. `mutants` and `ask` are what a further comparison needs.
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Every text is HEAD, the statement on a line of its own, and TAIL. acceptance_test.cpp reads them
# from the record.
NEWEST = "9.5"
HEAD = """.version 9.0
.target {target}
.address_size 64
.global .align 16 .b8 glob[64];
.const .align 16 .b8 cst[64];
.func (.param .b32 fr) callee(.param .b32 fa) {{ .reg .b32 %r; ld.param.b32 %r, [fa]; st.param.b32 [fr], %r; ret; }}
.visible .entry k(.param .u64 out)
{{
.reg .b8 %b<9>; .reg .b16 %h<9>; .reg .u16 %uh<9>; .reg .s16 %sh<9>; .reg .f16 %hf<9>;
.reg .b32 %r<9>; .reg .u32 %u<9>; .reg .s32 %s<9>; .reg .f32 %f<9>; .reg .f16x2 %hx<9>;
.reg .b64 %rd<9>; .reg .u64 %ud<9>; .reg .s64 %sd<9>; .reg .f64 %fd<9>; .reg .b128 %q<9>; .reg .pred %p<9>;
.shared .align 128 .b8 sh[256]; .local .align 16 .b8 loc[64];
L0:
"""
TAIL = "L1:\nret;\n}\n"

TARGETS = ["sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_120"]

# Words that may replace each other.
GROUPS = [
    "b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 f16x2 bf16x2 tf32 b64 u64 s64 f64 b128 pred".split(),
    "f16x2 bf16x2 u16x2 s16x2 f32x2 e4m3x2 e5m2x2".split(),
    "rn rz rm rp rna rni rzi rmi rpi".split(),
    "lo hi wide".split(),
    "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan".split(),
    "global shared local const param shared::cta shared::cluster".split(),
    "relaxed acquire release acq_rel weak volatile sc mmio".split(),
    "cta cluster gpu sys gl".split(),
    "add sub mul min max and or xor inc dec exch cas popc".split(),
    "up down bfly idx".split(),
    "any all uni ballot".split(),
    "approx full rn rz".split(),
    "wrap clamp".split(),
    "l r".split(),
    "ca cg cs lu cv wb wt nc".split(),
    "v2 v4 v8".split(),
    "1d 2d 3d a1d a2d cube acube".split(),
    "trap clamp zero".split(),
    "x1 x2 x4".split(),
    "row col".split(),
    "m8n8k4 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m8n8k16 m16n16k16".split(),
    "e4m3 e5m2 f16 s8 u8 s4 u4 b1".split(),
    "sync aligned".split(),
    "finite infinite number notanumber normal subnormal".split(),
    "shr7 shr15".split(),
    "arrive wait sync test_wait try_wait".split(),
    "L1::evict_last L1::evict_first L1::no_allocate L2::evict_last L2::128B L2::cache_hint".split(),
]
NEWEST_GROUPS = [
    "layout::v0 layout::v1 layout::v2".split(),
    "phase_type::primary phase_type::conditional".split(),
    "init inval arrive test_wait try_wait check_layout pending_count".split(),
    "ignore_oob cp_mask".split(),
    "noftz ftz".split(),
    "L1 L2 L1::32B".split(),
    "valid_addr proxy::readonly no_membermask_overlap".split(),
    "sync_restrict::shared::cta sync_restrict::shared::cluster sync_restrict::shared::cluster::read".split(),
]
INSERTED = ("ftz sat relu NaN abs satfinite cc rn rz approx sync aligned volatile relaxed gpu cta "
            "global shared noftz uni wide lo v2 u32 s32 f32 b32 f16 shiftamt trans nosuch").split()
LEAVES = ("%r8 %u8 %s8 %f8 %hx8 %rd8 %ud8 %sd8 %fd8 %h8 %uh8 %sh8 %hf8 %b8 %q8 %p8 7 0 -1 70000 "
          "1.5 0f3F800000 0d3FF0000000000000 %tid.x %clock64 %clock WARP_SZ _ glob sh cst loc out callee "
          "L1 nosuch").split()
# Operands that --places puts into each place: no operand has a blank. The 32-bit registers that a kernel
# never writes are as good as any.
VALUES = ("%b8 %h8 %uh8 %hf8 %r8 %u8 %f8 %hx8 %rd8 %sd8 %fd8 %q8 %p8 !%p8 !%r8 -%r8 %r8+4 %rd8+4 %p8+4 "
          "0 1 3 -1 -16 16 128 !128 -128 70000 4294967296 -4294967296 1.5 0.5 -0.5 0f3F800000 0f00000000 "
          "%tid.x %clock64 WARP_SZ _ glob sh cst out callee L1 nosuch glob+4").split()
PLACES = ([one for one in VALUES if one[0] != "!"] +
          "!%rd8 !%p8 !16 %rd8+-4 %rd8+70000 sh+4 cst+4 out+4 loc loc+4 glob+-8".split())
OPERANDS = (VALUES + ["{%s}" % one for one in "%r8 %h8 %rd8 16 %p8 _".split()] + "{%r8,%r8} {} %r8|%p8 _|%p8 %r8|_".split() +
            ["[%s]" % one for one in PLACES] + "[] [[%rd8]] {[%rd8]} [{%rd8}] [%rd8,{%r8}] [%rd8,{%r8,%r8}]".split())
LEAF = re.compile(r"%[A-Za-z_]+\d*(?:\.\w+)?|0[fd][0-9A-Fa-f]+|(?<![\w%.])-?\d[\w.]*|(?<![\w.%])[A-Za-z_]\w*")
STATEMENT = re.compile(r"^(@!?%\w+ )?([\w.:]+)(?: (.*))?$")


def split_operands(text):
    """The operands of an instruction: split at the commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "[{(") - (c in "]})")
        if c == "," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return parts + [text[begin:].strip()] if text else []


def joined(guard, words, operands):
    return ((guard or "") + ".".join(words) + (" " + ", ".join(operands) if operands else "")).strip()


def mutants(statement):
    """All one-step changes of the statement, by kind: {kind: [statement, …]}."""
    found = {"modifier": [], "inserted": [], "leaf": [], "operand": []}
    parsed = STATEMENT.match(statement)
    if parsed:
        guard, opcode, rest = parsed.groups()
        words, operands = opcode.split("."), split_operands(rest or "")
        for i in range(1, len(words)):
            change = lambda by: joined(guard, words[:i] + by + words[i + 1:], operands)
            found["modifier"] += [change([]), change([words[i]] * 2)]
            if i + 1 < len(words):
                found["modifier"].append(joined(
                    guard, words[:i] + [words[i + 1], words[i]] + words[i + 2:], operands))
            for group in GROUPS:
                if words[i] in group:
                    found["modifier"] += [change([other]) for other in group if other != words[i]]
        for i in range(1, len(words) + 1):
            found["inserted"] += [joined(guard, words[:i] + [word] + words[i:], operands) for word in INSERTED]
        for i, one in enumerate(operands):
            change = lambda by: joined(guard, words, operands[:i] + by + operands[i + 1:])
            found["operand"] += [change([]), change([one, one]), change(["{%s}" % one]), change(["[%s]" % one]),
                                 change(["{%s,%s}" % (one, one)]), change(["!" + one]), change(["-" + one]),
                                 change([one + "|%p8"]), change([one + "+4"]), change([one.strip("[]{}")])]
            found["operand"] += [change([one[:1] + ",".join(one[1:-1].split(",")[:-1]) + one[-1:]])
                                 for _ in range(1) if one[0] in "{["]
            for j in range(i + 1, len(operands)):
                swapped = list(operands)
                swapped[i], swapped[j] = swapped[j], swapped[i]
                found["operand"].append(joined(guard, words, swapped))
        if not guard:
            found["operand"] += ["@%p8 " + statement, "@!%p8 " + statement, "@%r8 " + statement]
    behind = len((parsed.group(1) or "") + parsed.group(2)) if parsed else 0
    for leaf in LEAF.finditer(statement, behind):
        found["leaf"] += [statement[:leaf.start()] + by + statement[leaf.end():] for by in LEAVES
                          if by != leaf.group()]
    return {kind: sorted(set(all) - {statement}) for kind, all in found.items()}


def places(statement):
    """The statement with a # in each place of an operand in turn, and in one more behind the last."""
    _, opcode, rest = STATEMENT.match(statement).groups()
    operands = split_operands(rest or "")
    for i, one in enumerate(operands):
        inner = []  # a part of the operand
        if one[0] == "[" and "{" in one:
            inner = [re.sub(r"^\[[^,]+", "[#", one), re.sub(r"\{[^,}]+", "{#", one)]
        elif one[0] == "{":
            inner = [re.sub(r"^\{[^,}]+", "{#", one)]
        elif "|" in one:
            inner = ["#|" + one.split("|")[1], one.split("|")[0] + "|#"]
        for part in ["#"] + inner:
            yield joined("", [opcode], operands[:i] + [part] + operands[i + 1:])
    yield joined("", [opcode], operands + ["#"])


def record_places(path, ptxas, processes, out):
    """Writes which operands ptxas takes in each place of the file's statements: "? STATEMENT with a #", and those
    that may stand for the # and those that may not."""
    wanted = list(dict.fromkeys((target, place) for target, one in templates(path) for place in places(one)))
    by_target = {}
    for target, place in wanted:
        by_target.setdefault(target, []).extend(place.replace("#", by) for by in OPERANDS)
    # One by one: what ptxas says of an address depends on the statements around it.
    said = {(target, one): verdict for target, one, verdict in ask_all(ptxas, by_target, processes, 1)}
    target_before = None
    for target, place in wanted:
        if target != target_before:
            out.write(f"= {target}\n")
            target_before = target
        out.write(f"? {place}\n")
        for sign, verdict in (("+", True), ("-", False)):
            these = [by for by in OPERANDS if said[target, place.replace("#", by)] is verdict]
            out.write(sign + "".join(" " + by for by in these) + "\n" if these else "")
    return said


def text_of(target, statements):
    return HEAD.format(target=target) + "".join(one + ";\n" for one in statements) + TAIL


def ask(ptxas, target, statements):
    """Returns ptxas's verdict on each statement: True, False, or None if it crashes."""
    first = HEAD.count("\n") + 1
    verdicts = [None] * len(statements)
    open_ones = list(range(len(statements)))
    path = tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False)
    path.close()

    def run(which):
        with open(path.name, "w") as file:
            file.write(text_of(target, [statements[i] for i in which]))
        try:
            done = subprocess.run([ptxas, "-arch", target, path.name, "-o", os.devnull], capture_output=True,
                                  text=True, timeout=20)
        except subprocess.TimeoutExpired:
            return -1, ""
        return done.returncode, done.stderr

    # Together as long as it names the lines that it refuses; one by one where it does not.
    while open_ones:
        code, said = run(open_ones)
        if code == 0:
            for i in open_ones:
                verdicts[i] = True
            break
        lines = {int(line) - first for line in re.findall(re.escape(path.name) + r", line (\d+); +(?:error|fatal)", said)}
        wrong = [open_ones[at] for at in lines if 0 <= at < len(open_ones)]
        if not wrong:
            for i in open_ones:
                code, said = run([i])
                verdicts[i] = None if code < 0 or not (code == 0 or "error" in said or "fatal" in said) else code == 0
            break
        for i in wrong:
            verdicts[i] = False
        open_ones = [i for i in open_ones if i not in wrong]
    os.unlink(path.name)
    return verdicts


def templates(path):
    """(target, statement) of each line of the file."""
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line and not line.startswith("#"):
            target, _, rest = line.partition(" ") if line.startswith("sm_") else ("sm_90", "", line)
            yield target, rest


def chosen(path, seed, each, every):
    """The statements to ask for, by target: every template, and `each` of its mutants, or all of one kind."""
    draw = random.Random(seed)
    by_target = {}
    for target, statement in templates(path):
        kinds = mutants(statement)
        wanted = [(target, statement), (draw.choice(TARGETS), statement)]
        wanted += [(target, one) for one in kinds.get(every, [])]
        kinds = {kind: all for kind, all in kinds.items() if all}
        for _ in range(each):
            kind = draw.choices(list(kinds), [{"modifier": 4, "inserted": 2, "leaf": 5, "operand": 2}[kind]
                                              for kind in kinds])[0]
            wanted.append((target, draw.choice(kinds[kind])))
        for one_target, one in wanted:
            by_target.setdefault(one_target, set()).add(one)
    return {target: sorted(all) for target, all in sorted(by_target.items())}


def ask_all(ptxas, by_target, processes, batch=20):
    """(target, statement, verdict) of all, in order."""
    jobs = [(target, all[i:i + batch]) for target, all in by_target.items() for i in range(0, len(all), batch)]
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        answers = pool.map(lambda job: ask(ptxas, *job), jobs)
        return [(target, one, verdict) for (target, all), verdicts in zip(jobs, answers)
                for one, verdict in zip(all, verdicts)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--each", type=int, default=16, help="mutants of each template")
    parser.add_argument("--every", default="", help="all mutants of a kind: modifier, inserted, leaf or operand")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--newest", action="store_true", help="what later versions of PTX have added")
    parser.add_argument("--places", action="store_true", help="each operand in each place")
    parser.add_argument("--templates", default=None)
    parser.add_argument("--out", default=None)
    arguments = parser.parse_args()
    version = re.search(r"V[\d.]+", subprocess.run([arguments.ptxas, "--version"], capture_output=True, text=True,
                                                   check=True).stdout).group()
    how = "--places" if arguments.places else f"seed {arguments.seed}, {arguments.each} mutants of each template"
    print(how)
    if arguments.newest:
        global HEAD
        HEAD = HEAD.replace(".version 9.0", f".version {NEWEST}")
        HEAD = HEAD.replace(".func", ".global .texref tref;\n.global .surfref sref;\n.func", 1)
        GROUPS.extend(NEWEST_GROUPS)
    of = "_newest" if arguments.newest else ""
    asked = arguments.templates or os.path.join(HERE, "places.txt" if arguments.places else f"templates{of}.txt")
    recorded = arguments.out or os.path.join(HERE, "recorded_places.txt" if arguments.places else f"recorded{of}.txt")
    with open(recorded, "w", encoding="utf-8") as out:
        out.write(f"# What ptxas {version} takes (+) and refuses (-): written by record.py, {how}.\n")
        out.write("".join("< " + line + "\n" for line in HEAD.format(target="TARGET").splitlines()))
        out.write("".join("> " + line + "\n" for line in TAIL.splitlines()))
        if arguments.places:
            said = record_places(asked, arguments.ptxas, arguments.processes, out)
            print(len(said), "statements,", sum(v is True for v in said.values()), "taken,",
                  sum(v is None for v in said.values()), "crash ptxas")
            return
        by_target = chosen(asked, arguments.seed, arguments.each, arguments.every)
        answers = ask_all(arguments.ptxas, by_target, arguments.processes)
        before = None
        for target, statement, verdict in answers:
            if verdict is None:
                print("ptxas fails itself:", target, statement)
                continue
            if target != before:
                out.write(f"= {target}\n")
                before = target
            out.write(("+ " if verdict else "- ") + statement + "\n")
    print(sum(len(all) for all in by_target.values()), "statements,", sum(v is True for *_, v in answers), "taken")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Random kernels of a few accesses and barriers: the race check says of each whether it has a race.

    random_accesses_test.py LIBRARY [--seconds S] [--seed N]

Threads of one block, or of two that share global memory, load, store and add in patterns that meet, between barriers of the block,
of two of its warps, of a warp and of a part of one. An oracle that keeps every access, and the clocks of all threads, knows the
races.
Exit status: 0; 1 if the check says anything else; 77 there is no NumPy.
"""
import argparse
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "catalogue"))
try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)

import driver
from extension import configure, extension_of, reports_of

WORDS = 96  # of the memory that threads share
# writes, strong: two strong accesses do not race
ACCESSES = {"ld": (False, False), "st": (True, False), "red.add": (True, True), "ld.relaxed.gpu": (False, True), "st.relaxed.gpu": (True, True)}
MASKS = (0xffff, 0xffff0000, 0xaaaaaaaa, 0x55555555)
GUARDS = {  # of the lane, the warp: in PTX, in Python
    "below": ("setp.lt.u32 %p1, %lane, {};", lambda lane, warp, n: lane < n), "from": ("setp.ge.u32 %p1, %lane, {};", lambda lane, warp, n: lane >= n),
    "odd": ("and.b32 %r6, %lane, 1; setp.eq.u32 %p1, %r6, {};", lambda lane, warp, n: lane % 2 == n),
    "warp": ("setp.eq.u32 %p1, %warp, {};", lambda lane, warp, n: warp == n)}


class Access:
    """An access of every thread that its guard lets through; thread t's is at (|t * factor + offset| / divisor ^ flip) % WORDS."""

    def __init__(self, chance, kinds):
        self.kind = chance.choice(kinds)
        self.factor, self.offset, self.divisor, self.flip = chance.choice((
            (chance.choice((1, 1, 1, 1, 2, 3, 31)), chance.choice((0, 0, 1, 2, 8, 16, 31, 32, 33, 64)), 1, 0), (1, 0, 1, 0),
            (1, chance.choice((0, 16, 32, 1)), 1, 0), (1, 0, 1, chance.choice((1, 2, 16, 31, 32, 33))), (0, chance.choice((0, 5, 40)), 1, 0),
            (-1, 2 * WORDS + chance.choice((31, 63, 95)), 1, 0), (1, chance.choice((0, 3)), chance.choice((2, 4, 16, 32)), 0)))
        self.guard = chance.choice((None, None, None, ("below", chance.choice((1, 5, 16, 31))), ("from", chance.choice((1, 16, 31))), ("odd", 1),
                                    ("warp", chance.randrange(3))))
        self.pairs = chance.random() < 0.25 and self.kind in ("ld", "st")  # of two words

    def words(self, thread):
        if self.guard and not GUARDS[self.guard[0]][1](thread % 32, thread // 32, self.guard[1]):
            return ()
        word = ((thread * self.factor + self.offset) // self.divisor ^ self.flip) % WORDS
        return (word & ~1, word | 1) if self.pairs else (word,)

    def text(self, number, space):
        yield "mad.lo.s32 %%r3, %%t, %d, %d; div.u32 %%r3, %%r3, %d; xor.b32 %%r3, %%r3, %d; rem.u32 %%r3, %%r3, %d;" % (
            self.factor, self.offset, self.divisor, self.flip, WORDS)
        if self.pairs:
            yield "and.b32 %r3, %r3, 0xfffffffe;"
        yield "mul.wide.u32 %%rd3, %%r3, 4; add.u64 %%rd3, %%rd3, %s;" % ("%shared" if space == "shared" else "%room")
        if self.guard:
            yield GUARDS[self.guard[0]][0].format(self.guard[1])
        operation, _, order = self.kind.partition(".")
        name = "%s%s.%s%s" % ("@%p1 " if self.guard else "", operation if operation == "red" else self.kind, space,
                              ".add" if operation == "red" else ".v2" if self.pairs else "")
        if operation == "ld":
            registers = "{%r4, %r5}" if self.pairs else "%r4"
            yield "mov.u32 %%r4, 0; mov.u32 %%r5, 0; %s.u32 %s, [%%rd3]; add.u32 %%sum, %%sum, %%r4; add.u32 %%sum, %%sum, %%r5;" % (name, registers)
        elif operation == "st":  # no two stores have one value
            yield "mad.lo.u32 %%r4, %%block, 8192, %%t; mad.lo.u32 %%r4, %%r4, 64, %d; add.u32 %%r5, %%r4, 1; %s.u32 [%%rd3], %s;" % (
                2 * number + 1, name, "{%r4, %r5}" if self.pairs else "%r4")
        else:
            yield "%s.u32 [%%rd3], 3;" % name

    def __repr__(self):
        guard = " if %s %d" % self.guard if self.guard else ""
        return "%s[(%d t + %d) / %d ^ %d]%s%s" % (self.kind, self.factor, self.offset, self.divisor, self.flip, " of two" * self.pairs, guard)


class Barrier:
    """Threads that wait for each other: all, those of the first two warps, of each warp, or some lanes of each."""

    def __init__(self, kind, mask=0):
        self.kind, self.mask = kind, mask

    def groups(self, warps):
        threads = np.arange(32 * warps)
        if self.kind == "block":
            return [threads]
        if self.kind == "two warps":
            return [threads[:64]]
        lanes = [lane for lane in range(32) if self.mask >> lane & 1]
        return [threads.reshape(warps, 32)[warp, lanes] for warp in range(warps)]

    def text(self, number, space):
        if self.kind == "block":
            yield "bar.sync 0;"
        elif self.kind == "two warps":
            yield "setp.lt.u32 %p2, %warp, 2; @%p2 bar.sync 1, 64;"
        else:
            yield "shr.u32 %%r6, %d, %%lane; and.b32 %%r6, %%r6, 1; setp.eq.u32 %%p2, %%r6, 1; @%%p2 bar.warp.sync %d;" % (self.mask, self.mask)

    def __repr__(self):
        return "barrier of %s%s" % (self.kind, " %x" % self.mask if self.mask else "")


class Kernel:
    def __init__(self, chance):
        self.warps, self.space = chance.choice((1, 1, 2, 3)), chance.choice(("shared", "shared", "global"))
        self.blocks = chance.choice((1, 1, 2)) if self.space == "global" else 1
        kinds = chance.choice((("ld", "st"), ("ld", "ld", "ld", "st", "st", "red.add"), tuple(ACCESSES)))
        in_part = chance.random() < 0.4
        self.steps = []
        for _ in range(chance.randrange(2, 9)):
            what = chance.random()
            self.steps.append(Barrier("warp", 0xffffffff) if what < 0.2 else Barrier("block") if what < 0.28 else
                              Barrier("warp", chance.choice(MASKS)) if what < 0.38 and in_part else
                              Barrier("two warps") if what < 0.42 and self.warps == 3 else Access(chance, kinds))

    def text(self):
        lines = [line for number, step in enumerate(self.steps) for line in step.text(number, self.space)]
        return """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 room) {
.reg .b32 %%r<9>, %%t, %%lane, %%warp, %%block, %%sum; .reg .b64 %%rd<5>, %%room, %%shared; .reg .pred %%p<3>; .shared .align 8 .b8 s[%d];
ld.param.u64 %%rd1, [out]; ld.param.u64 %%room, [room]; mov.u32 %%t, %%tid.x; mov.u32 %%r2, s; cvt.u64.u32 %%shared, %%r2;
mov.u32 %%block, %%ctaid.x; and.b32 %%lane, %%t, 31; shr.u32 %%warp, %%t, 5; mov.u32 %%sum, 0;
%s
mad.lo.u32 %%r4, %%block, 96, %%t; mul.wide.u32 %%rd2, %%r4, 4; add.u64 %%rd2, %%rd2, %%rd1; st.global.u32 [%%rd2], %%sum; ret;
}""" % (4 * WORDS, "\n".join(lines))

    def races(self):
        """Pairs of steps with accesses that race."""
        found, accesses = set(), {}
        clocks = np.eye(32 * self.warps, dtype=np.int64)  # what each thread has seen of each
        for number, step in enumerate(self.steps):
            if isinstance(step, Barrier):
                for group in step.groups(self.warps):
                    clocks[group] = clocks[group].max(axis=0)
                    clocks[group, group] += 1
                continue
            writes, strong = ACCESSES[step.kind]
            if self.blocks > 1 and writes and not strong and any(step.words(thread) for thread in range(32 * self.warps)):
                found.add((number, number))
            for thread in range(32 * self.warps):
                for word in step.words(thread):
                    before = accesses.setdefault(word, [])
                    found |= {(one, number) for one, its_writes, its_strong, other, clock in before
                              if (writes or its_writes) and not (strong and its_strong)
                              and (self.blocks > 1 or (other != thread and clocks[thread, other] < clock))}
                    before.append((number, writes, strong, thread, clocks[thread, thread]))
        return found

    def __repr__(self):
        return "%d warps, %d blocks, %s memory: %s" % (self.warps, self.blocks, self.space, self.steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("library")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    print("seed %d" % options.seed)
    chance = random.Random(options.seed)
    device = driver.Device(options.library)
    extension = extension_of(device)
    configure(extension, checks=["race"], workers=1)
    out, room = (driver.Buffer(device, np.zeros(2 * WORDS, np.uint32)) for _ in range(2))
    end, kernels, racing, wrong = time.monotonic() + options.seconds, 0, 0, 0
    while time.monotonic() < end:
        kernel = Kernel(chance)
        module = device.module(kernel.text())
        driver.launch(device, module.function("k"), (kernel.blocks,), (32 * kernel.warps,), [out, room])
        said = [report["message"] for report in reports_of(extension) if report["kind"] == "race"]
        module.unload()
        races = kernel.races()
        if not races:  # values that depend on the order of atomic accesses are no races
            said = [message for message in said if not message.startswith("order of threads decides")]
        kernels, racing = kernels + 1, racing + bool(races)
        if bool(races) != bool(said):
            wrong += 1
            print("%s\n  races: %s; said: %s" % (kernel, sorted(races), said[:2]))
    print("%d kernels, %d with races, %d judged wrongly" % (kernels, racing, wrong))
    sys.exit(1 if wrong or not racing else 0)


if __name__ == "__main__":
    main()

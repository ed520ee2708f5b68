#!/usr/bin/env python3
"""compare_ncu.py without a GPU: what it counts on the CPU device, and how it reads what ncu prints.

    compare_ncu_test.py BUILD
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

import compare_ncu

BUILD = None


class CompareNcu(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.run_program("--cpu-only", "--build", BUILD)
        with open(os.path.join(cls.folder.name, "cpu.json")) as file:
            cls.counted = json.load(file)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_program(cls, *arguments):
        return subprocess.run([sys.executable, "-B", compare_ncu.SELF, "--out", cls.folder.name] + list(arguments),
                              capture_output=True, text=True, check=False)

    def test_as_recorded_on_an_h200(self):
        root, page = compare_ncu.ROOT, os.path.join(self.folder.name, "page.md")
        done = self.run_program("--cpu", os.path.join(self.folder.name, "cpu.json"), "--page", page, "--recorded",
                                os.path.join(root, "results/h200/compare_ncu.jsonl"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(page) as now, open(os.path.join(root, "docs/results/counters-h200.md")) as kept:
            self.assertEqual(now.read(), kept.read(), "docs/results/counters-h200.md says how to write it")

    def test_known_numbers(self):
        # Six warps a launch. A row of 16 bytes a lane is 16 sectors; column k of a tile has k ways.
        for kernel, counter, value in (("load_coalesced_16", "global_load_sectors", 6 * 16),
                                       ("load_one_late_4", "global_load_sectors", 6 * 5),
                                       ("shared_stride_8", "shared_load_wavefronts", 6 * 8),
                                       ("red_five_places", "global_atomic_turns", 6 * 7),
                                       ("transpose_plain", "shared_load_wavefronts", 6 * 32 * 32),
                                       ("transpose_padded", "shared_load_wavefronts", 6 * 32),
                                       ("loop_by_lane", "ptx_divergent_branches", 6 * 31),
                                       ("loop_uniform", "ptx_divergent_branches", 0),
                                       ("flops", "ptx_flops", 192 * 4),
                                       # Probes: 16 odd lanes of a row of words; lane 13 alone; two rows of a bank;
                                       # half of the lanes at one word and 16 others in its bank; three sides;
                                       # at most 1 + 4 turns, as squares are 0, 1 or 4 modulo 8; six turns, of which
                                       # every second adds; eight of the lanes that leave last.
                                       ("load_odd_4", "global_load_sectors", 6 * 4),
                                       ("load_halfwords", "global_load_sectors", 6 * 2),
                                       ("load_odd_16", "global_load_sectors", 6 * 16),
                                       ("shared_one_16", "shared_load_wavefronts", 6),
                                       ("shared_two_rows_4", "shared_load_wavefronts", 6 * 2),
                                       ("shared_half_at_one_4", "shared_load_wavefronts", 6 * 17),
                                       ("shared_halfwords_apart", "shared_load_wavefronts", 6 * 32),
                                       ("red_odd_same", "global_atomic_turns", 6 * 16),
                                       ("red_seventeen_pairs", "global_atomic_turns", 6 * 2),
                                       ("nested_ifs", "global_atomic_requests", 6 * 3),
                                       ("loop_squares", "global_atomic_requests", 6 * 5),
                                       ("loop_with_if", "global_atomic_requests", 6 * 3),
                                       ("leaving_lanes", "shared_load_requests", 6 * 8)):
            self.assertEqual(self.counted[kernel][counter], value, (kernel, counter))
        self.assertGreaterEqual(len(self.counted), 200)

    def table(self, wide, wrong=None):
        """Writes the table that ncu would print if it counted the same, but for one kernel's counter."""
        rows = []
        for number, kernel in enumerate(compare_ncu.all_kernels()):
            values = {}
            for counter, metrics in compare_ncu.METRICS.items():
                mine = compare_ncu.ours(kernel, self.counted[kernel.name], counter)
                if mine is not None and compare_ncu.compared(kernel, counter) and metrics[0] != "FLOPS":
                    values[metrics[0]] = mine + (wrong == (kernel.name, counter))
            head = {"ID": str(number), "Kernel Name": kernel.name + "(unsigned long)"}
            if wide:
                rows.append({**head, **{name: "%d" % value for name, value in values.items()}})
            else:
                rows += [{**head, "Metric Name": name, "Metric Unit": "", "Metric Value": format(value, ",")}
                         for name, value in values.items()]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        path = os.path.join(self.folder.name, "table.csv")
        with open(path, "w") as file:
            file.write("==PROF== Connected to process 7\nsome output\n")
            writer = csv.DictWriter(file, columns, quoting=csv.QUOTE_ALL)
            writer.writeheader()
            writer.writerows(rows)
        return path

    def test_both_forms_of_ncus_table(self):
        for wide in (False, True):
            done = self.run_program("--cpu", os.path.join(self.folder.name, "cpu.json"), "--csv", self.table(wide))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("differs", done.stdout)

    def test_a_difference_is_reported(self):
        path = self.table(False, ("load_scattered_4", "global_load_sectors"))
        done = self.run_program("--cpu", os.path.join(self.folder.name, "cpu.json"), "--csv", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("load_scattered_4 global_load_sectors: ours 192, ncu", done.stdout)
        with open(os.path.join(self.folder.name, "results.md")) as file:
            self.assertIn("| load_scattered_4 | global_load_sectors | 192 | 193 | differs |", file.read())


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main()

# Checks what the built library needs, exports and calls, from its dynamic section.
import re
import subprocess
import sys

library = sys.argv[1]
run = lambda *command: subprocess.run(command, check=True, capture_output=True, text=True).stdout
failures = []

needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", library)))
allowed = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libpthread.so.0", "ld-linux-x86-64.so.2"}
if needed - allowed:
    failures.append(f"needs {sorted(needed - allowed)}")
if "[libwarpmark_cpu.so]" not in run("readelf", "-d", library):
    failures.append("has no SONAME of its own")

symbols = lambda *options: [line.split()[-1].split("@")[0] for line in run("nm", "-D", *options, library).splitlines()]
foreign = [s for s in symbols("--defined-only") if not re.fullmatch(r"cu[A-Z]\w*|warpmark_device_v1", s)]
if foreign:
    failures.append(f"exports {foreign}")
if {"cuCtxSynchronize_v2", "cuCtxGetDevice_v2"} & set(symbols("--defined-only")):
    failures.append("exports a name that clients call with its old signature")

# Results must not depend on the machine's libm. None of its functions is called; a new one needs a
# reason why it is exact everywhere, and then a place in this list.
libm_allowed = set()
libm = {"fma", "fmaf", "sin", "cos", "tan", "exp", "exp2", "log", "log2", "pow", "sqrt", "cbrt", "rint", "nearbyint", "floor",
        "ceil", "trunc", "round", "fmod", "fmin", "fmax", "ldexp", "scalbn", "hypot", "tanh", "sinh", "cosh", "erf", "atan",
        "atan2", "asin", "acos", "log1p", "expm1", "log10", "remainder", "copysign", "frexp", "modf"}
libm |= {name + "f" for name in libm} | {name + "l" for name in libm}
used = set(symbols("--undefined-only")) & libm
if used - libm_allowed:
    failures.append(f"calls {sorted(used - libm_allowed)} of libm")

for failure in failures:
    print(f"{library}: {failure}")
sys.exit(1 if failures else 0)

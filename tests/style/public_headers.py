# Compiles each public header by itself, the .h ones as C, too.
"""Usage: public_headers.py INCLUDE_DIR CXX CC [OPTION...]. OPTIONs (-I…) go to every compilation.

A plugin's author includes one header and nothing before it; a header that leans on another's
includes breaks there and not here.
"""
import pathlib
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]


def compiles(command, header, suffix, folder):
    source = pathlib.Path(folder) / ("alone" + suffix)
    # Twice: the include guard is a part of the contract.
    source.write_text("#include <%s>\n" % header * 2 + "typedef int not_empty;\n")
    done = subprocess.run([*command, *WARNINGS, str(source)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        print("%s: error: does not compile by itself:\n%s" % (header, done.stdout))
    return done.returncode == 0


def main(include, cxx, cc, options):
    headers = sorted(p for p in (include / "warpmark").rglob("*") if p.suffix in (".h", ".hpp"))
    if not headers:
        print("error: no public header in %s" % include)
        return 1
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for path in headers:
            header = path.relative_to(include)
            options_here = ["-I", str(include), *options]
            good &= compiles([cxx, "-std=c++20", *options_here], header, ".cpp", folder)
            if path.suffix == ".h":
                good &= compiles([cc, "-std=c11", *options_here], header, ".c", folder)
    print("%d headers" % len(headers))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]))

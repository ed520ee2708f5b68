#include "grade/pack/pack_scripts.hpp"

#include <map>
#include <string_view>

#include "results/reproduce.hpp"

namespace warpmark {
namespace {

constexpr std::string_view kSetup = R"text(#!/usr/bin/env bash
# Prepares an image of Gradescope for grading with Warpmark. Made by `warpmark pack gradescope`.
# Gradescope runs it once, with a network; grading needs none.
set -euo pipefail
root=${AUTOGRADER_ROOT:-/autograder}
source=$root/source
version=@PYTHON@
export DEBIAN_FRONTEND=noninteractive

# What unpacked the archive may have lost the permissions.
chmod +x "$source"/run_autograder "$source"/@PROGRAM@

apt-get update -qq
if ! @HAS_PYTHON@ && ! apt-get install -y -qq --no-install-recommends @PYTHON_PACKAGES@; then
  echo "setup.sh: error: this image has no Python $version, which the packed Warpmark needs." >&2
  echo "It was built on @RELEASE@: choose an image as new, or pack on a system like the image's." >&2
  exit 1
fi

has_numpy() { "$1" -I -c 'import numpy; assert tuple(map(int, numpy.__version__.split(".")[:2])) >= (1, 24)' 2>/dev/null; }

# The system's NumPy belongs to its own Python, and may be too old.
python=$(command -v @PYTHON_FILE@)
has_numpy "$python" || apt-get install -y -qq --no-install-recommends python3-numpy
if ! has_numpy "$python"; then
  apt-get install -y -qq --no-install-recommends python3-pip
  "$python" -m venv --without-pip "$source/python"
  python3 -m pip install --quiet --target "$source/python/lib/python$version/site-packages" \
    --python-version "$version" --implementation cp --only-binary :all: 'numpy>=1.24'
  python=$source/python/bin/python3
  has_numpy "$python"
fi

# All inputs are derived from the secret.
if [[ ! -e $source/secret ]]; then
  (umask 077 && head -c 32 /dev/urandom | base64 >"$source/secret")
fi

# The image is made only if the program grades in it: lint runs the assignment's kernels.
export WARPMARK_PYTHON=$python
@START@ doctor || true
@START@ grade --lint "$source"/@ASSIGNMENT@ --device cpu@NO_SANDBOX@
)text";

// The first results.json is written before anything else, so that one is left even if the script is
// killed. It has neither `score` nor `tests`: to Gradescope that is a run of the autograder which
// failed, and staff can repeat it.
constexpr std::string_view kRun = R"text(#!/usr/bin/env bash
# Grades one submission on Gradescope with Warpmark. Made by `warpmark pack gradescope`.
# Whatever happens, it leaves a results.json: the grade, or that the grader failed.
root=${AUTOGRADER_ROOT:-/autograder}
source=$root/source
results=$root/results/results.json
limit_s=@LIMIT@

publish() { # a file as results.json, whole or not at all
  mkdir -p "$root/results" && cp "$1" "$results.new" && mv -f "$results.new" "$results"
}

failed() { # what staff should know, without quotes
  mkdir -p "$root/results"
  printf '{"output": "%s %s %s", "output_format": "text", "stdout_visibility": "hidden"}\n' \
    'The grader failed, and your submission is not graded. This is no fault of yours, and costs you no points:' \
    'staff will run it again.\n\nFor staff:' "$1" >"$results.new" && mv -f "$results.new" "$results"
}

failed 'the autograder was ended before it was done.'
if ! out=$(mktemp -d); then
  failed 'there is no place for temporary files.'
  exit 0
fi
trap 'rm -rf "$out"' EXIT

export HOME=$out WARPMARK_CACHE_DIR=$out/cache TMPDIR=$out
if [[ -x $source/python/bin/python3 ]]; then export WARPMARK_PYTHON=$source/python/bin/python3; fi
python=${WARPMARK_PYTHON:-@PYTHON_FILE@}

# Lint was satisfied when the assignment was packed. What it prints is for staff.
timeout --kill-after=10 "$limit_s" @START@ grade "$source"/@ASSIGNMENT@ \
  "$root/submission" -o "$out/grades" --secret "$source/secret" --device cpu -j 1 \
  --without-lint@NO_SANDBOX@ </dev/null
code=$?

# Those who hand in as a group have a grade each; Gradescope gives all the same.
grades=("$out"/grades/students/*/results.json)
case $code in
  0 | 4)
    if [[ -s ${grades[0]} ]] && publish "${grades[0]}"; then exit 0; fi
    failed "warpmark left no grade (exit code $code); its output says why."
    ;;
  2) failed 'warpmark refused what it was given (exit code 2); its output says why.' ;;
  3) failed 'the image lacks something that warpmark needs (exit code 3); its output says what.' ;;
  124 | 137) failed "warpmark did not finish: it was ended after $limit_s s, or by something else (exit code $code)." ;;
  126 | 127) failed "warpmark cannot be started (exit code $code): build the autograder again." ;;
  *) failed "warpmark ended with exit code $code; its output may say why." ;;
esac
exit 0
)text";

constexpr std::string_view kRegrade = R"text(#!/usr/bin/env bash
# Grades again what this archive holds, and compares with the grades in it, but for dates and seconds.
# Needs Python @PYTHON@ with NumPy 1.24 or later, and no network. Made by `warpmark pack audit`.
#   ./regrade [OUT]    the new results go into the folder OUT, else into a temporary one
# Exit codes: 0 all are the same, 1 some are not, 2 to 4 as those of `warpmark grade`.
set -euo pipefail
out=$(realpath -m "${1:-$(mktemp -d)}")
if [[ $# == 0 ]]; then trap 'rm -rf "$out"' EXIT; fi
cd "$(dirname "${BASH_SOURCE[0]}")"
source=$PWD
# What unpacked the archive may have lost the permissions.
chmod +x @PROGRAM@
chmod go= secret
python=${WARPMARK_PYTHON:-@PYTHON_FILE@}
export WARPMARK_PYTHON=$python
@START@ grade @ASSIGNMENT@ @ARGUMENTS@ --secret secret -o "$out" --regrade --without-lint \
  --expect @GRADES@@NO_SANDBOX@
)text";

using Words = std::map<std::string_view, std::string>;

Words words_of(const PackScripts& about) {
  // A package needs an interpreter alone, from wherever; a program, the system's libpython, too.
  const bool package = !about.package.empty();
  const std::string python = "python" + about.python_version;
  return {{"@PROGRAM@", shell_word(about.program)},
          {"@START@", package ? "\"$python\" \"$source\"/" + shell_word(about.package)
                              : "\"$source\"/" + shell_word(about.program)},
          {"@HAS_PYTHON@", package ? "command -v " + python + " >/dev/null" : "false"},
          {"@PYTHON_PACKAGES@", package ? python : "lib" + python + " " + python},
          {"@PYTHON_FILE@", package ? python : "/usr/bin/" + python},
          {"@ASSIGNMENT@", shell_word(about.assignment)},
          {"@PYTHON@", about.python_version},
          {"@RELEASE@", about.release},
          {"@LIMIT@", std::to_string(about.limit_s)},
          {"@NO_SANDBOX@", about.no_sandbox ? " --no-sandbox" : ""}};
}

std::string filled(std::string_view text, const Words& words) {
  std::string out;
  while (true) {
    const size_t at = text.find('@');
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    const size_t end = text.find('@', at + 1);
    const auto word = words.find(end == std::string_view::npos ? std::string_view()
                                                               : text.substr(at, end + 1 - at));
    out += word == words.end() ? "@" : word->second;
    text.remove_prefix(word == words.end() ? at + 1 : end + 1);
  }
}

}  // namespace

std::string setup_script(const PackScripts& about) {
  return filled(kSetup, words_of(about));
}

std::string run_script(const PackScripts& about) {
  return filled(kRun, words_of(about));
}

std::string regrade_script(const PackScripts& about, const std::string& arguments,
                           const std::string& grades) {
  Words words = words_of(about);
  words["@ARGUMENTS@"] = arguments;
  words["@GRADES@"] = shell_word(grades);
  return filled(kRegrade, words);
}

}  // namespace warpmark

#include "grade/pack/pack_workflow.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "results/reproduce.hpp"

namespace warpmark {

std::string workflow_text(const std::vector<std::string>& files, const std::string& version) {
  std::vector<std::string> words;
  for (const std::string& file : files) words.push_back(shell_word(file));
  return fmt::format(
      R"text(# Tries the kernel on the visible cases on each push. Made by `warpmark pack github`.
name: Warpmark

on:
  push:
  workflow_dispatch:

permissions:
  contents: read

env:
  # A version from the package index, or the address of a wheel of a release (https://…/warpmark-….whl).
  WARPMARK: warpmark=={}

jobs:
  visible-cases:
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065  # v5.6.0
        with:
          python-version: "3.12"
      - name: Install Warpmark
        run: python -m pip install "$WARPMARK"
      # Failures become annotations at their lines. Exit code 1: points are lost.
      - name: Try the visible cases
        run: |
          warpmark try assignment.yaml {} --device cpu
)text",
      version, join(words, " "));
}

}  // namespace warpmark

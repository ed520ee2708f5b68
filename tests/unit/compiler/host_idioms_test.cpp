// Ordinary files with code for the CPU have the kernels that nvcc finds in them, and what nvcc
// refuses is refused. host_idioms/record.py writes what nvcc makes of each.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/file.hpp"
#include "base/text.hpp"
#include "compiler/compiler.hpp"

namespace warpmark {
namespace {

struct Idiom {
  std::string name, entries, source;
};

std::vector<Idiom> idioms() {
  const std::string text = read_file(std::filesystem::path(WARPMARK_SOURCE_DIR) /
                                     "tests/unit/compiler/host_idioms/idioms.txt");
  constexpr std::string_view kMark = "\n=== ";
  std::vector<Idiom> all;
  for (size_t at = text.find(kMark); at != std::string::npos;) {
    const size_t next = text.find(kMark, at + 1);
    const std::string part = text.substr(at + kMark.size(), next - at - kMark.size() + 1);
    const size_t name_end = part.find('\n');
    const size_t entries_end = part.find('\n', name_end + 1);
    const std::string entries = part.substr(name_end + 1, entries_end - name_end - 1);
    all.push_back({part.substr(0, name_end), entries.substr(std::string("entries: ").size()),
                   part.substr(entries_end + 1)});
    at = next;
  }
  return all;
}

std::string compiled(const Compiler& compiler, const Idiom& idiom) {
  CompileRequest request;
  request.source = idiom.source;
  request.name = "k.cu";
  request.folder = "/";
  request.architecture = 90;
  try {
    std::vector<std::string> names;
    for (const Entry& entry : compiler.compile(request).entries) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    return join(names, " ");
  } catch (const RefusedError& error) {
    // The place is that of the kernel or device function that is at fault.
    const bool has_line = error.where().file == "k.cu" && error.where().line > 0;
    return idiom.entries == "refused" && has_line ? "refused" : "refused: " + error.message();
  }
}

// A quarter of them a day; unit.compiler_host_idioms, which is long, takes all.
TEST(HostIdioms, HaveTheKernelsThatNvccFinds) {
  const Compiler compiler = Compiler::open();
  const std::vector<Idiom> all = idioms();
  EXPECT_GE(all.size(), 86U);
  const auto day = std::chrono::system_clock::now().time_since_epoch() / std::chrono::hours(24);
  const size_t step = std::getenv("WARPMARK_TEST_ALL") != nullptr ? 1 : 4;
  const size_t first = static_cast<size_t>(day) % step;
  std::printf("idioms from number %zu on, each %zu. one\n", first, step);
  for (size_t i = first; i < all.size(); i += step) {
    EXPECT_EQ(compiled(compiler, all[i]), all[i].entries) << all[i].name;
  }
}

}  // namespace
}  // namespace warpmark

// Zip archives of submissions, and the choice among what was in them.
#include <string>

#include "fuzz/input.hpp"
#include "grade/submission/submission_search.hpp"
#include "python/archives.hpp"
#include "python/interpreter.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpmark;
  static Interpreter python;
  const TemporaryFolder scratch("warpmark-fuzz");
  const std::filesystem::path archive = scratch.path() / "ada.zip";
  write_file_atomically(archive, fuzz::text_of(data, size));
  SubmissionSearch search;
  search.paths = {archive};
  search.scratch = scratch.path() / "unpacked";
  std::filesystem::create_directories(search.scratch);
  search.unpack = [](const std::filesystem::path& from, const std::filesystem::path& to) {
    return unpack_zip(python, from, to, {.files = 100, .file_bytes = 1 << 16, .bytes = 1 << 18});
  };
  SubmissionRules rules;
  rules.file = "scale.cu";
  fuzz::survives([&] { find_submissions(search, rules); });
  return 0;
}

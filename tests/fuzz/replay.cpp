// Runs every file of the corpora through its target, without a fuzzer.
//
// replay_corpora CORPUS-FOLDER: its folders are called as the targets are.
#include <cstdio>
#include <exception>
#include <set>
#include <string>

#include "fuzz/input.hpp"

#define WARPMARK_FUZZ_TARGET(name) extern "C" int fuzz_##name(const uint8_t* data, size_t size);
#include "fuzz/targets.def"
#undef WARPMARK_FUZZ_TARGET

namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  int (*run)(const uint8_t* data, size_t size);
};

constexpr Target kTargets[] = {
#define WARPMARK_FUZZ_TARGET(name) {#name, fuzz_##name},
#include "fuzz/targets.def"
#undef WARPMARK_FUZZ_TARGET
};

// The number of files; 0 for a folder that is not there.
int replay(const Target& target, const fs::path& folder) {
  std::set<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) files.insert(entry.path());
  for (const fs::path& file : files) {
    // Before it is read: it is what stands last if the process dies of it.
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    const std::string bytes = warpmark::read_file(file);
    try {
      target.run(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    } catch (const std::exception& error) {
      std::printf("FAILED: the target threw %s\n", error.what());
      return -1;
    }
  }
  return static_cast<int>(files.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: replay_corpora CORPUS-FOLDER\n");
    return 2;
  }
  bool good = true;
  for (const Target& target : kTargets) {
    const int files = replay(target, fs::path(argv[1]) / target.name);
    if (files == 0) std::printf("FAILED: no corpus of %s\n", target.name);
    good = good && files > 0;
  }
  return good ? 0 : 1;
}

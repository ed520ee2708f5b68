// Compiles CUDA files as the corpus test does, and lists the PTX files it made, for other programs.
//
// compile_corpus BUILDS FILE... prints one JSON object for each file and build: {"name",
// "architecture", "mode", "ptx"}, the last of them a path, or null with "log" where NVRTC refuses
// the source. A build is an architecture and a mode, such as in `80:plain,90:debug`, and either may
// be `all`. Exit status 77: there is no NVRTC.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "device/kernels/corpus.hpp"

namespace warpmark::test {
namespace {

/// Returns whether a comma-separated list has the build.
bool lists(const std::string& builds, const std::string& architecture, const std::string& mode) {
  for (const std::string& build :
       {architecture + ":" + mode, architecture + ":all", "all:" + mode, std::string("all:all")}) {
    if (("," + builds + ",").find("," + build + ",") != std::string::npos) return true;
  }
  return false;
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: compile_corpus BUILDS FILE...\n", stderr);
    return 2;
  }
  std::optional<CorpusCompiler> opened;
  try {
    opened.emplace(WARPMARK_CORPUS_CACHE);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 77;
  }
  CorpusCompiler& compiler = *opened;
  for (int i = 2; i < argc; ++i) {
    const fs::path source = argv[i];
    for (const Mode& mode : kModes) {
      for (const int architecture : kArchitectures) {
        if (!lists(argv[1], std::to_string(architecture), mode.name)) continue;
        const fs::path ptx = compiler.compile_to_file(source, architecture, mode);
        nlohmann::json line = {{"name", source.stem()},
                               {"architecture", architecture},
                               {"mode", mode.name},
                               {"nvrtc", compiler.nvrtc().version()},
                               {"ptx", nullptr}};
        if (ptx.empty()) {
          line["log"] = compiler.log();
        } else {
          line["ptx"] = ptx;
        }
        std::puts(line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
        std::fflush(stdout);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace warpmark::test

int main(int argc, char** argv) {
  try {
    return warpmark::test::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

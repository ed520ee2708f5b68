// Compiles CUDA files as the corpus test does, and lists the PTX files it made, for other programs.
//
// compile_corpus ARCHITECTURES MODES FILE... prints one JSON object for each file, architecture
// (`80,90`, or `all`) and mode (`plain,lines,debug`, or `all`): {"name", "architecture", "mode",
// "ptx"}, the last of them a path, or null with "log" where NVRTC refuses the source. Exit status
// 77: there is no NVRTC.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "device/kernels/corpus.hpp"

namespace warpmark::test {
namespace {

/// Whether a list that a comma separates has the word; `all` has every one.
bool lists(const std::string& words, const std::string& word) {
  return words == "all" || ("," + words + ",").find("," + word + ",") != std::string::npos;
}

int run(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: compile_corpus ARCHITECTURES MODES FILE...\n", stderr);
    return 2;
  }
  CorpusCompiler compiler(WARPMARK_CORPUS_CACHE);
  for (int i = 3; i < argc; ++i) {
    const fs::path source = argv[i];
    for (const Mode& mode : kModes) {
      if (!lists(argv[2], mode.name)) continue;
      for (const int architecture : kArchitectures) {
        if (!lists(argv[1], std::to_string(architecture))) continue;
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
    return 77;
  }
}

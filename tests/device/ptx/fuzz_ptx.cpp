// Loads damaged PTX and launches what loads, with checks off: the device may refuse anything, but
// neither crash, nor hang, nor touch memory outside its arena (the address sanitizer says so).
//
// fuzz_ptx [SECONDS [SEED [FILE…]]]: seeds are the texts of tests/device/compiled and the files given.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace {

using namespace warpmark::test;
namespace fs = std::filesystem;
using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t count) {
  return static_cast<std::size_t>(random() % std::max<std::size_t>(count, 1));
}

// Where words begin: what swaps, deletions and repetitions work on.
std::vector<std::pair<std::size_t, std::size_t>> words_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  constexpr std::string_view blanks = " \t\r\n,;{}[]()";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find_first_not_of(blanks, at), text.size());
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    if (begin < end) words.emplace_back(begin, end - begin);
    at = end;
  }
  return words;
}

std::string damaged(const std::string& seed, Random& random) {
  std::string text = seed;
  const std::size_t changes = 1 + below(random, 4);
  for (std::size_t change = 0; change < changes && !text.empty(); ++change) {
    const auto words = words_of(text);
    if (words.empty()) break;
    const auto [at, length] = words[below(random, words.size())];
    const auto [other, other_length] = words[below(random, words.size())];
    switch (below(random, 8)) {
      case 0:  // a bit
        text[below(random, text.size())] ^= static_cast<char>(1 << below(random, 8));
        break;
      case 1:  // the end
        if (below(random, 8) == 0) text.resize(below(random, text.size()));
        break;
      case 2:  // one word for another
        text.replace(at, length, seed.substr(std::min(other, seed.size()), other_length));
        break;
      case 3:  // a word goes
        text.erase(at, length);
        break;
      case 4: {  // a statement goes, or comes twice
        const std::size_t begin = text.rfind('\n', at), end = text.find('\n', at);
        if (begin == std::string::npos || end == std::string::npos) break;
        if (below(random, 2) == 0)
          text.insert(end, text.substr(begin, end - begin));
        else
          text.erase(begin, end - begin);
        break;
      }
      case 5: {  // a number
        constexpr const char* numbers[] = {
            "0",          "-1",         "1",     "31",   "32",
            "4294967295", "2147483648", "65536", "4096", "0x7fffffffffffffff"};
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
        text.replace(digit, end - digit, numbers[below(random, std::size(numbers))]);
        break;
      }
      case 6: {  // a type or another modifier
        constexpr const char* modifiers[] = {".u8",    ".s64",   ".f32",    ".b128", ".v4",
                                             ".v8",    ".local", ".shared", ".sat",  ".rn",
                                             ".f16x2", ".pred",  ".b8"};
        const std::size_t dot = text.find('.', at);
        if (dot == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_of(". \t\n", dot + 1), text.size());
        text.replace(dot, end - dot, modifiers[below(random, std::size(modifiers))]);
        break;
      }
      default:  // a byte that no text has
        text[below(random, text.size())] = static_cast<char>(below(random, 256));
    }
  }
  return text;
}

std::vector<std::string> entries_of(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(".entry"); at != std::string::npos;
       at = text.find(".entry", at + 6)) {
    const std::size_t begin = text.find_first_not_of(" \t\n", at + 6);
    if (begin == std::string::npos) break;
    const std::size_t end = text.find_first_of(" \t\n(", begin);
    if (end != std::string::npos && end - begin < 200)
      names.push_back(text.substr(begin, end - begin));
  }
  return names;
}

struct Counts {
  long texts = 0, loaded = 0, kernels = 0, launched = 0, failed = 0;
};

void run(const std::string& text, Random& random, Counts& counts) {
  ++counts.texts;
  CUcontext context = nullptr;
  if (api().create_context(&context, 0, 0) != CUDA_SUCCESS) {
    std::fprintf(stderr, "no context\n");
    std::exit(1);
  }
  api().device->configure(nullptr, R"({"check": "none", "instruction_budget": 200000})");
  CUmodule module = nullptr;
  CUdeviceptr memory = 0;
  api().alloc(&memory, 1 << 16);
  if (api().load(&module, text.c_str()) == CUDA_SUCCESS) {
    ++counts.loaded;
    std::vector<std::string> names = entries_of(text);
    std::shuffle(names.begin(), names.end(), random);  // a failure ends the others' turn
    for (const std::string& name : names) {
      CUfunction function = nullptr;
      if (api().function(&function, module, name.c_str()) != CUDA_SUCCESS) continue;
      ++counts.kernels;
      // Parameters are memory where an address fits, else a number that may be a size; and now and
      // then anything. A kernel that faults at once would show nothing.
      std::vector<CUdeviceptr> values(4096, memory);
      std::vector<void*> pointers(1024, values.data());
      std::size_t offset = 0, size = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        if (api().parameter_info(function, i, &offset, &size) != CUDA_SUCCESS) break;
        CUdeviceptr& value = values[values.size() - 1 - i];
        value = size == 8 ? memory : below(random, 64);
        if (below(random, 16) == 0) value = below(random, 2) == 0 ? random() : below(random, 64);
        if (size <= 8) pointers[i] = &value;
      }
      ++counts.launched;
      if (api().launch(function, 1 + static_cast<unsigned>(below(random, 3)), 1, 1,
                       1 + static_cast<unsigned>(below(random, 96)), 1, 1, 256, nullptr,
                       pointers.data(), nullptr) != CUDA_SUCCESS ||
          api().synchronize() != CUDA_SUCCESS) {
        ++counts.failed;
        break;
      }
    }
  }
  api().destroy_context(context);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  const auto seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  std::vector<std::string> seeds;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  for (const auto& entry : fs::directory_iterator(WARPMARK_TEST_DATA)) {
    if (entry.path().extension() == ".ptx") seeds.push_back(read_text(entry.path().filename()));
  }
  // Large texts spend the time on what no kernel reaches; kernels that print would fill the screen.
  std::erase_if(seeds, [](const std::string& text) {
    return text.empty() || text.size() > 200000 || text.find("vprintf") != std::string::npos ||
           text.find("__assertfail") != std::string::npos;
  });
  if (seeds.empty() || api().init(0) != CUDA_SUCCESS) return 1;
  std::sort(seeds.begin(), seeds.end());
  const fs::path last = fs::temp_directory_path() / ("fuzz_ptx_" + std::to_string(getpid()));
  Counts counts;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    const std::string text = damaged(seeds[below(random, seeds.size())], random);
    std::ofstream(last, std::ios::binary) << text;  // what a crash leaves behind
    run(text, random, counts);
  }
  fs::remove(last);
  std::printf("%ld texts, %ld loaded, %ld kernels, %ld launched, %ld failed\n", counts.texts,
              counts.loaded, counts.kernels, counts.launched, counts.failed);
  return counts.launched > 0 ? 0 : 1;
}

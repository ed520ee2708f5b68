// Every symbol of libcuda: the library's own list, what it exports, and NVIDIA's tables.
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "device/api/api_call.hpp"

namespace warpmark::test {
namespace {

std::vector<Json> symbol_list() {
  std::vector<Json> lines;
  api().device->list_symbols(
      [](void* user, const char* text, std::size_t length) {
        static_cast<std::vector<Json>*>(user)->push_back(Json::parse(text, text + length));
      },
      &lines);
  return lines;
}

void* exported(const std::string& name) {
  return dlsym(api().library, name.c_str());
}

TEST(Symbols, TheListIsWhatTheLibraryExports) {
  std::size_t stubs = 0, implemented = 0;
  for (const Json& line : symbol_list()) {
    const std::string name = line["symbol"];
    EXPECT_EQ(exported(name) != nullptr, line["exported"].get<bool>()) << name;
    if (line.contains("per_thread")) {
      EXPECT_NE(exported(line["per_thread"]), nullptr) << line["per_thread"];
    }
    (line["state"] == "stub" ? stubs : implemented) += 1;
  }
  EXPECT_GT(implemented, stubs);
  EXPECT_EQ(stubs + implemented, 548u) << "637 of the toolkit's stub and 8 for OpenGL, less the "
                                          "forms for per-thread streams";
}

TEST(Symbols, TheHiddenTwoAreReachedByVersionOnly) {
  std::set<std::string> hidden;
  for (const Json& line : symbol_list()) {
    if (!line["exported"].get<bool>()) hidden.insert(line["symbol"]);
  }
  EXPECT_EQ(hidden, (std::set<std::string>{"cuCtxGetDevice_v2", "cuCtxSynchronize_v2"}));
  for (const char* name : {"cuCtxGetDevice", "cuCtxSynchronize"}) {
    void *old = nullptr, *now = nullptr;
    ASSERT_CU(api().proc(name, &old, 12080, 0, nullptr));
    ASSERT_CU(api().proc(name, &now, 13000, 0, nullptr));
    EXPECT_EQ(old, exported(name));
    EXPECT_NE(now, nullptr);
    EXPECT_NE(now, old);
  }
}

// A stub ignores what it is given, so that each may be called with nothing.
TEST(Symbols, StubsSayNotSupportedAndAreCounted) {
  using Stub = CUresult (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*);
  std::map<std::string, std::uint64_t> before;
  for (const Json& line : symbol_list()) {
    if (line["state"] != "stub") continue;
    EXPECT_FALSE(line.contains("reason"));
    before[line["symbol"]] = line["calls"];
    std::vector<std::string> names{line["symbol"]};
    if (line.contains("per_thread")) names.push_back(line["per_thread"]);
    for (const std::string& name : names) {
      const auto stub = reinterpret_cast<Stub>(exported(name));
      ASSERT_NE(stub, nullptr) << name;
      EXPECT_EQ(
          stub(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
          CUDA_ERROR_NOT_SUPPORTED)
          << name << ": its row in symbols.def is out of date";
    }
  }
  for (const Json& line : symbol_list()) {
    if (line["state"] != "stub") continue;
    EXPECT_EQ(line["calls"].get<std::uint64_t>(),
              before[line["symbol"]] + (line.contains("per_thread") ? 2 : 1))
        << line["symbol"];
  }
}

TEST(Symbols, ProcAddressKnowsVersionsAndStreams) {
  void *pointer = nullptr, *other = nullptr;
  CUdriverProcAddressQueryResult status{};
  ASSERT_CU(api().proc("cuMemAlloc", &pointer, 12000, 0, &status));
  EXPECT_EQ(pointer, exported("cuMemAlloc_v2"));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
  ASSERT_CU(api().proc("cuMemAlloc", &pointer, 3010, 0, &status));
  EXPECT_EQ(pointer, exported("cuMemAlloc"));
  ASSERT_CU(api().proc("cuLaunchKernelEx", &pointer, 11050, 0, &status));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  ASSERT_CU(api().proc("cuNoSuchThing", &pointer, 12000, 0, &status));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  ASSERT_CU(api().proc("cuLaunchKernel", &pointer, 12000,
                       CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
  EXPECT_EQ(pointer, exported("cuLaunchKernel_ptsz"));
  ASSERT_CU(api().proc("cuMemcpyHtoD", &pointer, 12000,
                       CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
  EXPECT_EQ(pointer, exported("cuMemcpyHtoD_v2_ptds"));
  ASSERT_CU(api().proc("cuMemcpyHtoD", &other, 6050, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                       &status));
  EXPECT_EQ(other, exported("cuMemcpyHtoD_v2")) << "per-thread streams came with CUDA 7";
  EXPECT_EQ(api().proc("cuInit", &pointer, 99000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().proc("cuInit", &pointer, 12000, 3, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().proc(nullptr, &pointer, 12000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api().proc("cuInit", nullptr, 12000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// cudaTypedefs.h has one type for each form of each function: PFN_cuMemcpyHtoD_v7000_ptds.
TEST(Symbols, TheTableIsThatOfCudaTypedefs) {
  std::ifstream file(std::string(WARPMARK_CUDA_INCLUDE) + "/cudaTypedefs.h");
  if (!file) GTEST_SKIP() << "no cudaTypedefs.h in " << WARPMARK_CUDA_INCLUDE;
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  std::set<std::string> ours, theirs;
  for (const Json& line : symbol_list()) {
    const std::string base = line["base"];
    ours.insert(base + " " + std::to_string(line["version"].get<int>()));
    if (line.contains("per_thread")) {
      ours.insert(base + " " + std::to_string(line["per_thread_version"].get<int>()) +
                  " per thread");
    }
  }
  const std::regex type(R"(\*PFN_(cu\w+?)_v(\d+)(_ptsz|_ptds)?\))");
  for (auto found = std::sregex_iterator(all.begin(), all.end(), type);
       found != std::sregex_iterator(); ++found) {
    if (std::stoi((*found)[2]) > 13000) continue;
    const std::string row =
        (*found)[1].str() + " " + (*found)[2].str() + ((*found)[3].matched ? " per thread" : "");
    theirs.insert(row);
    EXPECT_TRUE(ours.contains(row)) << row;
  }
  EXPECT_GT(theirs.size(), 400u);
  if (CUDA_VERSION < 13000) return;  // an older header knows less than we do
  for (const std::string& row : ours) {
    // Other headers have those for OpenGL and profiling.
    if (row.starts_with("cuGL") || row.starts_with("cuGraphicsGL") || row.starts_with("cuProfiler"))
      continue;
    EXPECT_TRUE(theirs.contains(row)) << row;
  }
}

}  // namespace
}  // namespace warpmark::test

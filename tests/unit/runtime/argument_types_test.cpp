// The elements that kernels' parameters point to, by the parameters' types.

#include "runtime/argument_types.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmark {
namespace {

TEST(ArgumentTypes, OfSeveralKernelsRecordsComeFirstThenTheGreatest) {
  PlannedCase planned;
  planned.plan.buffers.resize(4);
  const char* const names[] = {"a", "b", "c", "d"};
  LaunchStep launch;
  for (size_t i = 0; i < 4; ++i) {
    planned.plan.buffers[i].name = names[i];
    planned.plan.buffers[i].dtype = find_dtype("float32");
    launch.arguments.emplace_back(names[i]);
  }
  LaunchStep other = launch;
  other.entry = "other";
  planned.plan.steps = {launch, other};
  const auto kernel = [](const std::vector<std::string>& types) {
    Entry entry;
    for (const std::string& type : types) entry.parameters.push_back({0, 8, 8, type});
    return entry;
  };
  Signatures compiled;
  compiled.kernels = {kernel({"float*", "Node*", "float4*", ""}),
                      kernel({"float4*", "float*", "", ""})};
  const ArgumentTypes types = argument_types(planned, compiled);
  EXPECT_EQ(types.elements, (std::map<std::string, uint64_t>{{"a", 16}, {"b", 0}, {"c", 16}}));
}

TEST(PointedElements, OfNumbersVectorsAndRecords) {
  const std::pair<const char*, std::optional<uint64_t>> types[] = {
      {"float*", 4},
      {"float const*", 4},
      {"float const* __restrict__", 4},
      {"volatile double*", 8},
      {"unsigned char*", 1},
      {"bool*", 1},
      {"float4*", 16},
      {"float4 const*", 16},
      {"uchar4*", 4},
      {"short3*", 6},
      {"longlong2*", 16},
      {"double4_16a*", 32},
      {"double4_32a*", 32},
      {"ulonglong4*", 32},
      {"__half2*", 4},
      {"__nv_bfloat162*", 4},
      {"__nv_bfloat16*", 2},
      {"cuComplex*", 8},
      {"cuDoubleComplex*", 16},
      {"float**", 8},
      {"float const* const*", 8},
      {"float (*) [32]", 4},
      {"float2 (&) [4][8]", 8},
      {"unsigned long long&", 8},
      {"void*", 0},
      {"Node*", 0},
      {"float5*", 0},
      {"std::pair<int, float*>*", 0},
      {"Node (*) [4]", 0},
      {"Box<float*>", std::nullopt},
      {"float4", std::nullopt},
      {"", std::nullopt},
      {"void (*)(float*)", std::nullopt}};
  for (const auto& [type, elements] : types) EXPECT_EQ(pointed_elements(type), elements) << type;
}

}  // namespace
}  // namespace warpmark

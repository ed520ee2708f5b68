#include "ranks/launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace warpmark {

namespace {

// Each launcher's rank and number of ranks. srun with PMIx has a number of its own only: SLURM_NTASKS
// alone says nothing, as the script of a batch job has it, too, which is no rank.
constexpr std::pair<const char*, const char*> kVariables[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
};

std::optional<int> number_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  int number = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, number);
  if (error != std::errc{} || rest != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<LaunchedRank> launched_rank() {
  for (const auto& [rank_variable, size_variable] : kVariables) {
    const auto rank = number_of(rank_variable);
    const auto size = number_of(size_variable);
    if (!rank || !size || *rank >= *size) continue;
    if (*size == 1) return std::nullopt;
    return LaunchedRank{*rank, *size};
  }
  return std::nullopt;
}

}  // namespace warpmark

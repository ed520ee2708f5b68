#include "compiler/ptx_registers.hpp"

#include <algorithm>
#include <array>

namespace warpmark {

namespace {

// The PTX ISA's chapter on special registers, without their numbers and components.
constexpr std::array<std::string_view, 44> kSpecialRegisters = {"%tid",
                                                                "%ntid",
                                                                "%laneid",
                                                                "%warpid",
                                                                "%nwarpid",
                                                                "%ctaid",
                                                                "%nctaid",
                                                                "%smid",
                                                                "%nsmid",
                                                                "%gridid",
                                                                "%is_explicit_cluster",
                                                                "%clusterid",
                                                                "%nclusterid",
                                                                "%cluster_ctaid",
                                                                "%cluster_nctaid",
                                                                "%cluster_ctarank",
                                                                "%cluster_nctarank",
                                                                "%lanemask_eq",
                                                                "%lanemask_le",
                                                                "%lanemask_lt",
                                                                "%lanemask_ge",
                                                                "%lanemask_gt",
                                                                "%clock",
                                                                "%clock_hi",
                                                                "%clock64",
                                                                "%pm",
                                                                "%envreg",
                                                                "%globaltimer",
                                                                "%globaltimer_lo",
                                                                "%globaltimer_hi",
                                                                "%reserved_smem_offset_begin",
                                                                "%reserved_smem_offset_end",
                                                                "%reserved_smem_offset_cap",
                                                                "%reserved_smem_offset_",
                                                                "%total_smem_size",
                                                                "%aggr_smem_size",
                                                                "%dynamic_smem_size",
                                                                "%current_graph_exec",
                                                                "%virtual_smid",
                                                                "%stid",
                                                                "%nstid",
                                                                "%physid",
                                                                "%lanemask",
                                                                "%cluster_barrier"};

}  // namespace

std::string_view without_digits(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  return name.substr(0, end == std::string_view::npos ? name.size() : end + 1);
}

bool is_special_register(std::string_view name) {
  const auto known = [](std::string_view what) {
    return std::find(kSpecialRegisters.begin(), kSpecialRegisters.end(), what) !=
           kSpecialRegisters.end();
  };
  if (known(name)) return true;
  // %pm3, %pm0_64, %envreg7
  const std::string_view family =
      without_digits(name.ends_with("_64") ? name.substr(0, name.size() - 3) : name);
  return family != name && (family == "%pm" || family == "%envreg");
}

}  // namespace warpmark

#include "compiler/ptx_registers.hpp"

#include <algorithm>

namespace warpmark {

std::string_view without_digits(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  return name.substr(0, end == std::string_view::npos ? name.size() : end + 1);
}

const std::vector<std::string>& special_registers() {
  static const std::vector<std::string> kNames = {"%tid",
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
                                                  "%globaltimer",
                                                  "%globaltimer_lo",
                                                  "%globaltimer_hi",
                                                  "%reserved_smem_offset_begin",
                                                  "%reserved_smem_offset_end",
                                                  "%reserved_smem_offset_cap",
                                                  "%total_smem_size",
                                                  "%aggr_smem_size",
                                                  "%dynamic_smem_size",
                                                  "%current_graph_exec"};
  return kNames;
}

bool is_special_register(std::string_view name) {
  const auto& known = special_registers();
  if (std::find(known.begin(), known.end(), name) != known.end()) return true;
  // %pm3, %pm0_64, %envreg7, %reserved_smem_offset_1
  const bool wide = name.starts_with("%pm") && name.ends_with("_64");
  const std::string_view numbered = wide ? name.substr(0, name.size() - 3) : name;
  const std::string_view family = without_digits(numbered);
  return family != numbered &&
         (family == "%pm" || family == "%envreg" || family == "%reserved_smem_offset_");
}

}  // namespace warpmark

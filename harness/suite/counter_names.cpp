// The counters that suites may name; a test compares them with those of the CPU device.
#include <initializer_list>

#include "suite/suite.hpp"

namespace warpmark {

const std::vector<std::string>& counter_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names = {"launches",
                                      "blocks",
                                      "warps",
                                      "threads",
                                      "barriers",
                                      "ptx_thread_instructions",
                                      "ptx_flops",
                                      "ptx_warp_instructions",
                                      "ptx_branches",
                                      "ptx_divergent_branches",
                                      "ptx_longest_warp_instructions",
                                      "ptx_span_instructions"};
    const auto add = [&](const std::string& kind, std::initializer_list<const char*> measures) {
      for (const char* measure : measures) names.push_back(kind + "_" + measure);
    };
    for (const char* name : {"integer", "half", "single", "double", "special", "convert", "move",
                             "memory", "matrix", "exchange", "barrier", "control", "other"}) {
      add("ptx_" + std::string(name), {"thread_instructions", "warp_instructions"});
    }
    for (const char* kind : {"global_load", "global_store", "global_atomic", "local_load",
                             "local_store", "async_global_load", "async_global_store",
                             "texture_load", "surface_load", "surface_store", "surface_atomic"}) {
      add(kind, {"requests", "bytes", "sectors", "unique_bytes", "ideal_sectors"});
    }
    for (const char* kind : {"shared_load", "shared_store", "shared_atomic", "async_shared_load",
                             "async_shared_store"}) {
      add(kind, {"requests", "bytes", "wavefronts", "ideal_wavefronts", "row_excess", "conflicts"});
    }
    add("global_atomic", {"turns"});
    add("shared_atomic", {"turns"});
    add("constant_load", {"requests", "bytes", "turns"});
    add("prefetch", {"requests", "sectors"});
    names.emplace_back("occupancy");
    return names;
  }();
  return kNames;
}

}  // namespace warpmark

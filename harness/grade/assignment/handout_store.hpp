// The stored data of the course's own kernels in a hand-out, which lacks the kernels: types and
// counters.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/inputs.hpp"
#include "worker/counters.hpp"

namespace warpmark {

/// The data of one item, stored by its case id.
struct StoredItem {
  ArgumentTypes types;   ///< `dtypes` and `counts`
  CounterSums counters;  ///< counters of the composites that the item is compared with; empty if it
                         ///< has none
  /// Thread-instructions of the course's own kernel, where they limit those of others; 0 else.
  uint64_t instructions = 0;
};

struct HandoutStore {
  std::map<std::string, StoredItem> items;
};

/// The contents of handout.json.
nlohmann::ordered_json to_json(const HandoutStore& store);
/// Throws a usage error that names the file and the fault in it.
HandoutStore read_handout_store(const std::filesystem::path& file);

}  // namespace warpmark

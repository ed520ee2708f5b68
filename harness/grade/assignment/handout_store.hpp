// What a hand-out keeps of the course's own kernels, which it does not have: types and counters.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/inputs.hpp"
#include "worker/counters.hpp"

namespace warpmark {

/// Of one item, by its case id.
struct StoredItem {
  ArgumentTypes types;   ///< `dtypes` and `counts`
  CounterSums counters;  ///< of what composites hold the item against; empty if it has none
};

struct HandoutStore {
  std::map<std::string, StoredItem> items;
};

/// handout.json.
nlohmann::ordered_json to_json(const HandoutStore& store);
/// Throws a usage error that names the file, and what is wrong in it.
HandoutStore read_handout_store(const std::filesystem::path& file);

}  // namespace warpmark

#include "api/json_text.hpp"

#include <nlohmann/json.hpp>

namespace warpmark::cpu {

std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump();
}

}  // namespace warpmark::cpu

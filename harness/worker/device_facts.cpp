#include "worker/device_facts.hpp"

#include <algorithm>

namespace warpmark {

bool DeviceFacts::has(std::string_view capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

}  // namespace warpmark

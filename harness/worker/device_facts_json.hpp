// A worker's facts about its device in JSON, for other processes and for records.
#pragma once

#include "base/json_fields.hpp"
#include "worker/device_facts.hpp"

namespace warpmark {

/// The members of DeviceFacts in JSON, by json_of and object_from.
template <typename Visit>
void each_field(DeviceFacts& facts, const Visit& visit) {
  visit("kind", facts.kind);
  visit("name", facts.name);
  visit("reason", facts.reason);
  visit("uuid", facts.uuid);
  visit("architecture", facts.architecture);
  visit("driver_version", facts.driver_version);
  visit("driver", facts.driver);
  visit("nvrtc_version", facts.nvrtc_version);
  visit("nvrtc", facts.nvrtc);
  visit("capabilities", facts.capabilities);
  visit("attributes", facts.attributes);
  visit("sandbox", facts.sandbox);
}

}  // namespace warpmark

// A worker's facts about its device in JSON, for other processes and for records.
#pragma once

#include "base/json_fields.hpp"
#include "worker/device_facts.hpp"

namespace warpmark {

/// The members of DeviceFacts in JSON, by json_of and object_from.
WARPMARK_FIELDS(DeviceFacts, kind, name, reason, uuid, architecture, target, driver_version, driver,
                nvrtc_version, nvrtc, capabilities, attributes, sandbox)

}  // namespace warpmark

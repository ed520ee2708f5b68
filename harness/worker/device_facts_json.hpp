// A worker's facts about its device in JSON, for other processes and for records.
#pragma once

#include "base/record_table.hpp"
#include "worker/device_facts.hpp"

namespace warpmark {

/// The members of DeviceFacts, by json_of and object_from, and in records (schema/outcome.json).
template <typename Visit>
void each_field(DeviceFacts& device, const Visit& visit) {
  visit(FieldInfo("kind",
                  "gpu, cpu, or the driver library's name; empty if no case came to a device.")
            .column("device_kind"),
        device.kind);
  visit(FieldInfo("name").column("device_name"), device.name);
  visit(FieldInfo("reason", "Why it was chosen.").no_column().from_month("2026-12"), device.reason);
  visit(FieldInfo("uuid").from_month("2026-12").column("device_uuid"), device.uuid);
  visit(FieldInfo("architecture", "90 for compute capability 9.0.").null_for_0(),
        device.architecture);
  visit(
      FieldInfo("target",
                "What kernels are compiled for unless `kernel.arch` of their suite says otherwise: "
                "sm_90a, or sm_90 for a device that lacks what only sm_90a has.")
          .no_column()
          .from_month("2026-12"),
      device.target);
  visit(FieldInfo("driver_version", "13000 for CUDA 13.0.").null_for_0(), device.driver_version);
  visit(FieldInfo("driver", "The library's file.").no_column().from_month("2026-12"),
        device.driver);
  visit("nvrtc_version", device.nvrtc_version);
  visit(FieldInfo("nvrtc", "The library's file.").no_column().from_month("2026-12"), device.nvrtc);
  visit(FieldInfo("capabilities").from_month("2026-12"), device.capabilities);
  visit("attributes", NamedValues{device.attributes});
  // They stand for grading only, whose results name them.
  visit(FieldInfo("sandbox").unrecorded(), device.sandbox);
}

}  // namespace warpmark

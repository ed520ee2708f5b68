// The device that ctest gives a test: its resources' ids, and its environment variables.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpmark {

/// The id of a device in a file of ctest's resources: "0" of gpu:0, "cpu_1" of cpu:1. Nothing for a
/// kind with letters that an id cannot have.
std::optional<std::string> resource_id(std::string_view kind, int index);

/// The value of an environment variable; null if there is none.
using FindVariable = std::function<const char*(const char* name)>;
/// Of this process.
const char* own_variable(const char* name);

/// What choose_device is asked for `request`. Where ctest gave the test a resource of type `gpus`
/// (CTEST_RESOURCE_GROUP_0_GPUS), "auto" is that device, "gpu:1", and so is its kind without a
/// number. Other requests stay: who names a device knows which, and a test that wants a GPU and
/// was given the CPU device finds none on a machine without one. Of several devices the first
/// counts, of several groups the first. Throws a usage error for variables that cannot be read.
std::string allotted_request(std::string_view request, const FindVariable& find = &own_variable);

}  // namespace warpmark

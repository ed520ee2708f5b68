// The device that ctest gives a test: its resources' ids, and its environment variables.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpmark {

/// The id of a device in a file of ctest's resources: "0" for gpu:0, "cpu_1" for cpu:1. Nothing for
/// a kind with letters that an id cannot have.
std::optional<std::string> resource_id(std::string_view kind, int index);

/// The value of an environment variable; null if there is none.
using FindVariable = std::function<const char*(const char* name)>;
/// The variables of this process.
const char* own_variable(const char* name);

/// The request for choose_device in place of `request`. If ctest gave the test a resource of type
/// `gpus` (CTEST_RESOURCE_GROUP_0_GPUS), "auto" becomes that device, "gpu:1", and so does its kind
/// without a number. Other requests stay: a user who names a device means that one, and a test that
/// wants a GPU and was given the CPU device finds none on a machine without one. The first of
/// several devices and of several groups counts. Throws a usage error for variables that cannot be
/// read.
std::string allotted_request(std::string_view request, const FindVariable& find = &own_variable);

}  // namespace warpmark

// The tables of the keys of suites, which readers know and schema/suite.json is made of.
#pragma once

#include "suite/key_table.hpp"

namespace warpmark {

const KeyTable& kernel_keys();
const KeyTable& output_tolerance_keys();
const KeyTable& tolerance_keys();
const KeyTable& baseline_keys();
const KeyTable& bench_keys();
const KeyTable& fault_keys();
const KeyTable& report_keys();
const KeyTable& compile_error_keys();
const KeyTable& work_keys();
const KeyTable& counted_keys();
const KeyTable& limits_keys();
const KeyTable& skip_keys();
const KeyTable& race_keys();
const KeyTable& mutant_keys();
const KeyTable& lint_keys();
const KeyTable& suite_keys();
const KeyTable& axis_value_keys();
const KeyTable& axis_keys();
const KeyTable& function_keys();
const KeyTable& geometry_keys();
const KeyTable& step_argument_keys();
const KeyTable& launch_step_keys();
const KeyTable& copy_keys();
const KeyTable& copy_step_keys();
const KeyTable& fill_step_keys();
const KeyTable& group_step_keys();
const KeyTable& swap_step_keys();
const KeyTable& tensor_map_keys();
const KeyTable& partition_keys();
const KeyTable& contents_keys();
const KeyTable& argument_keys();
const KeyTable& constant_keys();
const KeyTable& variable_keys();

/// The words of `address`.
const std::vector<std::string>& address_modes();

/// Definitions of every schema of files in which axes have values.
KeyTable file_definitions();

/// schema/suite.json. `definitions` are of plugins with keys of their own: what they refer to, and
/// PLUGINKernel, the schema of `kernel`.
nlohmann::ordered_json suite_schema(const nlohmann::ordered_json& definitions);

}  // namespace warpmark

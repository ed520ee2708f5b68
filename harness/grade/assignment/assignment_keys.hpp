// The tables of the keys of assignments, which readers know and schema/assignment.json is made of.
#pragma once

#include "suite/key_table.hpp"

namespace warpmark {

const KeyTable& submission_keys();
const KeyTable& ptx_keys();
const KeyTable& grade_limits_keys();
const KeyTable& must_fail_keys();
const KeyTable& self_test_keys();
const KeyTable& late_keys();
const KeyTable& leaderboard_keys();
const KeyTable& suite_entry_keys();
const KeyTable& trials_keys();
const KeyTable& degree_keys();
const KeyTable& performance_step_keys();
const KeyTable& performance_keys();
const KeyTable& assignment_case_keys();
const KeyTable& assignment_keys();

/// The words that a case of `must_fail` may give.
const std::vector<std::string>& failing_words();

nlohmann::ordered_json assignment_schema();

}  // namespace warpmark

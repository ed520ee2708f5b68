// Converts compute-sanitizer's output to reports as our own device gives them (warpmark/device.h).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "worker/protocol.hpp"

namespace warpmark {

/// The findings of a log, one for each distinct place, in the order of the first. `buffers` are
/// those of the run: addresses in them, or nearest to them, become argument and index. Lines of
/// unknown form are skipped; if the log counts errors and none could be read, one report says so.
std::vector<nlohmann::ordered_json> read_sanitizer_log(
    std::string_view log, const std::vector<protocol::BufferPlace>& buffers);

/// The reason why the log of an ended sanitizer shows nothing about the kernels: it never looked at
/// them, or did not get to its summary. "" for a complete log.
std::string why_nothing_was_checked(std::string_view log);

}  // namespace warpmark

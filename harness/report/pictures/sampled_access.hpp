// One request of a warp as a device samples it (warpmark/device.h), read as something that may be wrong.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace warpmark {

using ReportJson = nlohmann::ordered_json;

/// A text of an object; "" if it has none of that name.
std::string text_member(const ReportJson& json, const char* name);
/// A whole number that is not negative; nothing else.
std::optional<int64_t> count_member(const ReportJson& json, const char* name);
/// Bits of the lanes of a warp; 0 if there are none.
uint32_t lanes_member(const ReportJson& json, const char* name);
/// "(3,0,0)", or "" without three numbers.
std::string triple_member(const ReportJson& json, const char* name);

struct SampledAccess {
  struct Lane {
    uint32_t lane = 0;
    int64_t place = 0;  ///< bytes: in shared memory an offset, else from a multiple of 128
  };
  std::string kind;    ///< "global_load"
  std::string where;   ///< "block (0,0,0), warp 2"
  int64_t bytes = 0;   ///< of one lane's access, from 1 to 128
  uint32_t asked = 0;  ///< bits of all lanes of the request
  std::vector<Lane> lanes;
  std::string argument, dtype;    ///< of global memory, if its array has a name
  std::optional<int64_t> offset;  ///< bytes of the array before the least address
  std::string file, text;         ///< the file and the text of the line, as far as they are known
  int64_t line = 0;
  ReportJson measures = {};  ///< the object itself

  int64_t measure(const char* name) const { return count_member(measures, name).value_or(0); }
  bool is_of(const char* word) const { return kind.find(word) != std::string::npos; }
  /// "line 12 of k.cu: tile[y][x]".
  std::string line_text() const;
};

/// Nothing if it makes no sense.
std::optional<SampledAccess> read_sampled_access(const ReportJson& json);

}  // namespace warpmark

// Replies of a worker, which holds a submission and is not trusted.
#include "base/json_text.hpp"
#include "fuzz/input.hpp"
#include "worker/protocol.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpmark;
  const nlohmann::json json = try_parse_json(fuzz::text_of(data, size));
  if (json.is_discarded()) return 0;
  try {
    const protocol::Reply reply = protocol::reply_from_json(json);
    std::visit([](const auto& one) { json_line(protocol::to_json(one)); }, reply);
  } catch (const Error&) {  // an internal error, too, by which the front knows a bad worker
  }
  try {
    const protocol::Request request = protocol::request_from_json(json);
    std::visit([](const auto& one) { json_line(protocol::to_json(one)); }, request);
  } catch (const Error&) {
  }
  return 0;
}

#include "grade/assignment/handout_store.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kStoreVersion = 1;

StoredItem read_item(const Json& json) {
  StoredItem item;
  for (const auto& [name, dtype] : json.at("dtypes").items()) {
    const std::optional<DType> known = find_dtype(dtype.get<std::string>());
    if (!known) throw usage_error(fmt::format("there is no dtype `{}`", dtype.get<std::string>()));
    item.types.dtypes.emplace(name, *known);
  }
  if (json.contains("counts")) {
    for (const auto& [name, count] : json.at("counts").items()) {
      item.types.counts.emplace(name, count.get<size_t>());
    }
  }
  if (json.contains("counters")) {
    for (const auto& [name, value] : json.at("counters").items()) {
      item.counters.emplace_back(name, value.get<int64_t>());
    }
  }
  if (json.contains("instructions")) item.instructions = json.at("instructions").get<uint64_t>();
  return item;
}

}  // namespace

Json to_json(const HandoutStore& store) {
  Json items = Json::object();
  for (const auto& [id, item] : store.items) {
    Json one = {{"dtypes", Json::object()}};
    for (const auto& [name, dtype] : item.types.dtypes) one["dtypes"][name] = dtype.name;
    for (const auto& [name, count] : item.types.counts) one["counts"][name] = count;
    for (const auto& [name, value] : item.counters) one["counters"][name] = value;
    if (item.instructions > 0) one["instructions"] = item.instructions;
    items[id] = std::move(one);
  }
  return {{"warpmark_handout", kStoreVersion}, {"items", std::move(items)}};
}

HandoutStore read_handout_store(const std::filesystem::path& file) {
  HandoutStore store;
  const std::string text = read_file(file);
  try {
    const Json json = parse_json(text);
    if (json.at("warpmark_handout") != kStoreVersion) {
      throw usage_error("it is of another version of Warpmark");
    }
    for (const auto& [id, item] : json.at("items").items()) {
      store.items.emplace(id, read_item(item));
    }
  } catch (const Error& error) {
    throw usage_error(error.message(), {display_path(file), 0, 0});
  } catch (const nlohmann::json::exception& error) {
    throw usage_error(fmt::format("{} is not as `warpmark handout` wrote it: {}",
                                  display_path(file), error.what()),
                      {}, "get the folder of the assignment again");
  }
  return store;
}

}  // namespace warpmark

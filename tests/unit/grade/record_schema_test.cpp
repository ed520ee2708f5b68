// The schemas of records in schema/ are those of the tables of their members;
// WARPMARK_UPDATE_GOLDEN=1 rewrites them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/record_table.hpp"
#include "grade/class/grade_shard.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

struct Sample {
  int64_t count = 1;
  std::string added = "as before";
};
template <typename Visit>
void each_field(Sample& sample, const Visit& visit) {
  visit(FieldInfo("count", "A number.").at_least(1), sample.count);
  visit(FieldInfo("added", "A text.").from_month("2026-12"), sample.added);
}

namespace {

using Json = nlohmann::ordered_json;

struct Named {
  const char* name;
  Json schema;
};

std::vector<Named> all_schemas() {
  return {{"grade", grade_schema()}, {"grade_shard", grade_shard_schema()}};
}

TEST(RecordSchemas, AreThoseOfTheTables) {
  for (const Named& one : all_schemas()) {
    const std::filesystem::path file =
        std::filesystem::path(WARPMARK_SOURCE_DIR) / "schema" / (std::string(one.name) + ".json");
    const std::string text = json_wrapped(one.schema) + "\n";
    if (std::getenv("WARPMARK_UPDATE_GOLDEN") != nullptr) write_file_atomically(file, text);
    EXPECT_EQ(read_file(file), text)
        << one.name << ": WARPMARK_UPDATE_GOLDEN=1 of this test writes the table's";
  }
}

Sample read(const char* text) {
  Sample sample;
  const Json json = Json::parse(text);
  const Position where{"sample.json", 0, 0};
  read_record(RecordField(json, where, "the table"), sample);
  return sample;
}

TEST(RecordTable, AFieldIsOneLine) {
  EXPECT_EQ(record_json(Sample{2, "new"}).dump(), R"({"count":2,"added":"new"})");
  EXPECT_EQ(read(R"({"count":2,"added":"new","later":3})").added, "new");
  EXPECT_EQ(record_schema(Sample(), /*closed=*/false).dump(),
            R"({"type":"object","required":["count"],"properties":{"count":{"description":)"
            R"("A number.","type":"integer","minimum":1},"added":{"description":)"
            R"("A text. Absent in records from before 2026-12.","type":"string"}}})");
}

TEST(RecordTable, OldRecordsLackNewFields) {
  EXPECT_EQ(read(R"({"count":2})").added, "as before");
  EXPECT_THROW(read(R"({"added":"new"})"), Error);
  EXPECT_THROW(read(R"({"count":0})"), Error);
  EXPECT_THROW(read(R"({"count":1,"added":5})"), Error);
}

}  // namespace
}  // namespace warpmark

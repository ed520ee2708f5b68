// The schemas in schema/ are those of the tables of members and of keys;
// WARPMARK_UPDATE_GOLDEN=1 rewrites them.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/record_columns.hpp"
#include "base/record_table.hpp"
#include "codegen/kernel_keys.hpp"
#include "grade/assignment/assignment_keys.hpp"
#include "grade/class/grade_shard.hpp"
#include "results/baseline_records.hpp"
#include "results/grade_result.hpp"
#include "results/judgement.hpp"
#include "results/outcome_record.hpp"
#include "suite/suite_keys.hpp"

namespace warpmark {

struct Sample {
  int64_t count = 1;
  std::string added = "as before";
};
template <typename Visit>
void each_field(Sample& sample, const Visit& visit) {
  visit(FieldInfo("count", "A number.").at_least(1), sample.count);
  visit(FieldInfo("added", "A text.").from_month("2026-12").no_column(), sample.added);
}

enum class Mood : uint8_t { good, bad };
constexpr auto words(Mood) {
  return words_are("good", "bad");
}
struct Row {
  Mood mood = Mood::good;
  uint64_t seed = 0;
  std::optional<Sample> sample;
  std::array<int64_t, 3> grid{};
  std::string inside;
};
template <typename Visit>
void each_field(Row& row, const Visit& visit) {
  visit(FieldInfo("mood", "Of today.").in_each_row(), row.mood);
  visit(FieldInfo("seed").column("digits").as_digits(), row.seed);
  visit(FieldInfo("sample", "Of one.").column("its_"), row.sample);
  visit(FieldInfo("grid").column(), row.grid);
  visit(FieldInfo("inside").unrecorded(), row.inside);
}

namespace {

using Json = nlohmann::ordered_json;

struct Named {
  const char* name;
  Json schema;
};

std::vector<Named> all_schemas() {
  return {
      {"grade", grade_schema()},          {"grade_shard", grade_shard_schema()},
      {"outcome", outcome_schema()},      {"baseline", baseline_schema()},
      {"judgement", judgement_schema()},  {"suite", suite_schema(codegen::kernel_definitions())},
      {"assignment", assignment_schema()}};
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

TEST(RecordTable, WhatIsUnrecordedIsInMessagesAlone) {
  Row row;
  row.inside = "more";
  EXPECT_FALSE(record_json(row).contains("inside"));
  EXPECT_FALSE(record_schema(row, true)["properties"].contains("inside"));
  const Json message = record_json(row, RecordScope::message);
  Row back;
  const Position where{"message", 0, 0};
  read_record(RecordField(message, where), back);
  EXPECT_EQ(back.inside, "more");
}

TEST(RecordTable, NumbersThatDoNotFitAreRefused) {
  const Position where{"sample.json", 0, 0};
  const Json most = UINT64_MAX, negative = -1, large = 300;
  uint64_t number = 0;
  read_record(RecordField(most, where), number);
  EXPECT_EQ(number, UINT64_MAX);
  EXPECT_THROW(read_record(RecordField(negative, where), number), Error);
  int8_t small = 0;
  EXPECT_THROW(read_record(RecordField(large, where), small), Error);
  std::array<int64_t, 2> pair{};
  const Json three = {1, 2, 3};
  EXPECT_THROW(read_record(RecordField(three, where), pair), Error);
}

TEST(RecordColumns, ArePartOfTheTable) {
  std::string all;
  for (const RecordColumn& column : record_columns<Row>()) {
    all += column.name + " " + join(column.path, "/") + " " +
           std::to_string(static_cast<int>(column.kind)) + ": " + column.says + "\n";
  }
  EXPECT_EQ(all,
            "mood mood 0: Of today. good, bad.\n"
            "digits seed 1: Its digits.\n"
            "its_count sample/count 2: Of one. A number.\n"
            "grid_x grid/0 2: \ngrid_y grid/1 2: \ngrid_z grid/2 2: \n");
}

TEST(RecordTable, OldRecordsLackNewFields) {
  EXPECT_EQ(read(R"({"count":2})").added, "as before");
  EXPECT_THROW(read(R"({"added":"new"})"), Error);
  EXPECT_THROW(read(R"({"count":0})"), Error);
  EXPECT_THROW(read(R"({"count":1,"added":5})"), Error);
}

}  // namespace
}  // namespace warpmark

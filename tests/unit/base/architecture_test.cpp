#include "base/architecture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmark {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::string& name) {
  try {
    (void)parse_architecture(name, {"x.yaml", 3, 9});
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << name;
    EXPECT_EQ(error.where(), (Position{"x.yaml", 3, 9})) << name;
    return error.what();
  }
}

TEST(Architectures, ReadsTheNamesThatItWrites) {
  for (const char* name : {"sm_50", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_121a"}) {
    EXPECT_EQ(parse_architecture(name).name(), name);
  }
  EXPECT_EQ(parse_architecture("sm_103f"), Architecture(103, 'f'));
  EXPECT_EQ(Architecture(90).name(), "sm_90");
}

TEST(Architectures, RefusesWhatIsNone) {
  for (const char* name : {"", "sm_", "90", "sm_9", "sm_090", "sm_9x", "sm_90b", "sm_90aa",
                           "sm_-90", "sm_1000", "sm_90 ", "SM_90", "sm_99999999999"}) {
    EXPECT_THAT(refusal_of(name), HasSubstr("is no architecture")) << name;
    EXPECT_THAT(refusal_of(name), HasSubstr("write it as `sm_90`")) << name;
  }
  EXPECT_THAT(refusal_of("compute_90a"), HasSubstr("write `sm_90a`, which gives PTX as well"));
  EXPECT_THAT(refusal_of("sm_80a"), HasSubstr("begin at sm_90a\n  hint: write `sm_80`"));
  EXPECT_THAT(refusal_of("sm_90f"), HasSubstr("begin at sm_100f\n  hint: write `sm_90`"));
}

TEST(Architectures, OfADeviceHasAllThatTheDeviceHas) {
  EXPECT_EQ(Architecture::with_own_features(80).name(), "sm_80");
  EXPECT_EQ(Architecture::with_own_features(89).name(), "sm_89");
  EXPECT_EQ(Architecture::with_own_features(90).name(), "sm_90a");
  EXPECT_EQ(Architecture::with_own_features(121).name(), "sm_121a");
}

TEST(Architectures, RunWhereCudaSays) {
  struct Row {
    const char* name;
    int capability;
    bool ptx, cubin;
  };
  for (const Row& row : {Row{"sm_80", 75, false, false},
                         {"sm_80", 80, true, true},
                         {"sm_80", 89, true, true},
                         {"sm_89", 80, false, false},
                         {"sm_80", 90, true, false},
                         {"sm_90", 90, true, true},
                         {"sm_90", 100, true, false},
                         {"sm_90a", 90, true, true},
                         {"sm_90a", 100, false, false},
                         {"sm_100a", 103, false, false},
                         {"sm_100", 103, true, true},
                         {"sm_100f", 103, true, true},
                         {"sm_103f", 100, false, false},
                         {"sm_100f", 120, false, false}}) {
    const Architecture one = parse_architecture(row.name);
    EXPECT_EQ(one.ptx_runs_on(row.capability), row.ptx) << row.name << " on " << row.capability;
    EXPECT_EQ(one.cubin_runs_on(row.capability), row.cubin) << row.name << " on " << row.capability;
  }
}

}  // namespace
}  // namespace warpmark

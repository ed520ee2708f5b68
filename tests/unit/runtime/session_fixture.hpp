// A fixture that writes small suites and runs them through a Session.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "compiler/nvrtc.hpp"
#include "plan/plugin_loader.hpp"
#include "runtime/session.hpp"
#include "suite/case.hpp"

namespace warpmark {

// One interpreter serves the whole process.
inline Interpreter& python() {
  static Interpreter interpreter;
  return interpreter;
}

inline bool compiler_is_there(std::string& reason) {
  try {
    Nvrtc::open();
    return true;
  } catch (const Error& error) {
    reason = error.message();
    return false;
  }
}

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (!compiler_is_there(reason)) GTEST_SKIP() << reason;
    ::setenv("WARPMARK_CACHE_DIR", (folder_.path() / "cache").c_str(), 1);
    options_.device = "cpu";
  }

  // Writes a suite around `kernel` and returns its cases.
  std::vector<Case> make(const std::string& yaml, const std::string& kernel = {}) {
    if (!kernel.empty()) write_file_atomically(folder_.path() / "suites" / "k.cu", kernel);
    const auto file = folder_.path() / "suites" / "t.yaml";
    write_file_atomically(file, "warpmark: 1\n" + yaml);
    return cases(load_suite(file));
  }

  Session& session() {
    if (!session_) session_ = std::make_unique<Session>(python(), options_);
    return *session_;
  }

  Outcome run(const Case& which) { return session().verify(which, make_plan(which, plugins_)); }

  Outcome run(const std::string& yaml, const std::string& kernel) {
    return run(make(yaml, kernel).front());
  }

  const TemporaryFolder folder_{"warpmark-session"};
  SessionOptions options_;
  PluginLoader plugins_;
  std::unique_ptr<Session> session_;
};

inline constexpr const char* kScale =
    "extern \"C\" __global__ void k(float *out, const float *in, float f, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = f * in[i];\n"
    "}\n";
inline constexpr const char* kScaleSuite =
    "kernel: {file: k.cu, entry: k}\n"
    "arguments:\n"
    "  out: {out: in.shape}\n"
    "  in: {in: 'rng.standard_normal((4, 25))'}\n"
    "  f: {scalar: 3}\n"
    "  n: {scalar: 100}\n"
    "launch: {block: 32, grid: 'ceil_div(in.size, 32)'}\n"
    "reference: {out: in_value}\n";

inline std::string scale_suite(const std::string& reference, const std::string& more = {}) {
  std::string suite = kScaleSuite;
  suite.replace(suite.find("in_value"), 8, "\"" + reference + "\"");
  // `in` is a Python keyword, so the argument has another name.
  for (size_t at = 0; (at = suite.find("  in:", at)) != std::string::npos; at += 5) {
    suite.replace(at, 5, "  src:");
  }
  for (size_t at = 0; (at = suite.find("in.s", at)) != std::string::npos; at += 5) {
    suite.replace(at, 2, "src");
  }
  return suite + more;
}

}  // namespace warpmark

#include "support/fault_plan.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace warpmark::faults {

void give_up(const std::string& why) {
  std::fprintf(stderr, "faulty library: %s\n", why.c_str());
  std::abort();
}

namespace {

std::string variable_text(const std::string& name) {
  const char* text = std::getenv(name.c_str());
  return text != nullptr ? text : "";
}

}  // namespace

FaultPlan::FaultPlan(const std::string& variable) {
  std::istringstream texts(variable_text(variable));
  for (std::string text; std::getline(texts, text, ';');) rules_.push_back(parse(text));
  if (rules_.size() > own_.occurrences.size()) give_up("too many faults");
  const std::string path = variable_text(variable + "_LOG");
  if (path.empty()) return;
  log_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const int counts = ::open((path + ".counts").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (log_ < 0 || counts < 0 || ::ftruncate(counts, sizeof(Counters)) != 0) {
    give_up("cannot write " + path);
  }
  void* shared = ::mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED, counts, 0);
  if (shared == MAP_FAILED) give_up("cannot map " + path);
  ::close(counts);
  counters_ = static_cast<Counters*>(shared);  // a new file's zeros are counters at zero
}

FaultPlan::Rule FaultPlan::parse(const std::string& text) {
  Rule rule;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const auto number = [&] { return std::strtoll(value.c_str(), nullptr, 10); };
    if (key == "call") {
      rule.call = static_cast<uint64_t>(number());
    } else if (key == "name") {
      rule.name = value;
    } else if (key == "occurrence") {
      rule.occurrence = static_cast<uint64_t>(number());
    } else if (key == "result") {
      rule.fault.result = static_cast<int>(number());
    } else if (key == "value") {
      rule.fault.value = number();
    } else if (key == "delay_ms") {
      rule.delay_ms = number();
    } else if (key == "signal") {
      rule.signal = static_cast<int>(number());
    } else if (key == "silent") {
      rule.fault.silent = true;
    } else if (key == "sticky") {
      rule.fault.sticky = true;
    } else {
      give_up("`" + word + "` is no part of a fault");
    }
  }
  if ((rule.call == 0) == rule.name.empty()) give_up("`" + text + "` names no call");
  return rule;
}

Fault FaultPlan::next(const char* symbol) {
  const uint64_t call = ++counters_->calls;
  note("call " + std::to_string(call) + " " + symbol);
  Fault fault;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const Rule& rule = rules_[i];
    if (rule.call != 0 ? rule.call != call : rule.name != symbol) continue;
    if (rule.call == 0) {
      const uint64_t occurrence = ++counters_->occurrences[i];
      if (rule.occurrence != 0 && rule.occurrence != occurrence) continue;
    }
    note("fault " + std::to_string(call) + " " + symbol);
    if (rule.delay_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(rule.delay_ms));
    if (rule.signal != 0) std::raise(rule.signal);
    fault = rule.fault;
  }
  return fault;
}

void FaultPlan::note(const std::string& text) {
  if (log_ < 0) return;
  // One write, which O_APPEND keeps whole among processes.
  const std::string line = std::to_string(::getpid()) + " " + text + "\n";
  if (::write(log_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    give_up("cannot write the log");
  }
}

}  // namespace warpmark::faults

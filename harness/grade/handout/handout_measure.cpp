#include "grade/handout/handout_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "grade/assignment/seeds.hpp"
#include "grade/grader/own_kernel.hpp"
#include "grade/submission/graded_plan.hpp"
#include "runtime/composites.hpp"

namespace warpmark {
namespace {

// Asks the course's own kernels what students' graders will want to know.
class Measurer {
 public:
  Measurer(const Assignment& assignment, const std::string& device, Interpreter& python)
      : assignment_(assignment), python_(python), device_(device), own_(python, options()) {}

  HandoutStore measure(const HandoutItems& items) {
    HandoutStore store;
    for (const HandoutSuite& suite : items.suites) {
      for (const Case* item : suite.items) {
        store.items.emplace(item->id, measure(*item, counters_of(item->id)));
      }
    }
    return store;
  }

 private:
  SessionOptions options() const {
    SessionOptions options;
    options.device = device_;
    options.timeout_s = std::max(assignment_.limits.timeout_s, least_net());
    return options;
  }

  // That the performance of an item is measured by, with what `named_count` makes them of.
  std::vector<std::string> counters_of(const std::string& id) const {
    std::vector<std::string> names;
    for (const AssignmentCase& one : assignment_.cases) {
      const bool owns =
          std::ranges::any_of(one.items, [&](const Case& item) { return item.id == id; });
      if (!owns || !one.performance) continue;
      for (const std::string& name : one.performance->counters) {
        for (const CounterTerm& term : terms_of(name)) names.push_back(term.name);
      }
    }
    return names;
  }

  StoredItem measure(const Case& item, const std::vector<std::string>& further) {
    PlannedCase planned = make_plan(item, plugins_);
    const bool limited_by_own = is_limited_by_own(planned, assignment_.limits);
    set_limits(planned, assignment_.limits);
    StoredItem stored;
    if (has_open_dtypes(planned.plan)) {
      const ArgumentTypes types = own_.types(item, planned);
      stored.types.dtypes = types.dtypes;
      for (const auto& [name, elements] : types.counts) {
        if (elements != 1) stored.types.counts.emplace(name, elements);
      }
    }
    std::vector<std::string> names = further;
    if (planned.plan.composites.any() || !names.empty()) {
      for (const std::string& name : composite_counters()) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
      stored.counters = count(item, planned, names);
    }
    if (limited_by_own) {
      counting_.reset();
      stored.instructions = own_.instructions(item, planned);
    }
    return stored;
  }

  // The most of each counter over the trials that students run, whose inputs may differ.
  CounterSums count(const Case& item, const PlannedCase& planned,
                    const std::vector<std::string>& names) {
    const PlannedCase held = unmeasured(planned.baseline ? *planned.baseline : planned);
    CounterSums most;
    for (uint64_t trial = 0; trial < assignment_.trials.count; ++trial) {
      const Outcome outcome =
          counting().verify(item, held, Trial{0, public_seed(assignment_.id, item.id, trial)});
      if (outcome.verdict != Verdict::passed) {
        throw usage_error(fmt::format("the kernel that {} is measured against does not pass: {}",
                                      item.id, outcome.reason),
                          item.suite->where);
      }
      const CounterSums sums = sum_counters(outcome.counters);
      if (sums.empty()) {
        throw environment_error("this device counts nothing, which composites and performance need",
                                "use --device cpu");
      }
      merge(sums, names, most);
    }
    return most;
  }

  static void merge(const CounterSums& sums, const std::vector<std::string>& names,
                    CounterSums& most) {
    for (size_t i = 0; i < names.size(); ++i) {
      const int64_t value = counter_value(sums, names[i]);
      const auto known =
          std::ranges::find_if(most, [&](const auto& one) { return one.first == names[i]; });
      if (known != most.end()) {
        known->second = std::max(known->second, value);
      } else if (value != 0) {
        most.emplace_back(names[i], value);
      }
    }
  }

  Session& counting() {
    if (!counting_) {
      own_.close();
      SessionOptions counted = options();
      counted.counters = {"traffic"};
      counting_ = std::make_unique<Session>(python_, counted);
      counting_->require();
    }
    return *counting_;
  }

  const Assignment& assignment_;
  Interpreter& python_;
  std::string device_;
  OwnKernel own_;
  PluginLoader plugins_;
  std::unique_ptr<Session> counting_;
};

}  // namespace

HandoutStore measure_handout(const Assignment& assignment, const HandoutItems& items,
                             const std::string& device, Interpreter& python) {
  return Measurer(assignment, device, python).measure(items);
}

}  // namespace warpmark

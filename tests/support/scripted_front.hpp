// Shared by the probes of fronts: cases whose outcomes are letters on the command line.
#pragma once

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "runtime/outcome.hpp"
#include "suite/selection.hpp"

namespace warpmark::testing_front {

/// The cases of some suites with a letter each, of "SUITE=LETTERS": in order, `p` for the rest.
class Script {
 public:
  /// The cases, or of them those with these ids.
  std::vector<Case> read(const std::vector<std::string>& scripts,
                         const std::vector<std::string>& ids, Purpose purpose) {
    std::vector<Case> all;
    for (const std::string& script : scripts) {
      const size_t equals = script.rfind('=');
      const std::string letters = script.substr(equals + 1);
      size_t index = 0;
      for (Case& which : cases(load_suite(script.substr(0, equals)), {}, purpose)) {
        letters_[which.id] = index < letters.size() ? letters[index++] : 'p';
        all.push_back(std::move(which));
      }
    }
    return select_cases(std::move(all), ids);
  }

  char letter(const Case& which) const { return letters_.at(which.id); }

  /// The outcome of a case by the letters that all probes have:
  ///   f fails   s is skipped   n passes with a notice   others pass
  ///   e throws an environment error   x throws something else
  ///   w waits for an interrupt, having written "waiting" to stderr   k ends the process at once
  Outcome outcome(const Case& which, char letter) const {
    Outcome outcome;
    outcome.seconds = 0.25;
    switch (letter) {
      case 'f':
        outcome.verdict = Verdict::failed;
        outcome.failure = FailureKind::wrong;
        outcome.reason = "2 of 16 elements of z are wrong";
        outcome.where = {display_path(which.suite->file), 14, 3};
        break;
      case 's':
        outcome.verdict = Verdict::skipped;
        outcome.reason = "needs 80 GiB, the device has 4 GiB";
        break;
      case 'n':
        outcome.notices = {"warning: unused variable"};
        break;
      case 'e':
        throw environment_error("the device is gone", "plug it in");
      case 'x':
        throw std::runtime_error("a mistake");
      case 'k':
        ::raise(SIGKILL);
        break;
      case 'w':
        std::cerr << "waiting" << std::endl;
        while (!interrupted_) ::usleep(1000);
        outcome.verdict = Verdict::interrupted;
        break;
      default:
        break;
    }
    return outcome;
  }

  void interrupt() noexcept { interrupted_ = true; }

 private:
  std::map<std::string, char> letters_;  ///< by case id
  std::atomic<bool> interrupted_ = false;
};

/// Ends a probe as the program ends.
template <typename Run>
int exit_code_of(const Run& run) {
  try {
    return run();
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::cerr << "internal: " << error.what() << "\n";
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace warpmark::testing_front

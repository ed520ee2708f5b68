// `check --search`: adds the cases that a search finds to the work, and says what it did.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "check/search.hpp"
#include "cli/request/case_choice.hpp"
#include "cli/request/job_request.hpp"
#include "report/run/run_report.hpp"

namespace warpmark {

class SearchReport : public RunReport {
 public:
  /// The suites of the chosen cases are searched, one after another, each with an equal part of what
  /// is left of the limits. To be made before the work is taken out of `chosen`.
  SearchReport(const JobRequest& request, const ChosenCases& chosen);

  /// Searches, and appends each smallest failing case to `work`, which `runner` can run. The first
  /// signal ends the search, and the run after it. Throws what `runner` throws.
  void search(CaseRunner& runner, std::vector<CaseWork>& work);

  void start_case(const std::string& case_id) override;
  void end_case(const EndedCase& ended) override;
  std::vector<std::string> notes() override;

 private:
  struct Searched {
    std::shared_ptr<const Suite> suite;
    std::vector<Case> usual;
    SearchResult result = {};
    bool ran = false;
  };
  void note_found(const Searched& one, std::vector<std::string>& notes) const;

  const JobRequest& request_;
  std::vector<Searched> suites_;
  double seconds_ = 0;
  std::set<std::string> failed_;  ///< ids of the cases that fail in the run, too
  int signal_ = 0;                ///< the signal that ended the search; 0 for none
};

}  // namespace warpmark

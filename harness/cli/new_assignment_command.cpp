// `warpmark new assignment`: a folder with an assignment over a suite, to go on from.
#include <memory>

#include "cli/draft/assignment_draft.hpp"
#include "cli/new_kinds.hpp"

namespace warpmark {
namespace {

struct NewRequest {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> suites;
};

}  // namespace

Command new_assignment_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<NewRequest>();
  const ArgumentParser assignment = kinds.add_subcommand(
      "assignment",
      "Write a folder with an assignment over a suite: assignment.yaml, a template for\n"
      "students, the suite's kernel as a solution, and wrong ones; or over several suites,\n"
      "whose kernels are handed in as several files");
  assignment.add_option("NAME", request->folder, "The folder; its last part names the assignment")
      .required()
      .value_name("");
  assignment.add_option("--from", request->suites, "The suite's file; may be given again")
      .one_value_each_time()
      .required()
      .value_name("SUITE");
  return {assignment, [request](Output& out) {
            return draft_assignment(request->folder, request->suites, out);
          }};
}

}  // namespace warpmark

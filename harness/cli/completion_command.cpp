// `warpmark completion SHELL`, and the hidden `warpmark complete` that its scripts ask.
#include <memory>

#include "base/template.hpp"
#include "cli/completion/completion.hpp"
#include "cli/completion/completion_values.hpp"
#include "cli/program/command.hpp"

namespace warpmark {

Command completion_command(const ArgumentParser& program) {
  const auto shell = std::make_shared<std::string>();
  const ArgumentParser app =
      program.add_subcommand("completion", "Print a script that completes words in a shell");
  app.add_option("SHELL", *shell, "bash, zsh or fish").required().value_name("");
  return {app, [shell](Output& out) {
            if (*shell != "bash" && *shell != "zsh" && *shell != "fish") {
              throw usage_error("there is no completion for this shell", {},
                                "those that are known: bash, zsh, fish");
            }
            // Bash cuts the words of a line at `=` and `:`, too, and replaces only what is behind the last cut.
            out.write(embedded_text("cli/completion/" + *shell + ".in"));
            return ExitCode::success;
          }};
}

Command complete_command(const ArgumentParser& program) {
  const auto line = std::make_shared<std::string>();
  const ArgumentParser app = program.add_subcommand("complete", "Complete a line").hide();
  app.add_option("LINE", *line, "The line up to the cursor").required();
  return {app, [program, line](Output& out) {
            const CompletionSources sources{&completion_values};
            for (const std::string& word : complete(program, split_line(*line), sources)) {
              out.print("{}\n", word);
            }
            return ExitCode::success;
          }};
}

}  // namespace warpmark

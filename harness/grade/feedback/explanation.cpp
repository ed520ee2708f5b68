#include "grade/feedback/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "grade/feedback/compile_explanation.hpp"
#include "grade/feedback/fault_explanation.hpp"
#include "grade/feedback/submission_facts.hpp"
#include "grade/feedback/wrong_pattern.hpp"

namespace warpmark {

namespace {

std::string element_name(const OutputVerdict& output, size_t index) {
  if (output.shape.empty()) return "`" + output.output + "`";
  return fmt::format("`{}[{}]`", output.output, fmt::join(subscripts(index, output.shape), ", "));
}

// Threads in a block of the first launch, if arithmetic has already found them.
std::optional<int64_t> block_threads(const Plan* plan) {
  if (plan == nullptr) return std::nullopt;
  for (const Step& step : plan->steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    int64_t threads = 1;
    for (const Size& size : launch->block) {
      const auto* number = std::get_if<int64_t>(&size);
      constexpr int64_t kMostThreads = 1024;  // of any GPU so far
      if (number == nullptr || *number < 1 || *number > kMostThreads) return std::nullopt;
      threads *= *number;
    }
    return threads;
  }
  return std::nullopt;
}

bool is_python(const std::string& file) {
  return file.ends_with(".py");
}

// The facts of a source in CUDA C++; nothing is known of another language.
SubmissionFacts facts_of(const ExplainContext& context) {
  return is_python(context.file.file) ? SubmissionFacts() : SubmissionFacts(context.source);
}

// Causes in the source of the kernel that is launched first.
SourceCauses causes_of(const ExplainContext& context) {
  if (is_python(context.file.file) || context.plan == nullptr || context.source.empty()) return {};
  LaunchFacts launch = launch_facts(*context.plan);
  for (LaunchFacts::Argument& argument : launch.arguments) {
    const auto shape = context.shapes.find(argument.name);
    if (shape != context.shapes.end()) argument.shape = shape->second;
  }
  KernelText text(context.source, launch.entry);
  return {std::move(text), std::move(launch), context.file};
}

std::string pattern_of(const OutputVerdict& output, const ExplainContext& context) {
  const auto values = context.outputs.find(output.output);
  if (values == context.outputs.end()) return "";
  return wrong_pattern({output, values->second.actual, values->second.expected,
                        block_threads(context.plan), context.inputs, facts_of(context)});
}

Symptom symptom_of(const OutputVerdict& output, const ExplainContext& context) {
  Symptom symptom;
  symptom.output = output.output;
  const auto values = context.outputs.find(output.output);
  if (values == context.outputs.end()) return symptom;
  symptom.values = wrong_values(values->second.actual, values->second.expected, context.inputs);
  return symptom;
}

// With what is usual where no cause is known.
std::string unwritten_text(const OutputVerdict& output, const SubmissionFacts& facts,
                           bool with_usual) {
  const Comparison& result = output.comparison;
  if (result.unwritten == result.elements) {
    if (!with_usual) return fmt::format("The kernel gave `{}` no value.", output.output);
    const bool shared = !facts.known() || facts.has("__shared__");
    return fmt::format(
        "The kernel gave `{}` no value. Results must be stored there, as in `{}[…] = …`{}.",
        output.output, output.output,
        shared ? "; what nothing has written before, as in shared memory, is no value either" : "");
  }
  const std::string name = element_name(output, result.first->index);
  if (result.unwritten == 1) {
    return fmt::format("{} got no value from the kernel; all other elements of `{}` did.", name,
                       output.output);
  }
  return fmt::format("{} of {} elements of `{}` got no value from the kernel; the first is {}.",
                     result.unwritten, result.elements, output.output, name);
}

std::string wrong_text(const OutputVerdict& output) {
  const Comparison& result = output.comparison;
  const Mismatch& first = *result.first;
  const std::string name = element_name(output, first.index);
  std::string text =
      first.kind == MismatchKind::unwritten
          ? fmt::format("{} got no value, and {} was expected.", name, first.expected)
          : fmt::format("{} is {}, but {} was expected.", name, first.actual, first.expected);
  if (first.kind == MismatchKind::nan && first.actual == first.expected) {
    text = fmt::format("{} is nan (not a number), which this case does not allow.", name);
  }
  if (result.elements == 1) return text;
  if (result.wrong == 1) {
    text += " It is the only wrong element of " + std::to_string(result.elements) + ".";
  } else if (result.wrong == result.elements) {
    text += fmt::format(" All {} elements are wrong.", result.elements);
  } else {
    text += fmt::format(" {} of {} elements are wrong, this is the first.", result.wrong,
                        result.elements);
  }
  // A value close to the expected one is another kind of mistake than a wrong formula.
  if (result.unwritten > 0 && result.unwritten < result.wrong) {
    text += fmt::format(" {} of them got no value.", result.unwritten);
  }
  if (result.is_narrow()) {
    text +=
        " A part of each was stored, and the rest is what was there before: is a type narrower "
        "than "
        "that of the array stored, as by a pointer that was cast?";
  }
  return text;
}

std::string explain_outputs(const Outcome& outcome, const ExplainContext& context) {
  for (const OutputVerdict& output : outcome.outputs) {
    const Comparison& result = output.comparison;
    if (result.passed() || !result.first) continue;
    const std::string cause = causes_of(context).of(symptom_of(output, context));
    std::string text = result.unwritten == result.wrong
                           ? unwritten_text(output, facts_of(context), cause.empty())
                           : wrong_text(output);
    const std::string why = cause.empty() ? pattern_of(output, context) : cause;
    if (!why.empty()) text += " " + why;
    return text;
  }
  return "The result is wrong: " + printable(outcome.reason) + ".";
}

// "the kernel changed its input `a`: a[3] was 1 and is 2" is a sentence of our own (judge.cpp).
std::string explain_changed_input(const Outcome& outcome) {
  return "T" + printable(outcome.reason).substr(outcome.reason.starts_with("the ") ? 1 : 0) +
         ". This array is only for reading: write results to the output, and declare the input as "
         "`const`, so that the compiler finds such a write.";
}

// The numbers are what `detail` has; the assignment's own kernel can be launched so.
std::string explain_launch() {
  return "The file compiles, but no device can launch the kernel with the threads, blocks and "
         "memory that the assignment gives it. Change what it asks for: `__launch_bounds__`, the "
         "size of `__shared__` arrays, or the registers that each thread needs.";
}

std::string of_the_assignment(const Outcome& outcome) {
  return "The grader could not prepare this case: " + printable(outcome.reason) +
         ". That is no mistake of yours; please tell your teacher.";
}

std::string said_of(const Outcome& outcome) {
  return outcome.error ? outcome.error->message() : outcome.reason;
}

std::string explain_usual(const Outcome& outcome, const ExplainContext& context) {
  switch (outcome.verdict) {
    case Verdict::passed:
      return "";
    case Verdict::skipped:
    case Verdict::not_run:
      return "This case was not run" +
             (outcome.reason.empty() ? "" : ": " + printable(outcome.reason)) + ".";
    case Verdict::interrupted:
      return "Grading was interrupted before this case was finished.";
    case Verdict::failed:
      break;
  }
  switch (outcome.failure) {
    case FailureKind::compile:
      return explain_compile(outcome, context);
    case FailureKind::signature:
      return explain_signature(outcome, context);
    case FailureKind::fault:
    case FailureKind::finding:
    case FailureKind::limit:
    case FailureKind::crash:
      return explain_fault(outcome, context.file, facts_of(context), causes_of(context));
    case FailureKind::wrong:
    case FailureKind::unwritten:
      return explain_outputs(outcome, context);
    case FailureKind::check:
      return "The result is not as it must be: " + printable(outcome.reason) + ".";
    case FailureKind::input_changed:
      return explain_changed_input(outcome);
    case FailureKind::counter:
      return "The results are right, but the kernel does not work as this case asks: " +
             printable(join(split(said_of(outcome), '\n'), "; "));
    case FailureKind::no_fault:
      return "This case is about a mistake that the kernel should make, and it made another or "
             "none: " +
             printable(outcome.reason) + ".";
    case FailureKind::load:
    case FailureKind::input:
    case FailureKind::reference:
      return of_the_assignment(outcome);
    case FailureKind::driver:
      return explain_driver(outcome);
    case FailureKind::launch:
      return explain_launch();
    case FailureKind::none:
    case FailureKind::impossible:  // only of a bench
    case FailureKind::slower:      // only of a bench
    case FailureKind::replayed:    // it is open, and staff decide
      break;
  }
  return printable(outcome.reason);
}

// The terms of CUDA C++ as those of Triton and Numba. A kernel of Triton has no threads to be asked
// about, and no barriers.
std::string in_python(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTerms = {{
      {"There are usually more threads than elements, so each thread must ask `if (i < n)` before "
       "it "
       "uses its element.",
       "The last block usually has fewer elements than the others: does each access ask for the "
       "bound, as by `mask=i < n` (Triton) or `if i < n:` (Numba)?"},
      {"`__syncthreads()`", "a barrier (`cuda.syncthreads()` of Numba)"},
      {"`atomicAdd`", "an atomic addition (`tl.atomic_add`, `cuda.atomic.add`)"},
      {"`blockIdx.x * blockDim.x + threadIdx.x`", "`cuda.grid(1)`"},
      {"`const` before the pointer's type lets the compiler find such lines.",
       "only stores do that."},
      {"`&&`", "`and`"},
  }};
  for (const auto& [cuda, python] : kTerms) {
    for (size_t at = text.find(cuda); at != std::string::npos; at = text.find(cuda, at)) {
      text.replace(at, cuda.size(), python);
      at += python.size();
    }
  }
  return text;
}

}  // namespace

void add_values(ExplainContext& context, const CaseArtifacts& artifacts,
                const std::map<std::string, ReferenceValue>& references) {
  for (const auto& [name, reference] : references) {
    const auto result = artifacts.results.find(name);
    if (result == artifacts.results.end()) continue;
    context.outputs.insert_or_assign(name,
                                     OutputValues{{result->second.dtype(), result->second.bytes()},
                                                  {reference.dtype, reference.bytes}});
  }
  if (!artifacts.inputs) return;
  for (const auto& [name, array] : artifacts.inputs->arrays) {
    context.inputs.insert_or_assign(name, TypedBytes{array.dtype(), array.bytes()});
    context.shapes.insert_or_assign(name, array.shape());
  }
}

std::string explain(const Outcome& outcome, const ExplainContext& context) {
  std::string text = explain_usual(outcome, context);
  if (is_python(context.file.file)) text = in_python(std::move(text));
  if (outcome.schedule) {
    text +=
        " This does not happen when the threads run in their usual order, but in another one that "
        "a GPU may choose as well: a barrier, or a fence, is missing between two of them.";
  }
  return text;
}

}  // namespace warpmark

#include "cli/draft/suite_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "suite/suite.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

// The direction that an extent most likely has: x, y or z; nothing for any length.
std::optional<size_t> direction_of(const std::string& lower) {
  constexpr std::array<std::array<const char*, 9>, 3> kWords = {{
      {"width", "col", "n", "nx", "w", "sizex", "size_x", "dimx", "xdim"},
      {"height", "row", "m", "ny", "h", "sizey", "size_y", "dimy", "ydim"},
      {"depth", "slice", "k", "nz", "d", "sizez", "size_z", "dimz", "zdim"},
  }};
  for (size_t i = 0; i < kWords.size(); ++i) {
    for (const std::string word : kWords[i]) {
      if (lower == word || (word.size() > 2 && lower.find(word) != std::string::npos)) return i;
    }
  }
  return std::nullopt;
}

bool is_usable_name(const std::string& name) {
  try {
    check_name(name, {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

// A word of YAML as it is, or quoted if it would not be one value.
std::string yaml_value(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./()*+ -";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string::npos &&
                     text.front() != ' ' && text.back() != ' ' && text.front() != '-' &&
                     text.front() != '*' && text != "null";
  return plain ? text : json_line(nlohmann::json(printable(text)));
}

struct Extent {
  std::string axis;
  size_t direction = 0;  ///< 0 for x
};

class Draft {
 public:
  explicit Draft(const DraftKernel& kernel) : kernel_(kernel) {
    name_arguments();
    find_extents();
    choose_block();
  }

  SuiteDraft write(const std::string& file, const std::string& schema,
                   const std::vector<std::string>& include,
                   const std::vector<std::string>& options) {
    text_ = schema;
    text_ += "# Guesses of `warpmark new suite` are marked as such, and TODO is yours to write.\n";
    text_ += "warpmark: 1\n";
    line("about: " + yaml_value(kernel_.entry + " of " + file), "a sentence for lists");
    text_ += "kernel:\n  file: " + yaml_value(file) + "\n";
    line("  entry: " + yaml_value(kernel_.entry),
         kernel_.is_guessed ? "the template's arguments are a guess" : "");
    list("include", include);
    list("options", options);
    axes();
    arguments();
    launch();
    references();
    return {std::move(text_), std::move(outputs_)};
  }

 private:
  void list(const std::string& key, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    std::vector<std::string> values;
    for (const std::string& text : texts) values.push_back(yaml_value(text));
    text_ += fmt::format("  {}: [{}]\n", key, join(values, ", "));
  }

  void line(const std::string& text, const std::string& comment) {
    text_ += comment.empty() ? text + "\n" : fmt::format("{:<36}  # {}\n", text, comment);
  }

  bool is_taken(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

  // Gives each argument its name, with a trailing underscore if expressions already use the name.
  void name_arguments() {
    for (const KernelParameter& parameter : kernel_.parameters) {
      std::string name =
          is_identifier(parameter.name) ? parameter.name : fmt::format("arg{}", names_.size());
      while (is_taken(name) || !is_usable_name(name)) name += '_';
      names_.push_back(std::move(name));
    }
  }

  bool is_length(size_t index) const {
    const KernelParameter& parameter = kernel_.parameters[index];
    return !parameter.is_array && parameter.dtype && parameter.dtype->bytes >= 4 &&
           parameter.dtype->kind != DTypeKind::floating && sounds_like_length(parameter.name);
  }

  void find_extents() {
    std::array<bool, 3> used{};
    std::vector<size_t> undirected;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!is_length(i)) continue;
      const std::optional<size_t> direction = direction_of(lower_case(kernel_.parameters[i].name));
      extents_.push_back({names_[i], 3});
      if (direction && !used[*direction] && *direction < kernel_.dimensions) {
        used[*direction] = true;
        extents_.back().direction = *direction;
      } else {
        undirected.push_back(extents_.size() - 1);
      }
    }
    for (const size_t index : undirected) {
      const auto free = std::find(used.begin(), used.end(), false);
      const auto direction = static_cast<size_t>(free - used.begin());
      if (direction >= kernel_.dimensions) break;
      *free = true;
      extents_[index].direction = direction;
    }
    takes_length_ = !extents_.empty();
    const bool has_arrays =
        std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                    [](const KernelParameter& parameter) { return parameter.is_array; });
    if (takes_length_ || !has_arrays) return;
    std::string axis = "n";
    while (is_taken(axis)) axis = axis == "n" ? "size" : axis + "_";
    extents_.push_back({axis, 0});
  }

  void choose_block() {
    constexpr std::array<std::array<uint64_t, 3>, 3> kUsual = {
        {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}}};
    block_ = kUsual[kernel_.dimensions - 1];
    const KernelBounds& bounds = kernel_.bounds;
    if (bounds.block[0] != 0) {
      block_ = bounds.block;
      block_is_given_ = true;
    } else if (bounds.most_threads != 0) {
      for (size_t i = 0; volume(block_) > bounds.most_threads; i = (i + 1) % 3) {
        block_[i] = std::max<uint64_t>(block_[i] / 2, 1);
      }
    }
  }

  // The number of elements of an array: of all extents together, or of one in all directions.
  std::string elements() const {
    std::vector<std::string> factors;
    for (const Extent& extent : extents_) factors.push_back(extent.axis);
    if (factors.size() == 1 && takes_length_) factors.resize(kernel_.dimensions, factors.front());
    return join(factors, " * ");
  }

  std::string axis_values() const {
    if (!takes_length_) {
      const uint64_t threads = volume(block_);
      return fmt::format("[{}, {}]", threads, 16 * threads);
    }
    const size_t extents = std::max(extents_.size(), kernel_.dimensions);
    constexpr std::array kValues = {"[1, 1000, 100003]", "[1, 33, 250]", "[1, 17, 40]", "[2, 9]"};
    return extents <= kValues.size() ? kValues[extents - 1] : "[4]";
  }

  void axes() {
    if (extents_.empty()) return;
    text_ += "axes:\n";
    for (const Extent& extent : extents_) {
      line(fmt::format("  {}: {}", extent.axis, axis_values()),
           takes_length_ ? "guessed: values to try"
                         : "guessed: whole blocks, as the kernel takes no length");
    }
  }

  // NumPy code for an array of this many elements of the dtype.
  static std::string values_of(const DType& dtype, const std::string& elements) {
    if (dtype.kind == DTypeKind::floating) return fmt::format("rng.standard_normal({})", elements);
    if (dtype.kind == DTypeKind::boolean) return fmt::format("rng.random({}) < 0.5", elements);
    return fmt::format("rng.integers(0, 100, {}, np.{})", elements, dtype.name);
  }

  void array(const KernelParameter& parameter, const std::string& name) {
    constexpr size_t kUnknownBytes = 64;
    const std::string type = parameter.type.substr(0, parameter.type.find('*'));
    std::string count = elements();
    std::string comment = "guessed: " + count + " elements";
    std::string dtype;
    std::string value;
    if (!parameter.dtype) {
      count = fmt::format("{} * {}", kUnknownBytes, count);
      value = fmt::format("np.zeros({}, np.uint8)", count);
      dtype = ", dtype: uint8";
      comment =
          fmt::format("guessed: as bytes, {} for each `{}`", kUnknownBytes, printable(trim(type)));
    } else {
      if (!dtype_of_c_type(type)) {
        dtype = fmt::format(", dtype: {}", parameter.dtype->name);
        if (parameter.members > 1) count = fmt::format("{} * {}", parameter.members, count);
        comment = fmt::format("guessed: {} for each `{}`", counted(parameter.members, "number"),
                              printable(trim(type)));
      }
      value = values_of(*parameter.dtype, count);
    }
    if (!parameter.is_const) {
      comment += fmt::format("; {{out: {}}} if it is only written", count);
      outputs_.push_back(name);
    }
    line(fmt::format("  {}: {{{}: {}{}}}", name, parameter.is_const ? "in" : "inout",
                     yaml_value(value), dtype),
         comment);
  }

  void scalar(size_t index) {
    const KernelParameter& parameter = kernel_.parameters[index];
    const std::string& name = names_[index];
    if (is_length(index)) {
      line(fmt::format("  {0}: {{scalar: {0}}}", name), "");
      return;
    }
    // An enumeration has no dtype.
    const bool is_enum = !dtype_of_c_type(parameter.type);
    const DType& dtype = parameter.dtype.value();
    const char* value = dtype.kind == DTypeKind::floating  ? "2"
                        : dtype.kind == DTypeKind::boolean ? "True"
                        : is_enum                          ? "0"
                                                           : "1";
    line(fmt::format("  {}: {{scalar: {}{}}}", name, value,
                     is_enum ? fmt::format(", dtype: {}", dtype.name) : ""),
         "guessed: any value");
  }

  void arguments() {
    if (names_.empty()) return;
    line("arguments:", "in the order of the kernel's parameters");
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!kernel_.parameters[i].is_found) text_ += "  # its name was not found in the source\n";
      if (kernel_.parameters[i].is_array) {
        array(kernel_.parameters[i], names_[i]);
      } else {
        scalar(i);
      }
    }
  }

  // Blocks in one direction, which clusters divide.
  std::string blocks(size_t direction) const {
    const uint64_t cluster = std::max<uint64_t>(kernel_.bounds.cluster[direction], 1);
    std::vector<std::string> factors;
    for (const Extent& extent : extents_) {
      if (kernel_.dimensions == 1 || extent.direction == direction) factors.push_back(extent.axis);
    }
    const bool one_for_all = factors.empty() && extents_.size() == 1 && takes_length_;
    if (one_for_all) factors.push_back(extents_.front().axis);
    if (factors.empty()) return std::to_string(cluster);
    const std::string product = join(factors, " * ");
    const uint64_t threads = takes_length_ ? block_[direction] : volume(block_);
    if (cluster == 1) return fmt::format("ceil_div({}, {})", product, threads);
    return fmt::format("{0} * ceil_div({1}, {2})", cluster, product, cluster * threads);
  }

  void launch() {
    std::vector<std::string> sizes;
    std::vector<std::string> grid;
    for (size_t i = 0; i < kernel_.dimensions; ++i) {
      sizes.push_back(std::to_string(block_[i]));
      grid.push_back(blocks(i));
    }
    const bool flat = kernel_.dimensions == 1;
    text_ += "launch:\n";
    line("  block: " + (flat ? sizes[0] : "[" + join(sizes, ", ") + "]"),
         block_is_given_ ? "the kernel's own" : "guessed");
    // Commas would end an element.
    for (std::string& one : grid) {
      if (!flat && one.find(',') != std::string::npos) one = "\"" + one + "\"";
    }
    line("  grid: " + (flat ? grid[0] : "[" + join(grid, ", ") + "]"),
         "guessed: one thread for each element");
    if (kernel_.has_dynamic_shared) {
      line(fmt::format("  shared: {}", 16 * volume(block_)),
           "guessed: bytes of the kernel's `extern __shared__` array");
    }
  }

  void references() {
    if (outputs_.empty()) {
      text_ += "# The kernel has no array that it could write: cases fail by faults alone.\n";
      return;
    }
    line("reference:", "NumPy, over the inputs as they were before the launch");
    for (const std::string& output : outputs_) {
      line(fmt::format("  {}: {}", output, kUnwrittenReference),
           fmt::format("as in `2 * {}`; cases fail until it is written", output));
    }
    line("tolerance: exact", "or {ulp: 1}, or {rtol: 1e-5, atol: 0}");
  }

  const DraftKernel& kernel_;
  std::vector<std::string> names_;  ///< names of the arguments
  std::vector<Extent> extents_;     ///< axes that sizes are made of
  bool takes_length_ = false;       ///< the extents are arguments
  std::array<uint64_t, 3> block_{};
  bool block_is_given_ = false;
  std::string text_;
  std::vector<std::string> outputs_;
};

}  // namespace

bool sounds_like_length(const std::string& name) {
  const std::string lower = lower_case(name);
  if (direction_of(lower)) return true;
  for (const char* word : {"len", "nelem", "numel", "dim", "total"}) {
    if (lower == word) return true;
  }
  if (lower.starts_with("n_") || lower.starts_with("num") || lower.ends_with("_n") ||
      lower.ends_with("_len")) {
    return true;
  }
  for (const char* word : {"size", "count", "length", "elements"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string launch_obstacle(const DraftKernel& kernel) {
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.obstacle.empty()) continue;
    return fmt::format("its parameter `{}` {}, which a suite cannot give",
                       printable(parameter.name), parameter.obstacle);
  }
  return "";
}

SuiteDraft draft_suite(const DraftKernel& kernel, const std::string& file,
                       const std::string& schema, const std::vector<std::string>& include,
                       const std::vector<std::string>& options) {
  return Draft(kernel).write(file, schema, include, options);
}

}  // namespace warpmark

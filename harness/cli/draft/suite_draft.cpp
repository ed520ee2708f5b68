#include "cli/draft/suite_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/draft/draft_values.hpp"
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
  explicit Draft(const DraftKernel& kernel) : kernel_(kernel), structs_(kernel.structs()) {
    name_arguments();
    find_extents();
    choose_block();
  }

  SuiteDraft write(const DraftOrigin& origin, const std::string& schema) {
    text_ = schema;
    text_ += "# Guesses of `warpmark new suite` are marked as such, and TODO is yours to write.\n";
    text_ += "warpmark: 1\n";
    line("about: " + yaml_value(kernel_.entry + " of " + origin.file), "a sentence for lists");
    text_ += "kernel:\n  file: " + yaml_value(origin.file) + "\n";
    line("  entry: " + yaml_value(kernel_.entry),
         kernel_.is_guessed ? "the template's arguments are a guess" : "");
    if (!origin.arch.empty()) text_ += "  arch: " + origin.arch + "\n";
    list("include", origin.include);
    list("options", origin.options);
    if (!structs_.empty()) text_ += "types:\n" + types_text(structs_);
    axes();
    arguments();
    constants();
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
    return std::ranges::find(names_, name) != names_.end();
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
    return parameter.role == ParameterRole::value && parameter.structs.empty() &&
           parameter.members == 1 && is_length(parameter.name, parameter.dtype);
  }
  static bool is_length(const std::string& name, const std::optional<DType>& dtype) {
    return dtype && dtype->bytes >= 4 && is_integer(*dtype) && sounds_like_length(name);
  }

  struct Length {
    std::string axis, name;  // as an argument or axis, and in the source
  };

  // Lengths among the arguments, then those in structs by value, which get axes of their own.
  std::vector<Length> lengths() {
    std::vector<Length> all;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (is_length(i)) all.push_back({names_[i], kernel_.parameters[i].name});
    }
    for (const KernelParameter& parameter : kernel_.parameters) {
      if (parameter.role != ParameterRole::value || parameter.structs.empty()) continue;
      (void)struct_value(
          parameter.structs.back(), structs_,
          [&](const std::string& path, const DraftField& field) {
            if (!field.extents.empty() || !is_length(field.name, find_dtype(field.type))) {
              return std::string();
            }
            std::string axis = field.name;
            while (is_taken(axis) || !is_usable_name(axis)) axis += '_';
            field_axes_[parameter.name + path] = axis;
            all.push_back({axis, field.name});
            return std::string("0");
          });
    }
    return all;
  }

  void find_extents() {
    std::array<bool, 3> used{};
    std::vector<size_t> undirected;
    for (const Length& length : lengths()) {
      const std::optional<size_t> direction = direction_of(lower_case(length.name));
      if (has_extent(length.axis)) continue;  // of two structs
      extents_.push_back({length.axis, 3});
      if (direction && !used[*direction] && *direction < kernel_.dimensions) {
        used[*direction] = true;
        extents_.back().direction = *direction;
      } else {
        undirected.push_back(extents_.size() - 1);
      }
    }
    for (const size_t index : undirected) {
      const auto free = std::ranges::find(used, false);
      const auto direction = static_cast<size_t>(free - used.begin());
      if (direction >= kernel_.dimensions) break;
      *free = true;
      extents_[index].direction = direction;
    }
    takes_length_ = !extents_.empty();
    const bool has_arrays = std::ranges::any_of(kernel_.parameters, [](const KernelParameter& one) {
      return one.role != ParameterRole::value || has_pointer(one.structs);
    });
    if (takes_length_ || !has_arrays) return;
    std::string axis = "n";
    while (is_taken(axis)) axis = axis == "n" ? "size" : axis + "_";
    extents_.push_back({axis, 0});
  }

  bool has_extent(const std::string& axis) const {
    return std::ranges::any_of(extents_, [&](const Extent& one) { return one.axis == axis; });
  }

  static bool has_pointer(const std::vector<DraftStruct>& structs) {
    for (const DraftStruct& one : structs) {
      for (const DraftField& field : one.fields) {
        if (field.type.ends_with('*')) return true;
      }
    }
    return false;
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

  // Writes an array with elements of this type. `type` is C++, for people.
  void array(const std::string& name, const KernelParameter& parameter, const std::string& type) {
    constexpr size_t kUnknownBytes = 64;
    std::string count = elements();
    std::string comment = "guessed: " + count + " elements";
    std::string dtype;
    std::string value;
    if (!parameter.structs.empty()) {
      value = array_values(parameter.structs.back(), structs_, {count});
    } else if (!parameter.dtype) {
      count = fmt::format("{} * {}", kUnknownBytes, count);
      value = fmt::format("np.zeros({}, np.uint8)", count);
      dtype = ", dtype: uint8";
      comment = fmt::format("guessed: as bytes, {} for each `{}`", kUnknownBytes, printable(type));
    } else {
      if (!dtype_of_c_type(type) || parameter.role == ParameterRole::pointers) {
        dtype = fmt::format(", dtype: {}", parameter.dtype->name);
        if (parameter.members > 1) count = fmt::format("{} * {}", parameter.members, count);
        comment = fmt::format("guessed: {} for each `{}`", counted(parameter.members, "number"),
                              printable(type));
      }
      value = array_values(*parameter.dtype, {count});
    }
    if (!parameter.is_const) {
      comment += fmt::format("; {{out: {}}} if it is only written", count);
      outputs_.push_back(name);
    }
    if (!parameter.structs.empty()) dtype_of_struct(name, parameter, dtype);
    line(fmt::format("  {}: {{{}: {}{}}}", name, parameter.is_const ? "in" : "inout",
                     yaml_value(value), dtype),
         comment);
  }

  // An array that no parameter is has no type but the one that is written.
  void dtype_of_struct(const std::string& name, const KernelParameter& parameter,
                       std::string& dtype) const {
    if (std::ranges::find(names_, name) != names_.end() && parameter.role == ParameterRole::array) {
      return;
    }
    dtype = ", dtype: " + yaml_value(parameter.structs.back().name);
  }

  static std::string pointee(const std::string& type) {
    return std::string(trim(type.substr(0, type.find('*'))));
  }

  // Arrays that no parameter is, behind the arguments of the kernel.
  std::string further_array(const std::string& wanted, const KernelParameter& of,
                            const std::string& type) {
    std::string name = wanted;
    while (is_taken(name) || has_extent(name) || !is_usable_name(name)) name += '_';
    further_.push_back({name, of, type});
    names_.push_back(name);
    return name;
  }

  void pointers(const KernelParameter& parameter, const std::string& name) {
    std::vector<std::string> arrays;
    for (const char* which : {"_0", "_1"}) {
      arrays.push_back(further_array(name + which, parameter, pointee(parameter.type)));
    }
    line(fmt::format("  {}: {{pointers: [{}]}}", name, join(arrays, ", ")),
         "guessed: pointers to two arrays");
  }

  // A texture or surface. The last axis of its value is x, or has the channels.
  void image(const KernelParameter& parameter, const std::string& name) {
    constexpr const char* kUnknownExtent = "32";
    std::vector<std::string> shape;
    for (size_t axis = parameter.image_axes; axis-- > 0;) {
      std::string extent = kUnknownExtent;
      for (const Extent& one : extents_) {
        if (one.direction == axis || extents_.size() == 1) extent = one.axis;
      }
      shape.push_back(extent);
    }
    const bool is_surface = parameter.role == ParameterRole::surface;
    std::string more = fmt::format(", dtype: {}", parameter.dtype.value().name);
    if (parameter.members > 1) {
      shape.push_back(std::to_string(parameter.members));
      more += fmt::format(", channels: {}", parameter.members);
    }
    if (is_surface) {
      more += ", surface: true";
      outputs_.push_back(name);
    }
    line(fmt::format("  {}: {{{}: {}{}}}", name, is_surface ? "inout" : "texture",
                     yaml_value(array_values(*parameter.dtype, shape)), more),
         "guessed: shape, dtype and, by `address` and `filter`, how it is read");
  }

  // A tensor map, and behind the arguments its array. Boxes are copied whole, whatever is an extent.
  void tensor_map(const KernelParameter& parameter, const std::string& name) {
    std::string array = name + "_array";
    while (is_taken(array) || has_extent(array)) array += '_';
    names_.push_back(array);
    const std::vector<std::string> box(parameter.image_axes, "16");
    line(fmt::format("  {}: {{tensor_map: {}, box: [{}]}}", name, array, join(box, ", ")),
         "guessed: the box that it copies, the last axis x, and `swizzle: none`");
    tensors_.push_back({array, parameter.image_axes});
    outputs_.push_back(array);
  }

  void tensors() {
    for (const auto& [name, axes] : tensors_) {
      const std::vector<std::string> shape(axes, axes > 2 ? "16" : "64");
      line(fmt::format("  {}: {{inout: {}, dtype: float32}}", name,
                       yaml_value(array_values(*find_dtype("float32"), shape))),
           "guessed: shape and dtype; {in: …} if it is only read");
    }
  }

  // A struct by value, whose pointers are to arrays.
  void structure(const KernelParameter& parameter, const std::string& name) {
    std::vector<std::string> targets;
    const DraftStruct& own = parameter.structs.back();
    for (const DraftField& field : own.fields) {
      if (!field.type.ends_with('*') || !field.extents.empty()) continue;
      KernelParameter to;
      to.role = ParameterRole::array;
      to.dtype = find_dtype(pointee(field.type));
      const std::string array = further_array(name + "_" + field.name, to, pointee(field.type));
      targets.push_back(field.name + ": " + array);
    }
    const std::string value =
        struct_value(own, structs_, [&](const std::string& path, const DraftField&) {
          const auto axis = field_axes_.find(parameter.name + path);
          return axis == field_axes_.end() ? "" : axis->second;
        });
    const std::string to =
        targets.empty() ? "" : fmt::format(", points_to: {{{}}}", join(targets, ", "));
    line(fmt::format("  {}: {{scalar: {}{}}}", name, yaml_value(value), to),
         "guessed: any values, in the order of the fields");
  }

  void scalar(size_t index) {
    const KernelParameter& parameter = kernel_.parameters[index];
    const std::string& name = names_[index];
    if (is_length(index)) {
      line(fmt::format("  {0}: {{scalar: {0}}}", name), "");
    } else if (!parameter.structs.empty()) {
      structure(parameter, std::string(name));
    } else if (!parameter.dtype) {
      line(fmt::format("  {}: {{scalar: \"np.zeros({}, np.uint8)\", dtype: uint8}}", name,
                       parameter.bytes),
           parameter.type.empty()
               ? "guessed: bytes, as the compiler reports no type"
               : fmt::format("guessed: the bytes of the `{}`", printable(parameter.type)));
    } else if (parameter.members > 1) {
      const std::vector<std::string> values(parameter.members, usual_value(*parameter.dtype));
      line(fmt::format("  {}: {{scalar: \"[{}]\", dtype: {}}}", name, join(values, ", "),
                       parameter.dtype->name),
           "guessed: any value");
    } else {
      line(fmt::format("  {}: {{scalar: {}{}}}", name,
                       parameter.is_enum ? "0" : usual_value(*parameter.dtype),
                       parameter.is_enum ? fmt::format(", dtype: {}", parameter.dtype->name) : ""),
           "guessed: any value");
    }
  }

  void arguments() {
    if (names_.empty()) return;
    line("arguments:", "in the order of the kernel's parameters");
    const size_t count = names_.size();
    for (size_t i = 0; i < count; ++i) {
      const KernelParameter& parameter = kernel_.parameters[i];
      const std::string name = names_[i];
      if (!parameter.is_found) text_ += "  # its name was not found in the source\n";
      switch (parameter.role) {
        case ParameterRole::value:
          scalar(i);
          break;
        case ParameterRole::array:
          array(name, parameter, pointee(parameter.type));
          break;
        case ParameterRole::pointers:
          pointers(parameter, name);
          break;
        case ParameterRole::texture:
        case ParameterRole::surface:
          image(parameter, name);
          break;
        case ParameterRole::tensor_map:
          tensor_map(parameter, name);
      }
    }
    tensors();
    for (const Further& one : further_) array(one.name, one.of, one.type);
    own_arguments_.assign(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void constants() {
    if (kernel_.constants.empty()) return;
    line("constants:", "set before the launch");
    for (const DraftConstant& one : kernel_.constants) {
      std::vector<std::string> shape;
      for (const int64_t extent : one.shape) shape.push_back(std::to_string(extent));
      const bool quoted = one.name.find(':') != std::string::npos;
      line(fmt::format(
               "  {}: {}", quoted ? "\"" + one.name + "\"" : one.name,
               yaml_value(shape.empty() ? usual_value(one.dtype) : array_values(one.dtype, shape))),
           "guessed: any values");
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
    const bool lists = !further_.empty() || !tensors_.empty();
    if (lists) {
      text_ += fmt::format("  - entry: {}\n    arguments: [{}]\n", yaml_value(kernel_.entry),
                           join(own_arguments_, ", "));
    }
    const std::string indent = lists ? "    " : "  ";
    line(indent + "block: " + (flat ? sizes[0] : "[" + join(sizes, ", ") + "]"),
         block_is_given_ ? "the kernel's own" : "guessed");
    // Commas would end an element.
    for (std::string& one : grid) {
      if (!flat && one.find(',') != std::string::npos) one = "\"" + one + "\"";
    }
    line(indent + "grid: " + (flat ? grid[0] : "[" + join(grid, ", ") + "]"),
         "guessed: one thread for each element");
    if (kernel_.has_dynamic_shared) {
      line(fmt::format("{}shared: {}", indent, 16 * volume(block_)),
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

  struct Further {
    std::string name;
    KernelParameter of;
    std::string type;  // of the elements, in C++
  };

  const DraftKernel& kernel_;
  const std::vector<DraftStruct> structs_;
  std::vector<std::string> names_;          ///< names of the arguments, then of further arrays
  std::vector<std::string> own_arguments_;  ///< those of the kernel
  std::vector<Further> further_;            ///< arrays that pointers in arguments point to
  std::vector<std::pair<std::string, size_t>> tensors_;  ///< arrays of tensor maps, and their axes
  std::map<std::string, std::string> field_axes_;        ///< by the path of a length in a struct
  std::vector<Extent> extents_;                          ///< axes that sizes are made of
  bool takes_length_ = false;                            ///< the extents are arguments
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

SuiteDraft draft_suite(const DraftKernel& kernel, const DraftOrigin& origin,
                       const std::string& schema) {
  return Draft(kernel).write(origin, schema);
}

}  // namespace warpmark

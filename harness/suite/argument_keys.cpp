// The keys of axes, arguments and launches of suites, a line each.
#include "base/tensor_map.hpp"
#include "suite/suite_keys.hpp"

namespace warpmark {

using F = KeyForm;

namespace {

constexpr const char* kFunction =
    R"({"type": "string", "pattern": "^.*\\.py:[A-Za-z_][A-Za-z0-9_]*$"})";
constexpr const char* kArgumentRules = R"({"dependencies": {
    "address": ["texture"], "filter": ["texture"], "normalized": ["texture"], "read": ["texture"],
    "channels": {"anyOf": [
        {"required": ["texture"]},
        {"required": ["surface"], "properties": {"surface": {"const": true}}}]},
    "surface": {"anyOf": [
        {"properties": {"surface": {"const": false}}},
        {"required": ["in"]}, {"required": ["inout"]}, {"required": ["out"]}]},
    "values": {"anyOf": [{"required": ["in"]}, {"required": ["inout"]}]}}})";

std::vector<Key> keys_of_each_step() {
  return {{"repeat", "", F::of("repeat")}, {"swap", "", F::of("swap")}};
}

// The words of a tensor map's key, or the name of an axis.
KeyForm tensor_words(const std::string& key) {
  for (const auto& [known, words] : tensor_map_words()) {
    if (known == key) return F::any_of({F::words(words), F::of("name")});
  }
  return F::of("name");
}

}  // namespace

const std::vector<std::string>& address_modes() {
  static const std::vector<std::string> kModes = {"wrap", "clamp", "mirror", "border"};
  return kModes;
}

const KeyTable& axis_value_keys() {
  static const KeyTable kTable({
      {"value", "The value: a literal, or arithmetic over literals.",
       F(R"({"type": ["string", "number"]})").needed()},
      {"label", "The text for it in case ids.",
       R"({"type": ["string", "number"], "pattern": "^[A-Za-z0-9_/.~]+$"})"},
  });
  return kTable;
}

const KeyTable& axis_keys() {
  static const std::vector<Key> kKeys = {
      {"python", "A Python expression for the list, with builtins only.", F::text()},
      {"values", "The values, as a list.", F::list_of(F::of("axisValue"))},
      {"zip", "The name of the axis whose i-th value has the i-th value of this one with it.",
       F::of("name")},
      {"any",
       "A range: the least and the greatest whole number. Cases have its ends and a number between "
       "them; `check --search` tries others.",
       F::list_of(R"({"type": ["integer", "string"], "minLength": 1})", 2, 2)},
      {"multiple_of", "A number that divides each of the range; default 1.",
       R"({"type": ["integer", "string"], "minLength": 1})"},
  };
  static const KeyTable kTable = KeyTable(kKeys)
                                     .one_of({"python", "values", "any"})
                                     .never_both({"any zip"})
                                     .rules(R"({"dependencies": {"multiple_of": ["any"]}})");
  return kTable;
}

const KeyTable& function_keys() {
  static const std::vector<Key> kKeys = {
      {"function", "FILE.py:NAME, the file relative to the suite's folder.", kFunction},
      {"torch", "FILE.py:NAME, a function that takes and returns tensors of PyTorch on the CPU.",
       kFunction},
  };
  static const KeyTable kTable = KeyTable(kKeys).one_of({"function", "torch"});
  return kTable;
}

const KeyTable& geometry_keys() {
  static const KeyTable kTable({
      {"grid", "Number of blocks (arithmetic); default: one.", F::of("dimensions")},
      {"block", "Number of threads in a block (arithmetic).", F::of("dimensions")},
      {"shared", "Bytes of dynamic shared memory (arithmetic).", F::of("arithmetic")},
      {"cluster",
       "Number of blocks in a cluster (arithmetic); default: what the kernel itself says.",
       F::of("dimensions")},
      {"cooperative", "Whether all blocks run at a time, so that the grid can synchronise.",
       F::truth()},
  });
  return kTable;
}

const KeyTable& step_argument_keys() {
  static const std::vector<Key> kKeys = {
      {"value", "A number for this launch alone (arithmetic).", F::of("arithmetic")},
      {"array", "An array, into which the kernel gets a pointer.", F::text()},
      {"element", "The element that it points to (arithmetic).", F::of("arithmetic")},
  };
  static const KeyTable kTable = KeyTable(kKeys)
                                     .one_of({"value", "array element"})
                                     .never_both({"value array", "value element"});
  return kTable;
}

const KeyTable& launch_step_keys() {
  static const std::vector<Key> kKeys = {
      {"name", "What messages and `bench.step` call it; default: the entry.", F::text()},
      {"file",
       "The .cu file of its kernel, relative to the suite's folder; default: the suite's kernel.",
       F::text()},
      {"entry", "The name of the `__global__` function; default: the suite's.", F::text()},
      {"arguments",
       "What the kernel takes, in its order: names of arguments, `{value: arithmetic}` for a "
       "number, `{array: a, element: arithmetic}` for a pointer into an array, or `null`; default: "
       "all arguments.",
       F::list_of(F::any_of({R"({"type": ["string", "null"], "minLength": 1})",
                             F::keys(&step_argument_keys)}),
                  0)},
  };
  static const KeyTable kTable = KeyTable(kKeys)
                                     .with(geometry_keys().keys())
                                     .with(keys_of_each_step())
                                     .some_of({"block", "grid", "entry"});
  return kTable;
}

const KeyTable& copy_keys() {
  static const std::vector<Key> kKeys = {
      {"from", "The array that is copied.", F::text().needed()},
      {"to", "The array that gets its bytes.", F::text().needed()},
  };
  static const KeyTable kTable = KeyTable(kKeys).hint("copy: {from: a, to: b}");
  return kTable;
}

const KeyTable& copy_step_keys() {
  static const KeyTable kTable =
      KeyTable({{"copy", "Copies an array to another.", F::keys(&copy_keys).needed()}})
          .with(keys_of_each_step());
  return kTable;
}

const KeyTable& fill_step_keys() {
  static const KeyTable kTable =
      KeyTable({{"fill", "Sets every byte of an array.", F::text().needed()},
                {"byte", "The byte, from 0 to 255; default: 0 (arithmetic).", F::of("arithmetic")}})
          .with(keys_of_each_step());
  return kTable;
}

const KeyTable& group_step_keys() {
  static const KeyTable kTable =
      KeyTable({{"steps", "Steps that are one, so that `repeat` goes over all of them.",
                 F::list_of(R"({"type": "object", "minProperties": 1})").needed()}})
          .with(keys_of_each_step());
  return kTable;
}

const KeyTable& swap_step_keys() {
  static const KeyTable kTable({
      {"swap", "", F::of("swap").needed()},
  });
  return kTable;
}

const KeyTable& tensor_map_keys() {
  static const std::vector<Key> kKeys = {
      {"tensor_map",
       "The array argument that the kernel copies boxes of (TMA), by a `CUtensorMap` as its "
       "parameter.",
       F::text().needed()},
      {"box",
       "Elements that one copy takes along each axis, 1 to 256 (arithmetic), in NumPy's order: the "
       "last axis varies fastest. The driver's order is the reverse.",
       F::of("sizes").needed()},
      {"element_strides",
       "Steps between the elements that are copied, 1 to 8 along each axis (arithmetic); default: "
       "1.",
       F::of("sizes")},
      {"shape",
       "The shape that the map sees, in elements of its dtype (arithmetic); default: the array's.",
       F::of("sizes")},
      {"strides",
       "Bytes from one element to the next along each axis but the last, multiples of 16 "
       "(arithmetic); default: as the array lies, or without gaps if there is a `shape`.",
       F::of("sizes")},
      {"dtype", "The elements, or an axis that names them; default: the array's.",
       tensor_words("dtype")},
      {"interleave", "The interleaved layout, or an axis that names it; default: `none`.",
       tensor_words("interleave")},
      {"swizzle",
       "How chunks of a box change places in shared memory, or an axis that names it; default: "
       "`none`.",
       tensor_words("swizzle")},
      {"l2_promotion",
       "How much is fetched into the L2 cache at a time, or an axis that names it; default: "
       "`none`.",
       tensor_words("l2_promotion")},
      {"fill",
       "The value of elements outside of the array, or an axis that names it; default: `zero`.",
       tensor_words("fill")},
  };
  static const KeyTable kTable =
      KeyTable(kKeys).hint("box: [64, 64], the elements that one copy takes along each axis");
  return kTable;
}

const KeyTable& partition_keys() {
  static const KeyTable kTable({
      {"axis", "The first axis, whose parts are whole pieces of memory.",
       F(R"({"enum": [0, "0"]})").needed()},
  });
  return kTable;
}

const KeyTable& contents_keys() {
  static const std::vector<Key> kKeys = {
      {"any",
       "`finite`: numbers of a moderate size; `special`: also NaN, infinities, negative zeros and "
       "subnormal numbers; `adversarial`: also extremes and sums that cancel.",
       F::words_of<ContentClass>().needed()},
  };
  static const KeyTable kTable =
      KeyTable(kKeys).hint("values: {any: finite}, special or adversarial");
  return kTable;
}

const KeyTable& argument_keys() {
  static const std::vector<Key> kKeys = {
      {"in", "An input array; the kernel must not change it. The value (NumPy).", F::of("python")},
      {"inout", "An array that the kernel changes. The value before the launch (NumPy).",
       F::of("python")},
      {"out",
       "An output array. Its shape (arithmetic): a number, a list, or another array's x.shape.",
       F::of("sizes")},
      {"scalar", "A parameter passed by value (NumPy).", F::of("python")},
      {"scratch", "An array that only the kernels use. Its shape (arithmetic).", F::of("sizes")},
      {"pointers", "An array of pointers: names of arguments; `null` is a null pointer.",
       F::list_of(R"({"type": ["string", "null"], "minLength": 1})")},
      {"texture", "An input that the kernel reads as a texture. The value (NumPy).",
       F::of("python")},
      {"dtype",
       "The element type (arithmetic over axes), such as `float32`, or a struct of `types`; "
       "default: the type of the kernel's parameter.",
       F::text()},
      {"address", "What a texture has beyond its edges: one mode, or one for each axis, x first.",
       F::any_of({F::words(address_modes()), F::list_of(F::words(address_modes()), 0)})},
      {"filter", "`linear` interpolates between the elements of a texture.",
       F::words({"point", "linear"})},
      {"normalized", "Whether a texture's coordinates go from 0 to 1.", F::truth()},
      {"read", "`normalized`: integers of a texture are read as floats.",
       F::words({"element", "normalized"})},
      {"surface", "Whether the kernel gets the array as a surface object.", F::truth()},
      {"channels", "Channels of a texture or surface: the array's last axis.",
       F::words({"1", "2", "4"})},
      {"pitch", "Bytes from one row of an array (its last axis) to the next (arithmetic).",
       F::of("arithmetic")},
      {"offset",
       "Elements of the array's memory in front of its first (arithmetic): the kernel's pointer is "
       "that much off the alignment of an allocation, 256 bytes.",
       F::of("arithmetic")},
      {"points_to",
       "Fields of a struct by value that hold addresses: the array argument that each points to.",
       F::by_name(F::text(), 1)},
      {"partition", "Of several devices, each has an equal part of the array along this axis.",
       F::keys(&partition_keys)},
      {"values", "Contents that `check --search` may put in place of an array's value.",
       F::keys(&contents_keys)},
  };
  static const KeyTable kTable =
      KeyTable(kKeys)
          .one_of({"in", "inout", "out", "scalar", "scratch", "pointers", "texture"})
          .rules(kArgumentRules);
  return kTable;
}

const KeyTable& constant_keys() {
  static const KeyTable kTable({
      {"in", "The value (NumPy).", F::of("python").needed()},
      {"dtype", "The element type; default: that of the variable.", F::text()},
  });
  return kTable;
}

const KeyTable& variable_keys() {
  static const std::vector<Key> kKeys = {
      {"in", "The value; kernels must not change it (NumPy).", F::of("python")},
      {"inout", "The value before the launch (NumPy).", F::of("python")},
      {"out", "The shape of a variable that kernels write (arithmetic).", F::of("sizes")},
      {"dtype", "The element type; default: that of the variable.", F::text()},
  };
  static const KeyTable kTable = KeyTable(kKeys).one_of({"in", "inout", "out"});
  return kTable;
}

}  // namespace warpmark

#include "steps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpmark::array {

namespace {

// A statement's access to one array.
struct Access {
  std::string name;
  View view;
  bool writes;
};

std::vector<Access> accesses_of(const Statement& statement) {
  std::vector<Access> accesses;
  for (const Store& store : statement.stores) {
    std::vector<Load> loads;
    add_loads(*store.value, statement.shape, loads);
    for (Load& load : loads)
      accesses.push_back({std::move(load.name), std::move(load.view), false});
    accesses.push_back({store.array->name, store.view, true});
  }
  return accesses;
}

bool conflicts(const Access& a, const Shape& a_shape, const Access& b, const Shape& b_shape) {
  if (a.name != b.name || (!a.writes && !b.writes)) return false;
  if (a_shape == b_shape && a.view == b.view) return false;  // the same element, in one thread
  return !disjoint(a.view, a_shape, b.view, b_shape);
}

class Maker {
 public:
  Maker(Names& names, const Text& text) : names_(names), text_(text) {}

  std::vector<Step> steps(const std::vector<Assignment>& assignments) {
    for (const Assignment& assignment : assignments) add(assignment);
    if (steps_.empty()) text_.fail(0, "no array is assigned to", "as in `z[...] = x + y`");
    for (const Array& array : names_.arrays()) {
      if (array.kind == "in") continue;
      if (!written_.contains(array.name)) {
        throw plugin::Failure(array.at,
                              "`" + array.name +
                                  "` is an output, and `expression` does "
                                  "not assign to it",
                              "as in `" + array.name + " = …`");
      }
      if (array.kind == "out" && written_[array.name] < elements(array.shape)) {
        throw plugin::Failure(
            array.at,
            "`" + array.name + "` is an `out` of " + std::to_string(elements(array.shape)) +
                " elements, and `expression` assigns to " + std::to_string(written_[array.name]),
            "an array that keeps some of its elements is an `inout`");
      }
    }
    return std::move(steps_);
  }

 private:
  void add(const Assignment& assignment) {
    for (const Syntax& target : assignment.targets) {
      const bool is_name = target.kind == SyntaxKind::name;
      const bool is_part =
          target.kind == SyntaxKind::subscript && target.parts[0].kind == SyntaxKind::name;
      if (!is_name && !is_part) {
        text_.fail(target.at, "this cannot be assigned to", "as in `z = …` and `z[1:] = …`");
      }
    }
    std::vector<NodePtr> values;
    if (assignment.targets.size() == 1) {
      check_fresh(assignment.value);
      values.push_back(names_.type(text_, assignment.value));
    } else {
      check_fresh(assignment.value);
      values = names_.type_two(text_, assignment.value);
      if (assignment.targets.size() != 2) {
        text_.fail(assignment.at, "two arrays are assigned to " +
                                      std::to_string(assignment.targets.size()) + " targets");
      }
      if (!assignment.op.empty())
        text_.fail(assignment.at, "one target for `" + assignment.op + "=`");
    }
    Statement statement;
    for (size_t i = 0; i < values.size(); ++i) {
      const Syntax& target = assignment.targets[i];
      const std::string& name =
          target.kind == SyntaxKind::name ? target.text : target.parts[0].text;
      const Array* array = names_.array(name);
      if (array == nullptr) {
        set_local(assignment, target, values[i]);
        continue;
      }
      statement.stores.push_back(store(assignment, target, *array, values[i], statement));
    }
    if (!statement.stores.empty()) place(std::move(statement));
  }

  void set_local(const Assignment& assignment, const Syntax& target, const NodePtr& value) {
    const std::string& name = target.kind == SyntaxKind::name ? target.text : target.parts[0].text;
    std::vector<std::string> arrays;
    for (const Array& array : names_.arrays()) arrays.push_back(array.name);
    const bool known = names_.locals().contains(name);
    if (target.kind != SyntaxKind::name || (!assignment.op.empty() && !known)) {
      text_.fail(target.kind == SyntaxKind::name ? target.at : target.parts[0].at,
                 "`" + name + "` is no array argument", did_you_mean(name, arrays));
    }
    if (!assignment.op.empty()) {
      text_.fail(assignment.at, "`" + name + "` is no argument, and cannot change in place",
                 "write `" + name + " = " + name + " " + assignment.op + " …`");
    }
    if (name == "np" || names_.is_axis(name) || names_.scalars().contains(name)) {
      text_.fail(target.at, "`" + name + "` is an axis or a scalar, and keeps its value");
    }
    names_.set_local(name, value);
    std::vector<Load> loads;
    add_loads(*value, value->shape, loads);
    reads_[name].clear();
    for (const Load& load : loads) reads_[name].insert(load.name);
    stale_.erase(name);
  }

  // An earlier name has the values of its own time, which a kernel cannot go back to.
  void check_fresh(const Syntax& syntax) const {
    if (syntax.kind == SyntaxKind::name) {
      const auto found = stale_.find(syntax.text);
      if (found != stale_.end()) {
        text_.fail(
            syntax.at,
            "`" + syntax.text + "` is of `" + found->second +
                "`, which an assignment has changed since",
            "assign to `" + found->second + "` later, or compute `" + syntax.text + "` again");
      }
    }
    for (const Syntax& part : syntax.parts) check_fresh(part);
  }

  Store store(const Assignment& assignment, const Syntax& target, const Array& array,
              const NodePtr& value, Statement& statement) {
    if (array.kind == "in") {
      throw plugin::Failure(
          array.at, "`" + array.name + "` is an input, and `expression` assigns to it",
          "an array that changes is `inout:`, or `out:` if nothing reads it before");
    }
    const NodePtr whole = names_.type(text_, target);
    NodePtr result = value;
    size_t at = assignment.value.at;
    if (!assignment.op.empty()) {
      at = assignment.at;
      result = binary(text_, at, assignment.op, whole, value);
      if (!same_kind(result->type, array.type)) {
        text_.fail(at,
                   "`" + array.name + " " + assignment.op + "= …` gives " + name_of(result->type) +
                       ", which NumPy does not cast to " + name_of(array.type),
                   "convert it, as in `.astype(np." + name_of(array.type) + ")`");
      }
    }
    const Shape& shape = whole->shape;
    if (!statement.stores.empty() && statement.shape != shape) {
      text_.fail(target.at,
                 "the targets have shapes " + text_of(statement.shape) + " and " + text_of(shape));
    }
    result = without_leading_ones(result, shape.size());
    const std::optional<Shape> both = broadcast(result->shape, shape);
    if (!both || *both != shape) {
      text_.fail(at, "a value of shape " + text_of(result->shape) + " is assigned to `" +
                         array.name + "` of shape " + text_of(shape));
    }
    for (const Load& load : loads_of(result)) {
      const Array* read = names_.array(load.name);
      if (read->kind == "out" && !written_.contains(load.name)) {
        text_.fail(at, "`" + load.name + "` is an `out`, and nothing has been assigned to it",
                   "an array that has a value before is `inout:`");
      }
    }
    statement.shape = shape;
    return {&array, whole->view, converted(text_, at, result, array.type)};
  }

  static std::vector<Load> loads_of(const NodePtr& node) {
    std::vector<Load> loads;
    add_loads(*node, node->shape, loads);
    return loads;
  }

  // NumPy assigns a (1, 3) to a (3,).
  static NodePtr without_leading_ones(const NodePtr& node, size_t dimensions) {
    if (node->shape.size() <= dimensions) return node;
    const size_t more = node->shape.size() - dimensions;
    std::vector<Index> index;
    for (size_t i = 0; i < node->shape.size(); ++i) {
      if (i < more && node->shape[i] != 1) return node;
      index.push_back(i < more ? Index{Index::Kind::element}
                               : sliced(std::nullopt, std::nullopt, 1, node->shape[i]));
    }
    return indexed(node, index);
  }

  void place(Statement statement) {
    const std::vector<Access> own = accesses_of(statement);
    std::vector<const Array*> copied;
    for (const Store& store : statement.stores) {
      const Access written{store.array->name, store.view, true};
      for (const Access& access : own) {
        if (access.writes && access.view == store.view) continue;
        if (!conflicts(written, statement.shape, access, statement.shape)) continue;
        if (access.writes) text_.fail(0, "both targets are the same elements");
        if (std::ranges::find(copied, store.array) == copied.end()) {
          copied.push_back(store.array);
        }
      }
    }
    bool apart = steps_.empty() || !copied.empty();
    if (!apart) {
      for (const Statement& earlier : steps_.back().statements) {
        apart = apart || earlier.shape != statement.shape;
        for (const Access& a : accesses_of(earlier)) {
          for (const Access& b : own) {
            apart = apart || conflicts(a, earlier.shape, b, statement.shape);
          }
        }
      }
      // An array that the step reads as it was before must not be read as it is now.
      for (const Array* array : steps_.back().copied) {
        for (const Access& access : own) apart = apart || access.name == array->name;
      }
    }
    if (apart) steps_.push_back({copied, {}});
    for (const Store& store : statement.stores) {
      const std::string& name = store.array->name;
      written_[name] += elements(statement.shape);
      for (const auto& [local, reads] : reads_) {
        if (reads.contains(name)) stale_.insert({local, name});
      }
    }
    steps_.back().statements.push_back(std::move(statement));
  }

  Names& names_;
  const Text& text_;
  std::vector<Step> steps_;
  std::map<std::string, int64_t> written_;              ///< array to elements assigned
  std::map<std::string, std::set<std::string>> reads_;  ///< earlier name to arrays
  std::map<std::string, std::string> stale_;            ///< earlier name to the changed array
};

}  // namespace

std::vector<Step> make_steps(Names& names, const Text& text,
                             const std::vector<Assignment>& assignments) {
  return Maker(names, text).steps(assignments);
}

std::string scratch_name(const std::string& name) {
  return "warpmark_before_" + name;
}

std::string python_text(const Names& names, const Text& text,
                        const std::vector<Assignment>& assignments) {
  std::string python = text.text();
  std::vector<size_t> ends;
  for (const Assignment& assignment : assignments) {
    for (const Syntax& target : assignment.targets) {
      if (target.kind == SyntaxKind::name && names.array(target.text) != nullptr &&
          assignment.op.empty()) {
        ends.push_back(target.at + target.text.size());
      }
    }
  }
  std::sort(ends.rbegin(), ends.rend());
  for (const size_t end : ends) python.insert(end, "[...]");
  return python;
}

}  // namespace warpmark::array

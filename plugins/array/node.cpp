#include "node.hpp"

#include <functional>
#include <map>
#include <set>
#include <utility>

namespace warpmark::array {

namespace {

std::shared_ptr<Node> constant(const Type& type) {
  auto node = std::make_shared<Node>();
  node->type = type;
  return node;
}

// Applies `change` to the views of all leaves, stretched to the shape of the whole.
class Rearranged {
 public:
  Rearranged(Shape from, Shape to, std::function<View(const View&)> change)
      : from_(std::move(from)), to_(std::move(to)), change_(std::move(change)) {}

  NodePtr of(const NodePtr& node) {
    if (node->shape.empty()) return node;  // the same for every element
    NodePtr& known = known_[node.get()];
    if (known) return known;
    auto copy = std::make_shared<Node>(*node);
    copy->shape = to_;
    if (node->kind == Node::Kind::op) {
      for (NodePtr& arg : copy->args) arg = of(arg);
    } else {
      copy->view = change_(stretched(node->view, node->shape, from_));
    }
    return known = copy;
  }

 private:
  Shape from_, to_;
  std::function<View(const View&)> change_;
  std::map<const Node*, NodePtr> known_;
};

}  // namespace

NodePtr integer_node(int64_t value) {
  auto node = constant(kWeakInt);
  node->integer = value;
  return node;
}

NodePtr real_node(double value) {
  auto node = constant(kWeakFloat);
  node->real = value;
  return node;
}

NodePtr boolean_node(bool value) {
  auto node = constant(kBool);
  node->integer = value ? 1 : 0;
  return node;
}

NodePtr op_node(std::string name, const Type& type, const Type& work, std::vector<NodePtr> args,
                Shape shape) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::op;
  node->name = std::move(name);
  node->type = type;
  node->work = work;
  node->args = std::move(args);
  node->shape = std::move(shape);
  return node;
}

NodePtr cast(const NodePtr& node, const Type& type) {
  if (node->type == type) return node;
  if (node->is_constant() && node->type.weak) {
    auto same = std::make_shared<Node>(*node);
    same->type = type;
    if (type.kind == Category::real) {
      same->real = node->as_real();
    } else if (node->type.kind == Category::real) {
      if (type.kind == Category::boolean) {
        same->integer = node->real != 0 ? 1 : 0;
        return same;
      }
      return op_node("cast", type, kFloat64, {cast(node, kFloat64)}, {});
    } else if (type.kind == Category::boolean) {
      same->integer = node->integer != 0 ? 1 : 0;
    }
    return same;
  }
  return op_node("cast", type, node->type, {node}, node->shape);
}

NodePtr indexed(const NodePtr& node, const std::vector<Index>& index) {
  return Rearranged(node->shape, indexed(index),
                    [&](const View& view) { return indexed(view, index); })
      .of(node);
}

NodePtr transposed(const NodePtr& node) {
  const Shape shape(node->shape.rbegin(), node->shape.rend());
  return Rearranged(node->shape, shape,
                    [](const View& view) {
                      return View{view.offset, {view.strides.rbegin(), view.strides.rend()}};
                    })
      .of(node);
}

namespace {

void add_loads(const Node& node, const Shape& shape, std::vector<Load>& loads,
               std::set<const Node*>& seen) {
  if (!seen.insert(&node).second) return;
  if (node.kind == Node::Kind::load) {
    loads.push_back({node.name, stretched(node.view, node.shape, shape)});
  }
  for (const NodePtr& arg : node.args) add_loads(*arg, shape, loads, seen);
}

}  // namespace

void add_loads(const Node& node, const Shape& shape, std::vector<Load>& loads) {
  std::set<const Node*> seen;
  add_loads(node, shape, loads, seen);
}

}  // namespace warpmark::array

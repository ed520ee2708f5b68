// User objects: what a client wants to be freed once no graph uses it any more.
#include "api/graph.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {

// The client's function must not call the driver, which is locked here.
UserObject::~UserObject() {
  driver().user_objects.erase(reinterpret_cast<CUuserObject>(this));
  destroy(pointer);
}

void keep_objects(const Graph& graph, std::vector<std::shared_ptr<UserObject>>& kept) {
  for (const auto& [object, references] : graph.objects) kept.push_back(object);
  for (const auto& node : graph.nodes) {
    if (const auto* child = std::get_if<ChildWork>(&node->work)) keep_objects(*child->graph, kept);
    if (const auto* conditional = std::get_if<ConditionalWork>(&node->work)) {
      for (const auto& body : conditional->bodies) keep_objects(*body, kept);
    }
  }
}

namespace {

template <typename Body>
CUresult with_object(const char* name, CUuserObject object, unsigned int count, Body body) {
  return initialised(name, [&]() -> CUresult {
    const auto found = driver().user_objects.find(object);
    const auto held = found == driver().user_objects.end() ? nullptr : found->second.lock();
    return held == nullptr || count == 0 ? CUDA_ERROR_INVALID_VALUE : body(held);
  });
}

CUresult release(UserObject& object, unsigned int count) {
  if (count > object.references) return CUDA_ERROR_INVALID_VALUE;
  object.references -= count;
  if (object.references == 0) object.own.reset();
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuUserObjectCreate(CUuserObject* object, void* pointer, CUhostFn destroy,
                            unsigned int references, unsigned int flags) {
  return initialised("cuUserObjectCreate", [&]() -> CUresult {
    if (object == nullptr || destroy == nullptr || references == 0 ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
      return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_shared<UserObject>();
    made->pointer = pointer;
    made->destroy = destroy;
    made->references = references;
    made->own = made;
    *object = reinterpret_cast<CUuserObject>(made.get());
    driver().user_objects.emplace(*object, made);
    return CUDA_SUCCESS;
  });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  return with_object("cuUserObjectRetain", object, count,
                     [&](const std::shared_ptr<UserObject>& held) {
                       held->references += count;
                       held->own = held;
                       return CUDA_SUCCESS;
                     });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  return with_object(
      "cuUserObjectRelease", object, count,
      [&](const std::shared_ptr<UserObject>& held) { return release(*held, count); });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags) {
  return with_object("cuGraphRetainUserObject", object, count,
                     [&](const std::shared_ptr<UserObject>& held) -> CUresult {
                       Graph* found = find_graph(graph);
                       if (found == nullptr || (flags & ~unsigned{CU_GRAPH_USER_OBJECT_MOVE}) != 0)
                         return CUDA_ERROR_INVALID_VALUE;
                       if (flags != 0) {
                         const CUresult result = release(*held, count);
                         if (result != CUDA_SUCCESS) return result;
                       }
                       found->objects[held] += count;
                       return CUDA_SUCCESS;
                     });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  return with_object("cuGraphReleaseUserObject", object, count,
                     [&](const std::shared_ptr<UserObject>& held) -> CUresult {
                       Graph* found = find_graph(graph);
                       if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
                       const auto entry = found->objects.find(held);
                       if (entry == found->objects.end() || entry->second < count)
                         return CUDA_ERROR_INVALID_VALUE;
                       entry->second -= count;
                       if (entry->second == 0) found->objects.erase(entry);
                       return CUDA_SUCCESS;
                     });
}

}  // extern "C"

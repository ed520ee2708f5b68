// cuGraphDebugDotPrint: a graph as a picture, in the language of Graphviz and the driver's words.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "api/graph.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

std::string hexadecimal(const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llX",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pointer)));
  return text;
}

char side_of(CUmemorytype type, CUdeviceptr address) {
  if (type == CU_MEMORYTYPE_UNIFIED) return driver().is_device_address(address) ? 'D' : 'H';
  return type == CU_MEMORYTYPE_HOST ? 'H' : type == CU_MEMORYTYPE_ARRAY ? 'A' : 'D';
}

class DotFile {
 public:
  explicit DotFile(unsigned int flags) : flags_(flags) {}

  std::string of(const Graph& graph) {
    text_ << "digraph dot {\n";
    std::vector<const Graph*> all = {&graph};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string name = "graph_" + std::to_string(all[i]->id);
      text_ << "subgraph cluster_" << all[i]->id << " {\nlabel=\"" << name
            << "\" graph[style=\"dashed\"];\n";
      for (const auto& one : all[i]->nodes) {
        node(name, *one);
        if (const auto* child = std::get_if<ChildWork>(&one->work))
          all.push_back(child->graph.get());
        if (const auto* conditional = std::get_if<ConditionalWork>(&one->work)) {
          for (const auto& body : conditional->bodies) all.push_back(body.get());
        }
      }
      for (const auto& one : all[i]->nodes) {  // by where they begin
        for (const auto& other : all[i]->nodes) {
          for (const Node* before : other->dependencies) {
            if (before == one.get()) edge(name, *one, *other);
          }
        }
      }
      text_ << "}\n";
    }
    text_ << "}\n";
    return text_.str();
  }

 private:
  [[nodiscard]] bool wants(unsigned int flag) const {
    return (flags_ & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE)) != 0;
  }

  void edge(const std::string& graph, const Node& from, const Node& to) {
    text_ << '"' << graph << "_node_" << from.number << "\" -> \"" << graph << "_node_" << to.number
          << (wants(CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) ? "\" [headlabel=0];\n" : "\";\n");
  }

  void node(const std::string& graph, const Node& node) {
    const bool kernel = std::holds_alternative<KernelWork>(node.work);
    const bool moves =
        std::holds_alternative<CopyWork>(node.work) || std::holds_alternative<FillWork>(node.work);
    text_ << '"' << graph << "_node_" << node.number << "\"[style=\"" << (kernel ? "bold" : "solid")
          << "\" shape=\""
          << (kernel  ? "octagon"
              : moves ? "invtrapezium"
                      : "rectangle")
          << "\" label=\"" << node.number << "\n";
    work(node);
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
      text_ << "node handle: " << hexadecimal(&node) << '\n';
    text_ << "\"];\n\n";
  }

  void work(const Node& node) {
    if (const auto* child = std::get_if<ChildWork>(&node.work)) {
      text_ << "graph_" << child->graph->id << '\n';
    } else if (const auto* kernel = std::get_if<KernelWork>(&node.work)) {
      launch(node, *kernel);
    } else {
      text_ << kind_of(node.work).word << '\n';
    }
    if (const auto* fill = std::get_if<FillWork>(&node.work)) {
      const CUDA_MEMSET_NODE_PARAMS& to = fill->fill;
      text_ << '(' << to.value << ',' << to.elementSize * to.width * to.height << ")\n";
      if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS))
        text_ << "dptr: " << hexadecimal(reinterpret_cast<const void*>(to.dst))
              << "\npitch: " << to.pitch << "\nelementSize: " << to.elementSize
              << "\nwidth: " << to.width << "\nheight: " << to.height << '\n';
    } else if (const auto* moved = std::get_if<CopyWork>(&node.work)) {
      const CUDA_MEMCPY3D& copy = moved->copy;
      text_ << '(' << side_of(copy.srcMemoryType, copy.srcDevice) << "to"
            << side_of(copy.dstMemoryType, copy.dstDevice) << ','
            << copy.WidthInBytes * copy.Height * copy.Depth << ")\n";
    } else if (const auto* host = std::get_if<HostWork>(&node.work);
               host != nullptr && wants(CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS)) {
      text_ << "fn: " << hexadecimal(reinterpret_cast<const void*>(host->call.fn))
            << "\nuserData: " << hexadecimal(host->call.userData) << '\n';
    } else if (const auto* allocated = std::get_if<AllocateWork>(&node.work);
               allocated != nullptr && wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)) {
      text_ << "dptr: " << hexadecimal(reinterpret_cast<const void*>(allocated->memory->address))
            << "\nbytesize: " << allocated->memory->bytes << '\n';
    } else if (const auto* freed = std::get_if<FreeWork>(&node.work);
               freed != nullptr && wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS)) {
      text_ << "dptr: " << hexadecimal(reinterpret_cast<const void*>(freed->address)) << '\n';
    }
  }

  void launch(const Node& node, const KernelWork& work) {
    Context* context = driver().find(node.context);
    const Kernel* kernel = context == nullptr ? nullptr : find_kernel(*context, work.function);
    text_ << (kernel == nullptr ? "KERNEL" : kernel->function->name);
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
      text_ << "\\<\\<\\<\\{" << work.grid[0] << ',' << work.grid[1] << ',' << work.grid[2]
            << "\\},\\{" << work.block[0] << ',' << work.block[1] << ',' << work.block[2] << "\\},"
            << work.shared << "\\>\\>\\>";
    text_ << '\n';
  }

  unsigned int flags_;
  std::ostringstream text_;
};

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned int flags) {
  return initialised("cuGraphDebugDotPrint", [&]() -> CUresult {
    const Graph* found = find_graph(graph);
    if (found == nullptr || path == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::ofstream file(path);
    file << DotFile(flags).of(*found) << '\n';
    file.close();
    return file ? CUDA_SUCCESS
                : fail(CUDA_ERROR_OPERATING_SYSTEM, std::string("cannot write ") + path);
  });
}

}  // extern "C"

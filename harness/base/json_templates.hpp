// The parts of nlohmann/json that most files would compile again for themselves, declared as compiled
// in json_templates.cpp. The precompiled headers include this; no source file needs to.
//
// A third of a test's object file was these templates. Should a version of the library name one of
// them differently, its line can go: the files that use it then compile it again.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#ifndef WARPMARK_TEMPLATE
#define WARPMARK_TEMPLATE extern template
#endif

WARPMARK_TEMPLATE class nlohmann::basic_json<>;
WARPMARK_TEMPLATE class nlohmann::basic_json<nlohmann::ordered_map>;
WARPMARK_TEMPLATE class std::vector<nlohmann::json>;
WARPMARK_TEMPLATE class std::vector<nlohmann::ordered_json>;

// The parser of a string and the writer.
#define WARPMARK_JSON_PARTS(Json)                                                  \
  WARPMARK_TEMPLATE class nlohmann::detail::serializer<Json>;                      \
  WARPMARK_TEMPLATE class nlohmann::detail::json_sax_dom_parser<Json>;             \
  WARPMARK_TEMPLATE class nlohmann::detail::json_sax_dom_callback_parser<Json>;    \
  WARPMARK_JSON_INPUT(Json, nlohmann::detail::iterator_input_adapter<const char*>) \
  WARPMARK_JSON_INPUT(Json, nlohmann::detail::iterator_input_adapter<std::string::const_iterator>)
#define WARPMARK_JSON_INPUT(Json, ...)                                                    \
  WARPMARK_TEMPLATE class nlohmann::detail::lexer<Json, __VA_ARGS__>;                     \
  WARPMARK_TEMPLATE class nlohmann::detail::parser<Json, __VA_ARGS__>;                    \
  WARPMARK_TEMPLATE bool nlohmann::detail::parser<Json, __VA_ARGS__>::sax_parse_internal( \
      nlohmann::detail::json_sax_dom_parser<Json>*);                                      \
  WARPMARK_TEMPLATE bool nlohmann::detail::parser<Json, __VA_ARGS__>::sax_parse_internal( \
      nlohmann::detail::json_sax_dom_callback_parser<Json>*);

WARPMARK_JSON_PARTS(nlohmann::json)
WARPMARK_JSON_PARTS(nlohmann::ordered_json)

#undef WARPMARK_JSON_PARTS
#undef WARPMARK_JSON_INPUT
#undef WARPMARK_TEMPLATE

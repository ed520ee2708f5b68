// The id of a request that is no request.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace warpmark {

/// The `id` of a JSON object that is broken, or of which only the beginning and the end are known
/// (`tail` is "" if `head` is all of it): whoever asked must learn whose line was wrong. Only a
/// member of the object itself counts, and what stands in a text never does, so that no submission
/// answers for another. Null if there is none.
nlohmann::json id_of_broken(std::string_view head, std::string_view tail = {});

}  // namespace warpmark

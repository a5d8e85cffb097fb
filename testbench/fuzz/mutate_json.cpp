// SPDX-License-Identifier: Apache-2.0
/// \file
/// Mutations that keep a text in JSON one.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "readers.h"

namespace fovea {
namespace {

using Json = nlohmann::json;

/// All values of a document, the document first.
void collect(Json& value, std::vector<Json*>& all) {
  all.push_back(&value);
  if (value.is_structured()) {
    for (Json& inner : value) {
      collect(inner, all);
    }
  }
}

class JsonMutation {
 public:
  explicit JsonMutation(unsigned seed) : random_(seed) {}

  void run(Json& document) {
    std::vector<Json*> all;
    collect(document, all);
    Json& changed = *all[below(all.size())];
    switch (below(5)) {
      case 0:
        changed = Json(*all[below(all.size())]);
        break;
      case 1:
        drop_one(changed);
        break;
      case 2:
        add_one(changed, *all[below(all.size())]);
        break;
      default:
        changed = value();
    }
  }

 private:
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

  /// As files have them, and some that hurt.
  Json value() {
    static const Json kValues = Json::parse(
        R"([0, 1, 2, 3, 4, 16, 64, 255, -1, 0.5, 1e308, 1e-320, 2147483647, 2147483648, 9223372036854775807,
            -9223372036854775808, 18446744073709551615, "", "x", true, false, null, "\u001b[31m", [], {}])");
    return kValues[below(kValues.size())];
  }

  void drop_one(Json& value) {
    if (value.is_structured() && !value.empty()) {
      value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(below(value.size()))));
    }
  }

  /// \param added  May be of the same document.
  static void add_one(Json& value, Json added) {
    if (value.is_array()) {
      value.push_back(std::move(added));
    } else if (value.is_object()) {
      value["more"] = std::move(added);
    }
  }

  std::mt19937 random_;
};

}  // namespace

std::size_t mutate_json(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed) {
  Json document = Json::parse(bytes, bytes + size, nullptr, false);
  if (document.is_discarded()) {
    return 0;
  }
  JsonMutation(seed).run(document);
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > most) {
    return 0;
  }
  std::copy(text.begin(), text.end(), bytes);
  return text.size();
}

}  // namespace fovea

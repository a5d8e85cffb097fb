// SPDX-License-Identifier: Apache-2.0
/// \file
/// Matches patterns from the root downwards.
#include "pattern.h"

#include <algorithm>

#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {

const Node& Match::operator[](const std::string& name) const { return (*graph_)[place_of(name)]; }

NodeId Match::place_of(const std::string& name) const {
  const auto found = captures_.find(name);
  internal_check(found != captures_.end(), "a pattern captures " + name);
  return found->second;
}

const NodeId* Match::once(int key) const {
  const auto found = once_.find(key);
  return found == once_.end() ? nullptr : &found->second;
}

bool Match::is_result(NodeId id) const { return std::ranges::count(results_, id) != 0; }

void Match::drop_inner_inputs() {
  std::erase_if(inputs_, [&](NodeId input) { return inside_.count(input) != 0; });
}

Pattern Pattern::as(std::string name) const {
  Pattern named = *this;
  named.name_ = std::move(name);
  return named;
}

Pattern Pattern::where(Condition condition) const {
  Pattern narrowed = *this;
  narrowed.conditions_.push_back(std::move(condition));
  return narrowed;
}

Pattern Pattern::of(ValueCondition condition) const {
  Pattern narrowed = *this;
  narrowed.value_conditions_.push_back(std::move(condition));
  return narrowed;
}

Pattern Pattern::or_copied() const {
  Pattern copied = *this;
  copied.is_copied_ = true;
  return copied;
}

Pattern Pattern::once(int key) const {
  Pattern one = *this;
  one.keys_.push_back(key);
  return one;
}

std::set<std::string> Pattern::operators() const {
  std::set<std::string> names;
  if (!op_.empty() && kind_ != Kind::kComposite) {
    names.insert(op_);
  }
  for (const Pattern& part : parts_ == nullptr ? std::vector<Pattern>() : parts()) {
    names.merge(part.operators());
  }
  const auto is_link = [this](const Node& call) {
    return (is_one_ != nullptr && is_one_(call)) || (is_link_ != nullptr && is_link_({}, call));
  };
  for (const Operator& row : fovea::operators()) {
    Node call;
    call.op = &row;
    if (is_link(call)) {
      names.insert(row.name);
    }
  }
  return names;
}

bool Pattern::extend(Match& match, NodeId id) const {
  const bool is_known = !keys_.empty() && match.once(keys_.back()) != nullptr;
  if (!std::ranges::all_of(keys_, [&](int key) { return match.once_.emplace(key, id).first->second == id; })) {
    return false;
  }
  if (is_known) {
    return true;
  }
  if (!std::ranges::all_of(value_conditions_, [&](const auto& condition) { return condition(match.graph(), id); })) {
    return false;
  }
  if (!name_.empty()) {
    match.captures_[name_] = id;
  }
  if (is_copied_) {
    match.copied_.insert(id);
  }
  return extend_kind(match, id) &&
         std::ranges::all_of(conditions_, [&](const Condition& condition) { return condition(match); });
}

bool Pattern::extend_kind(Match& match, NodeId id) const {
  switch (kind_) {
    case Kind::kAny:
    case Kind::kConstant:
    case Kind::kAnything:
      return extend_any(match, id);
    case Kind::kAnyCall:
    case Kind::kComposite:
      return extend_any_call(match, id);
    case Kind::kOp:
    case Kind::kOpOfAll:
      return extend_op(match, id);
    case Kind::kRow:
      return extend_row(match, id);
    case Kind::kGroup:
      return extend_group(match, id);
    case Kind::kEither:
      return extend_either(match, id);
    case Kind::kChain:
      return extend_chain(match, id);
    case Kind::kPath:
      return extend_path(match, id);
  }
  return false;
}

bool Pattern::extend_any(Match& match, NodeId id) const {
  const bool is_constant = match.graph()[id].kind == NodeKind::kConstant;
  if (is_constant) {
    match.inside_.insert(id);
  } else if (std::ranges::find(match.inputs_, id) == match.inputs_.end()) {
    match.inputs_.push_back(id);
  }
  return kind_ == Kind::kAnything || is_constant == (kind_ == Kind::kConstant);
}

bool Pattern::extend_any_call(Match& match, NodeId id) const {
  const Node& node = match.graph()[id];
  match.inside_.insert(id);
  const bool is_one = kind_ == Kind::kAnyCall ? node.kind == NodeKind::kCall
                                              : node.kind == NodeKind::kFunction && node.function->name == op_;
  bool fits = is_one && (parts_ == nullptr || parts().size() == node.inputs.size());
  for (std::size_t i = 0; fits && i < node.inputs.size(); ++i) {
    fits = (parts_ == nullptr ? anything() : parts()[i]).extend(match, node.inputs[i]);
  }
  return fits;
}

bool Pattern::extend_op(Match& match, NodeId id) const {
  const Node& node = match.graph()[id];
  if (!is_call(node, op_) || node.inputs.size() < parts().size()) {
    return false;
  }
  match.inside_.insert(id);
  const Pattern rest = kind_ == Kind::kOpOfAll ? parts()[0] : constant();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!(i < parts().size() ? parts()[i] : rest).extend(match, node.inputs[i])) {
      return false;
    }
  }
  return true;
}

bool Pattern::extend_row(Match& match, NodeId id) const {
  const std::size_t length = length_(match.graph(), id);
  for (std::size_t i = 0; i < length; ++i) {
    match.inside_.insert(id);
    if (is_copied_) {
      match.copied_.insert(id);
    }
    const std::vector<NodeId>& inputs = match.graph()[id].inputs;
    for (std::size_t other = 1; other < inputs.size(); ++other) {
      if (!constant().extend(match, inputs[other])) {
        return false;
      }
    }
    id = inputs.at(0);
  }
  return length > 0 && parts()[0].extend(match, id);
}

bool Pattern::extend_group(Match& match, NodeId id) const {
  const auto [calls, captures] = calls_(match.graph(), id);
  match.captures_.insert(captures.begin(), captures.end());
  for (const NodeId call : calls) {
    match.inside_.insert(call);
    for (const NodeId input : match.graph()[call].inputs) {
      if (match.graph()[input].kind == NodeKind::kConstant) {
        match.inside_.insert(input);
      } else if (calls.count(input) == 0) {
        any().extend(match, input);
      }
    }
  }
  return !calls.empty();
}

bool Pattern::extend_either(Match& match, NodeId id) const {
  for (const Pattern& alternative : parts()) {
    Match attempt = match;
    if (alternative.extend(attempt, id)) {
      match = std::move(attempt);
      return true;
    }
  }
  return false;
}

bool Pattern::extend_chain(Match& match, NodeId id) const {
  std::set<NodeId> seen;
  std::vector<NodeId> next{id};
  std::size_t links = 0;
  while (!next.empty()) {
    const NodeId at = next.back();
    next.pop_back();
    const Node& node = match.graph()[at];
    if (!seen.insert(at).second) {
      continue;
    }
    if (is_link_(match.graph(), node)) {
      if (++links > kMostLinks) {
        return false;
      }
      match.inside_.insert(at);
      match.copied_.insert(at);
      next.insert(next.end(), node.inputs.rbegin(), node.inputs.rend());
    } else if (!(at != id && node.kind == NodeKind::kConstant ? constant() : parts()[0]).extend(match, at)) {
      return false;
    }
  }
  return true;
}

bool Pattern::extend_path(Match& match, NodeId id) const {
  const bool ends_anywhere = parts()[0].kind_ == Kind::kAnything;
  std::set<NodeId> seen;
  for (std::vector<NodeId> next{id}; !next.empty();) {
    const NodeId at = next.back();
    next.pop_back();
    const Node& node = match.graph()[at];
    if (!seen.insert(at).second) {
      continue;
    }
    const bool is_link = node.kind == NodeKind::kCall && is_on_path_(match.graph(), at);
    if (Match attempt = match; !(is_link && ends_anywhere) && parts()[0].extend(attempt, at)) {
      match = std::move(attempt);
    } else if (is_link) {
      match.inside_.insert(at);
      next.insert(next.end(), node.inputs.rbegin(), node.inputs.rend());
    } else if (node.kind == NodeKind::kConstant && at != id) {
      match.inside_.insert(at);
    } else {
      return false;
    }
  }
  return true;
}

namespace {

/// What reads values of a match, and what reads that, up to so many calls away; the nearest first.
std::vector<NodeId> readers_of(const Match& match, std::size_t most_calls) {
  std::vector<NodeId> near(match.inside().begin(), match.inside().end()), all;
  near.insert(near.end(), match.inputs().begin(), match.inputs().end());
  std::set<NodeId> seen = match.inside();
  for (; most_calls > 0 && !near.empty(); --most_calls) {
    std::set<NodeId> next;
    for (const NodeId id : near) {
      const std::vector<NodeId>& users = match.graph().users()[id];
      std::ranges::copy_if(users, std::inserter(next, next.end()), [&](NodeId user) { return !seen.contains(user); });
    }
    seen.insert(next.begin(), next.end());
    all.insert(all.end(), next.begin(), next.end());
    near.assign(next.begin(), next.end());
  }
  return all;
}

}  // namespace

std::size_t Pattern::depth() const {
  std::size_t most = 0;
  for (const Pattern& part : parts_ == nullptr ? std::vector<Pattern>() : parts()) {
    most = std::max(most, part.depth());
  }
  const bool is_of_many = kind_ == Kind::kChain || kind_ == Kind::kPath || kind_ == Kind::kRow || kind_ == Kind::kGroup;
  return most + (is_of_many ? kMostLinks : 1);
}

bool Pattern::extend_by_result(Match& match) const {
  const auto known = std::ranges::find_if(keys_, [&](int key) { return match.once(key) != nullptr; });
  std::vector<NodeId> candidates;
  if (known != keys_.end()) {
    candidates = {*match.once(*known)};
  } else {
    candidates = readers_of(match, depth());
  }
  for (const NodeId id : candidates) {
    if (Match attempt = match; extend(attempt, id)) {
      match = std::move(attempt);
      match.results_.push_back(id);
      return true;
    }
  }
  return false;
}

Pattern any() { return Pattern(Pattern::Kind::kAny); }

Pattern constant() { return Pattern(Pattern::Kind::kConstant); }

Pattern anything() { return Pattern(Pattern::Kind::kAnything); }

Pattern any_call() { return Pattern(Pattern::Kind::kAnyCall); }

Pattern any_call(std::vector<Pattern> inputs) { return Pattern(Pattern::Kind::kAnyCall, std::move(inputs)); }

Pattern composite(std::string name, std::optional<std::vector<Pattern>> inputs) {
  Pattern pattern =
      inputs ? Pattern(Pattern::Kind::kComposite, std::move(*inputs)) : Pattern(Pattern::Kind::kComposite);
  pattern.op_ = std::move(name);
  return pattern;
}

Pattern op(std::string name, std::vector<Pattern> inputs) {
  Pattern pattern(Pattern::Kind::kOp, std::move(inputs));
  pattern.op_ = std::move(name);
  return pattern;
}

Pattern op_of_all(std::string name, Pattern input) {
  Pattern pattern(Pattern::Kind::kOpOfAll, {std::move(input)});
  pattern.op_ = std::move(name);
  return pattern;
}

Pattern in_a_row(bool (*is_one)(const Node& node), std::function<std::size_t(const Graph&, NodeId)> length,
                 Pattern inner) {
  Pattern pattern(Pattern::Kind::kRow, {std::move(inner)});
  pattern.is_one_ = is_one;
  pattern.length_ = std::move(length);
  return pattern;
}

Pattern group(std::function<Calls(const Graph&, NodeId)> calls) {
  Pattern pattern(Pattern::Kind::kGroup);
  pattern.calls_ = std::move(calls);
  return pattern;
}

Pattern either(std::vector<Pattern> alternatives) { return Pattern(Pattern::Kind::kEither, std::move(alternatives)); }

Pattern chain(bool (*is_link)(const Graph& graph, const Node& node), Pattern end) {
  Pattern pattern(Pattern::Kind::kChain, {std::move(end)});
  pattern.is_link_ = is_link;
  return pattern;
}

Pattern path(Pattern::ValueCondition is_link, Pattern end) {
  Pattern pattern(Pattern::Kind::kPath, {std::move(end)});
  pattern.is_on_path_ = std::move(is_link);
  return pattern;
}

Pattern maybe(const std::string& name, const Pattern& inner, const std::vector<Pattern>& more_inputs) {
  std::vector<Pattern> inputs{inner};
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  return either({op(name, inputs), inner});
}

std::optional<Match> match(const Pattern& pattern, const Graph& graph, NodeId root, Sharing sharing) {
  return match(pattern, {}, graph, root, sharing);
}

std::optional<Match> match(const Pattern& pattern, const std::vector<Pattern>& more, const Graph& graph, NodeId root,
                           Sharing sharing) {
  Match found(graph);
  found.results_ = {root};
  const auto is_found = [&](const Pattern& result) { return result.extend_by_result(found); };
  if (!pattern.extend(found, root) || !std::ranges::all_of(more, is_found)) {
    return std::nullopt;
  }
  if (sharing == Sharing::kCopied) {
    return found;
  }
  const auto& users = graph.users();
  for (const NodeId id : found.inside_) {
    const bool is_private = !found.is_result(id) && graph[id].kind == NodeKind::kCall && found.copied_.count(id) == 0;
    const auto is_inside = [&](NodeId user) { return found.inside_.count(user) != 0; };
    if (is_private && (graph.is_output(id) || !std::all_of(users[id].begin(), users[id].end(), is_inside))) {
      return std::nullopt;
    }
  }
  return found;
}

}  // namespace fovea

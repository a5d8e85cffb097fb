// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pattern language: what a fusion looks for in a graph.
///
///     either({op("nn.relu", {op("nn.conv2d", {any(), constant()}).as("conv")}), ...}).where(is_square)
///
/// A match takes the first alternative that fits where it stands and does not come back to try another.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace fovea {

enum class Sharing;

/// What a pattern found.
class Match {
 public:
  explicit Match(const Graph& graph) : graph_(&graph) {}

  const Graph& graph() const { return *graph_; }
  /// The value that Pattern::as() gave this name. InternalError where there is none.
  const Node& operator[](const std::string& name) const;
  bool has(const std::string& name) const { return captures_.count(name) != 0; }
  /// The same value's place in the graph.
  NodeId place_of(const std::string& name) const;

  /// Operators and constants of the match, in the graph's order.
  const std::set<NodeId>& inside() const { return inside_; }
  /// Those of inside() that the match takes a copy of, as others may read them.
  const std::set<NodeId>& copied() const { return copied_; }
  /// Values of any(): what the match reads, each once.
  const std::vector<NodeId>& inputs() const { return inputs_; }
  /// Takes those out of inputs() that are inside too.
  void drop_inner_inputs();
  /// The value that the whole pattern stands for.
  NodeId root() const { return results_.at(0); }
  /// The root, and further results, which others may read too.
  const std::vector<NodeId>& results() const { return results_; }
  bool is_result(NodeId id) const;
  /// What as() has named, by name.
  const std::map<std::string, NodeId>& captures() const { return captures_; }
  /// The value that a pattern of that key of once() stands for, or null.
  const NodeId* once(int key) const;

 private:
  friend class Pattern;
  friend std::optional<Match> match(const class Pattern& pattern, const std::vector<class Pattern>& more,
                                    const Graph& graph, NodeId root, Sharing sharing);

  const Graph* graph_;
  std::vector<NodeId> results_;
  std::map<std::string, NodeId> captures_;
  std::map<int, NodeId> once_;
  std::set<NodeId> inside_, copied_;
  std::vector<NodeId> inputs_;
};

/// Calls that a group() chooses, and names for some of them.
struct Calls {
  std::set<NodeId> inside;
  std::map<std::string, NodeId> captures;
};

/// A shape of graph, made with the functions below.
class Pattern {
 public:
  using Condition = std::function<bool(const Match& match)>;
  /// Of a value by itself.
  using ValueCondition = std::function<bool(const Graph& graph, NodeId id)>;

  /// Names the value, for Match::operator[].
  Pattern as(std::string name) const;
  /// Matches only where this holds, of the match up to here.
  Pattern where(Condition condition) const;
  /// Matches only values of which this holds. It is asked before what the value reads is looked at.
  Pattern of(ValueCondition condition) const;
  /// The value may also be read by others: the match takes a copy of it.
  Pattern or_copied() const;
  /// Stands for one value: in a match, all patterns of that key are the same value. A pattern may have several keys.
  Pattern once(int key) const;

  /// Names of the operators that it looks for.
  std::set<std::string> operators() const;

 private:
  friend Pattern any();
  friend Pattern constant();
  friend Pattern anything();
  friend Pattern any_call();
  friend Pattern any_call(std::vector<Pattern> inputs);
  friend Pattern composite(std::string name, std::optional<std::vector<Pattern>> inputs);
  friend Pattern op(std::string name, std::vector<Pattern> inputs);
  friend Pattern op_of_all(std::string name, Pattern input);
  friend Pattern in_a_row(bool (*is_one)(const Node& node), std::function<std::size_t(const Graph&, NodeId)> length,
                          Pattern inner);
  friend Pattern group(std::function<Calls(const Graph& graph, NodeId root)> calls);
  friend Pattern either(std::vector<Pattern> alternatives);
  friend Pattern chain(bool (*is_link)(const Graph& graph, const Node& node), Pattern end);
  friend Pattern path(ValueCondition is_link, Pattern end);
  friend std::optional<Match> match(const Pattern& pattern, const std::vector<Pattern>& more, const Graph& graph,
                                    NodeId root, Sharing sharing);

  enum class Kind {
    kAny,
    kConstant,
    kAnything,
    kAnyCall,
    kComposite,
    kOp,
    kOpOfAll,
    kEither,
    kChain,
    kPath,
    kRow,
    kGroup
  };

  explicit Pattern(Kind kind) : kind_(kind) {}
  Pattern(Kind kind, std::vector<Pattern> parts)
      : kind_(kind), parts_(std::make_shared<const std::vector<Pattern>>(std::move(parts))) {}

  const std::vector<Pattern>& parts() const { return *parts_; }

  /// Extends `match` by the value `id`; where that fails, `match` is worth nothing any more.
  bool extend(Match& match, NodeId id) const;
  bool extend_kind(Match& match, NodeId id) const;
  bool extend_any(Match& match, NodeId id) const;
  bool extend_any_call(Match& match, NodeId id) const;
  bool extend_op(Match& match, NodeId id) const;
  bool extend_row(Match& match, NodeId id) const;
  bool extend_group(Match& match, NodeId id) const;
  bool extend_either(Match& match, NodeId id) const;
  bool extend_chain(Match& match, NodeId id) const;
  bool extend_path(Match& match, NodeId id) const;

  /// Extends `match` by a further result, found from what it has.
  bool extend_by_result(Match& match) const;
  /// Calls from its value down to what it ends with, at most.
  std::size_t depth() const;

  Kind kind_;
  std::string op_;
  bool (*is_link_)(const Graph& graph, const Node& node) = nullptr;
  bool (*is_one_)(const Node& node) = nullptr;
  std::function<std::size_t(const Graph& graph, NodeId id)> length_;
  std::function<Calls(const Graph& graph, NodeId id)> calls_;
  std::shared_ptr<const std::vector<Pattern>> parts_;  ///< Null of a leaf.
  std::string name_;
  std::vector<Condition> conditions_;
  std::vector<ValueCondition> value_conditions_;
  ValueCondition is_on_path_;
  std::vector<int> keys_;
  bool is_copied_ = false;
};

/// Any value that an input of the graph decides: an input of the fused function.
Pattern any();

/// A constant node. It becomes part of the fused function.
Pattern constant();

/// Any value: one of any(), or a constant.
Pattern anything();

/// A call of any operator: on anything, or on as many inputs as are given.
Pattern any_call();
Pattern any_call(std::vector<Pattern> inputs);

/// A call of a composite of that name: on anything, or on as many inputs as are given.
Pattern composite(std::string name, std::optional<std::vector<Pattern>> inputs);

/// A call of an operator. Inputs behind those that are given must be constants: op("qnn.quantize", {x}).
Pattern op(std::string name, std::vector<Pattern> inputs);

/// A call of an operator all of whose inputs are alike; a name that the input captures stands for the last of them.
Pattern op_of_all(std::string name, Pattern input);

/// Calls of such operators in a row, as many as `length` says, each of which reads the next as its first input; the
/// last reads `inner`. Their other inputs must be constants. No match where the length is 0; all of them are
/// or_copied(), or none.
Pattern in_a_row(bool (*is_one)(const Node& node), std::function<std::size_t(const Graph& graph, NodeId root)> length,
                 Pattern inner);

/// The calls that `calls` chooses, the root among them; none: no match. What they read besides are inputs and constants
/// of the match. It looks for no operators by name.
Pattern group(std::function<Calls(const Graph& graph, NodeId root)> calls);

/// The first of the alternatives that matches.
Pattern either(std::vector<Pattern> alternatives);

/// Links of a chain() at most. Activation functions as exporters write them have about ten.
inline constexpr std::size_t kMostLinks = 64;

/// Calls of operators on calls of operators, as far as `is_link` holds, on what matches `end` and on constants. The
/// calls may have other readers: the match takes copies. Named, it stands for the outermost. No match where there are
/// more than kMostLinks.
Pattern chain(bool (*is_link)(const Graph& graph, const Node& node), Pattern end);

/// What matches `end`, or calls of which `is_link` holds, one on another, all of whose ways down lead to what matches
/// `end` or to constants. Named, it stands for the outermost. Where `end` is anything(), it is what no link is.
Pattern path(Pattern::ValueCondition is_link, Pattern end);

/// An optional operator around a value: op(name, {inner}), or inner alone.
Pattern maybe(const std::string& name, const Pattern& inner, const std::vector<Pattern>& more_inputs = {});

/// What becomes of values inside that are read elsewhere or are outputs of the graph.
enum class Sharing {
  kRefused,  ///< What others need is not fused away: there is no match, but where a result or what is or_copied() is
             ///< such.
  kCopied,   ///< All are copied, and computed again for each match.
};

/// Matches a pattern whose result is the value `root`.
std::optional<Match> match(const Pattern& pattern, const Graph& graph, NodeId root,
                           Sharing sharing = Sharing::kRefused);

/// The same with further results. Each is a part of the pattern, by a key of once(), or shares values with it: then the
/// nearest that reads what is matched already is taken.
std::optional<Match> match(const Pattern& pattern, const std::vector<Pattern>& more, const Graph& graph, NodeId root,
                           Sharing sharing = Sharing::kRefused);

}  // namespace fovea

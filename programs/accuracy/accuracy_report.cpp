// SPDX-License-Identifier: Apache-2.0
/// \file
/// The same figures as a text and as JSON.
#include "accuracy_report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "spec/json_file.h"
#include "spec/shown_text.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

Score score_of(const TestPictures& pictures, const Labels& labels, const Judged& judged) {
  Score score(labels.names.size());
  for (std::size_t i = 0; i < judged.outcomes.size(); ++i) {
    score.add(pictures.pictures[i].true_class, judged.outcomes[i]);
  }
  return score;
}

template <class Is>
std::size_t count_pictures(const TestPictures& pictures, Is is) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < pictures.pictures.size(); ++i) {
    count += is(i) ? 1 : 0;
  }
  return count;
}

template <class... Values>
std::string print(const char* format, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// "87.00 % (87 of 100), with 95 % confidence 79.02 to 92.24 %".
std::string describe_share(std::size_t part, std::size_t all) {
  const ShareInterval interval = wilson_interval(part, all);
  return print("%.2f %% (%zu of %zu), with 95 %% confidence %.2f to %.2f %%",
               100.0 * static_cast<double>(part) / static_cast<double>(all), part, all, 100 * interval.low,
               100 * interval.high);
}

void print_shares(std::ostream& out, const Judged& judged, const Score& score) {
  out << judged.name << "\n  top-1: " << describe_share(score.right(), score.pictures()) << "\n";
  if (score.confusion().size() > 5) {
    out << "  top-5: " << describe_share(score.among_five(), score.pictures()) << "\n";
  }
}

/// Rows are true classes, columns what they were taken for.
void print_matrix(std::ostream& out, const Labels& labels, const Score& score) {
  const std::size_t classes = labels.names.size();
  if (classes > kMostMatrixClasses) {
    out << "\n" << classes << " classes: their confusion is in --json\n";
    return;
  }
  out << "\n" << std::string(18, ' ');
  for (std::size_t i = 0; i < classes; ++i) {
    out << print("%6zu", i);
  }
  out << "\n";
  for (std::size_t i = 0; i < classes; ++i) {
    out << print("%2zu %14s ", i, shown_text(labels.names[i].substr(0, 14)).c_str());
    for (const uint32_t count : score.confusion()[i]) {
      out << (count == 0 ? std::string(5, ' ') + "." : print("%6u", count));
    }
    out << "\n";
  }
}

void print_misses(std::ostream& out, const TestPictures& pictures, const Labels& labels, const Judged& judged,
                  std::size_t most) {
  std::size_t shown = 0, missed = 0;
  for (std::size_t i = 0; i < judged.outcomes.size(); ++i) {
    const TestPicture& picture = pictures.pictures[i];
    const Outcome& outcome = judged.outcomes[i];
    if (outcome.place == 0) {
      continue;
    }
    if (missed++ == 0 && most > 0) {
      out << "\nmissed:\n";
    }
    if (shown < most) {
      out << "  " << picture.name << ": saw " << labels.names[outcome.answer] << "; "
          << labels.names[picture.true_class] << print(" came %u.", outcome.place + 1u) << "\n";
      ++shown;
    }
  }
  if (shown != 0 && missed > shown) {
    out << "  and " << missed - shown << " more (--misses)\n";
  }
}

bool knew(const Judged& judged, std::size_t picture) { return judged.outcomes[picture].place == 0; }

struct Agreement {
  std::size_t same, only_first, only_second;
};

Agreement compare(const TestPictures& pictures, const Judged& first, const Judged& second) {
  return {
      count_pictures(pictures, [&](std::size_t i) { return first.outcomes[i].answer == second.outcomes[i].answer; }),
      count_pictures(pictures, [&](std::size_t i) { return knew(first, i) && !knew(second, i); }),
      count_pictures(pictures, [&](std::size_t i) { return !knew(first, i) && knew(second, i); })};
}

Json share_json(std::size_t part, std::size_t all) {
  const ShareInterval interval = wilson_interval(part, all);
  return {{"right", part},
          {"share", static_cast<double>(part) / static_cast<double>(all)},
          {"low", interval.low},
          {"high", interval.high}};
}

Json network_json(const TestPictures& pictures, const Labels& labels, const Judged& judged) {
  const Score score = score_of(pictures, labels, judged);
  Json misses = Json::array();
  for (std::size_t i = 0; i < judged.outcomes.size(); ++i) {
    if (!knew(judged, i)) {
      misses.push_back({{"picture", pictures.pictures[i].name},
                        {"class", pictures.pictures[i].true_class},
                        {"saw", judged.outcomes[i].answer},
                        {"place", judged.outcomes[i].place + 1}});
    }
  }
  return {{"network", judged.name},
          {"top1", share_json(score.right(), score.pictures())},
          {"top5", share_json(score.among_five(), score.pictures())},
          {"confusion", score.confusion()},
          {"missed", misses}};
}

}  // namespace

void print_accuracy(std::ostream& out, const TestPictures& pictures, const Labels& labels,
                    const std::vector<Judged>& judged, std::size_t misses) {
  for (const Judged& one : judged) {
    print_shares(out, one, score_of(pictures, labels, one));
  }
  if (judged.size() == 2) {
    const Agreement agreement = compare(pictures, judged[0], judged[1]);
    out << "the same answer: " << describe_share(agreement.same, pictures.pictures.size()) << "\n"
        << "only the first knew " << agreement.only_first << ", only the second " << agreement.only_second << "\n";
  }
  print_matrix(out, labels, score_of(pictures, labels, judged.front()));
  print_misses(out, pictures, labels, judged.front(), misses);
}

void print_accuracy_json(std::ostream& out, const TestPictures& pictures, const Labels& labels,
                         const std::vector<Judged>& judged) {
  Json json = {{"pictures", pictures.pictures.size()}, {"labels", labels.names}, {"networks", Json::array()}};
  for (const Judged& one : judged) {
    json["networks"].push_back(network_json(pictures, labels, one));
  }
  if (judged.size() == 2) {
    const Agreement agreement = compare(pictures, judged[0], judged[1]);
    json["same_answer"] = agreement.same;
    json["only_first_knew"] = agreement.only_first;
    json["only_second_knew"] = agreement.only_second;
  }
  out << json_text(json);
}

}  // namespace fovea

// SPDX-License-Identifier: Apache-2.0
/// \file
/// Damaged networks: whatever bytes or fields of a model are changed, foveac compiles it or says in words why not.
#include <fcntl.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "bench/number_from_environment.h"
#include "network_writer.h"
#include "random_network.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

const uint64_t kSeed = number_from_environment("SEED", 1), kMutations = number_from_environment("MUTATIONS", 300);
constexpr rlim_t kMostMemory = rlim_t{1} << 30, kMostSeconds = 20;

/// A field of a message somewhere in a model.
struct Place {
  Message* message;
  const FieldDescriptor* field;
};

void collect_places(Message& message, std::vector<Place>& places) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    places.push_back({&message, field});
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    }
    if (!field->is_repeated()) {
      collect_places(*reflection.MutableMessage(&message, field), places);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      collect_places(*reflection.MutableRepeatedMessage(&message, field, i), places);
    }
  }
}

bool is_name(const Place& place) { return place.field->type() == FieldDescriptor::TYPE_STRING; }

class Mutation {
 public:
  explicit Mutation(uint64_t seed) : source_(seed) {}

  /// A model as bytes, one or two of its fields changed, or of the bytes themselves.
  std::string of(onnx::ModelProto model) {
    const bool is_bytes = below(4) == 0;
    const std::size_t changes = 1 + below(2);
    for (std::size_t i = 0; !is_bytes && i < changes; ++i) {
      std::vector<Place> places;
      collect_places(model, places);
      Place place = places[below(places.size())];
      if (is_name(place)) {  // They are most fields, and all of them lead to the same few words.
        place = places[below(places.size())];
      }
      change(place);
    }
    std::string bytes = model.SerializePartialAsString();
    for (std::size_t i = 0; is_bytes && i < changes; ++i) {
      change(bytes);
    }
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return source_() % end; }

  template <typename T, std::size_t N>
  T any_of(const T (&values)[N]) {
    return values[below(N)];
  }

  int64_t odd_integer() {
    const int64_t any = static_cast<int64_t>(source_());
    return any_of<int64_t>(
        {0, -1, 1, 2, 3, 4, 7, 255, 300, 1 << 20, INT32_MAX, INT32_MIN, int64_t{1} << 40, INT64_MAX, INT64_MIN, any});
  }
  float odd_number() {
    return any_of<float>({0, -1, 1, 0.5F, 1e-6F, 1e6F, 1e-45F, 3e38F, -0.0F, HUGE_VALF, -HUGE_VALF, NAN});
  }

  /// Text that another field may have; bytes cut, grown or changed.
  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    switch (below(4)) {
      case 0:
        return text.resize(at);
      case 1:
        text.insert(at, 1 + below(4), static_cast<char>(source_()));
        return;
      case 2:
        text.erase(at, 1 + below(4));
        return;
      default:
        text.resize(std::max(text.size(), at + 1));
        text[at] = static_cast<char>(source_());
    }
  }

  void change(const Place& place) {
    const Reflection& reflection = *place.message->GetReflection();
    const int size = place.field->is_repeated() ? reflection.FieldSize(*place.message, place.field) : 0;
    const std::size_t way = below(6);
    if (way == 0) {
      reflection.ClearField(place.message, place.field);
    } else if (place.field->is_repeated() && way == 1) {
      reflection.RemoveLast(place.message, place.field);
    } else if (place.field->is_repeated() &&
               (way == 2 || place.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)) {
      reflection.SwapElements(place.message, place.field, static_cast<int>(below(size)), static_cast<int>(below(size)));
    } else if (place.field->is_repeated()) {
      set_element(reflection, place, static_cast<int>(below(size)));
    } else {
      set(reflection, place);
    }
  }

  void set(const Reflection& reflection, const Place& place) {
    switch (place.field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection.SetInt32(place.message, place.field, static_cast<int32_t>(odd_integer()));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection.SetInt64(place.message, place.field, odd_integer());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection.SetFloat(place.message, place.field, odd_number());
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection.SetEnumValue(place.message, place.field, static_cast<int>(below(20)));
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string text = reflection.GetString(*place.message, place.field);
        change(text);
        return reflection.SetString(place.message, place.field, text);
      }
      default:
        return;
    }
  }

  void set_element(const Reflection& reflection, const Place& place, int index) {
    switch (place.field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection.SetRepeatedInt32(place.message, place.field, index, static_cast<int32_t>(odd_integer()));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection.SetRepeatedInt64(place.message, place.field, index, odd_integer());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection.SetRepeatedFloat(place.message, place.field, index, odd_number());
      case FieldDescriptor::CPPTYPE_STRING: {  // A name is exchanged for one beside it, or damaged.
        const int size = reflection.FieldSize(*place.message, place.field);
        std::string text = reflection.GetRepeatedString(*place.message, place.field, static_cast<int>(below(size)));
        if (below(2) == 0) {
          change(text);
        }
        return reflection.SetRepeatedString(place.message, place.field, index, text);
      }
      default:
        return;
    }
  }

  std::mt19937_64 source_;
};

struct Outcome {
  int status = 0;  ///< As waitpid() says.
  std::string words;
};

/// Runs foveac with little memory and time.
Outcome run_foveac(const fs::path& model, const fs::path& folder) {
  const fs::path log = folder / "foveac.log";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit memory{kMostMemory, kMostMemory}, seconds{kMostSeconds, kMostSeconds};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &seconds);
    dup2(open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666), STDERR_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execl(FOVEAC, FOVEAC, model.c_str(), "-o", (folder / "out").c_str(), "--target", "cpu", nullptr);
    _exit(127);
  }
  Outcome outcome;
  waitpid(child, &outcome.status, 0);
  std::ifstream file(log);
  outcome.words = {std::istreambuf_iterator<char>(file), {}};
  return outcome;
}

/// What is wrong with an answer; empty where nothing is.
std::string fault_of(const Outcome& outcome) {
  if (!WIFEXITED(outcome.status)) {
    return "ends by signal " + std::to_string(WTERMSIG(outcome.status));
  }
  const int code = WEXITSTATUS(outcome.status);
  if (code == 0) {
    return outcome.words.empty() ? "" : "compiles, but complains";
  }
  const bool says_why = outcome.words.starts_with("foveac: ") && outcome.words.find(": ", 8) != std::string::npos;
  const bool is_ours = outcome.words.find("internal error") != std::string::npos ||
                       outcome.words.find("std::") != std::string::npos ||
                       outcome.words.find("exception") != std::string::npos;
  return code != 1 ? "ends with exit code " + std::to_string(code) : says_why && !is_ours ? "" : "does not say why";
}

TEST(MutatedNetworks, AreCompiledOrRefusedInWords) {
  const fs::path folder = WORK_FOLDER;
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::size_t compiled = 0, refused = 0;
  for (uint64_t i = 0; i < kMutations; ++i) {
    const fs::path model = folder / ("seed_" + std::to_string(kSeed + i) + ".onnx");
    const DrawnNetwork network =
        draw_network((kSeed + i) / 8, i % 2 == 0 ? DrawnScales::kAny : DrawnScales::kPowersOfTwo);
    write_network(network, static_cast<NetworkForm>(i % 4), model);
    onnx::ModelProto whole;
    std::ifstream stream(model, std::ios::binary);
    ASSERT_TRUE(whole.ParseFromIstream(&stream));
    stream.close();
    std::ofstream(model, std::ios::binary) << Mutation(kSeed + i).of(whole);
    const Outcome outcome = run_foveac(model, folder);
    const std::string fault = fault_of(outcome);
    EXPECT_EQ(fault, "") << "SEED=" << kSeed + i << " MUTATIONS=1, kept as " << model << "\n" << outcome.words;
    (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0 ? compiled : refused) += 1;
    if (fault.empty()) {
      fs::remove(model);
    }
  }
  std::printf("SEED=%llu: %zu of %llu compiled, %zu refused\n", static_cast<unsigned long long>(kSeed), compiled,
              static_cast<unsigned long long>(kMutations), refused);
  EXPECT_TRUE(kMutations < 100 || (compiled > kMutations / 10 && refused > kMutations / 10));
}

}  // namespace
}  // namespace fovea

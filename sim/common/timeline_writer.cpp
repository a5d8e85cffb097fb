// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes a timeline in Chrome's trace event format, event by event.
#include "timeline_writer.h"

#include <spdlog/fmt/fmt.h>

#include <nlohmann/json.hpp>

namespace fovea {

namespace {

std::string quote_json(const std::string& text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// `,"args":{...}`, or nothing.
std::string format_values(TimelineWriter::Values values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}\"{}\":{}", text.empty() ? ",\"args\":{" : ",", name, value);
  }
  return text.empty() ? text : text + "}";
}

}  // namespace

TimelineWriter::TimelineWriter(const std::filesystem::path& path) : file_(path) {
  file_.out() << "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"time\":\"1 us is 1 device cycle\"},\"traceEvents\":[\n";
}

void TimelineWriter::write(const std::string& event) {
  file_.out() << (is_first_ ? "{" : ",\n{") << event << "}";
  is_first_ = false;
}

void TimelineWriter::name_process(const std::string& name) {
  write(fmt::format(R"("ph":"M","pid":1,"tid":0,"name":"process_name","args":{{"name":{}}})", quote_json(name)));
}

void TimelineWriter::name_track(uint32_t track, const std::string& name) {
  write(fmt::format(R"("ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":{}}})", track, quote_json(name)));
  write(fmt::format(R"("ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}})", track));
}

void TimelineWriter::write_span(uint32_t track, const std::string& name, uint64_t from, uint64_t to, Values values) {
  write(fmt::format(R"("ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"name":{}{})", track, from, to - from,
                    quote_json(name), format_values(values)));
}

void TimelineWriter::begin_span(uint32_t track, const std::string& name, uint64_t from) {
  write(fmt::format(R"("ph":"B","pid":1,"tid":{},"ts":{},"name":{})", track, from, quote_json(name)));
}

void TimelineWriter::end_span(uint32_t track, uint64_t to, Values values) {
  write(fmt::format(R"("ph":"E","pid":1,"tid":{},"ts":{}{})", track, to, format_values(values)));
}

void TimelineWriter::write_instant(uint32_t track, const std::string& name, uint64_t cycle) {
  write(fmt::format(R"("ph":"i","s":"t","pid":1,"tid":{},"ts":{},"name":{})", track, cycle, quote_json(name)));
}

void TimelineWriter::write_counter(const char* name, uint64_t cycle, Values values) {
  write(fmt::format(R"("ph":"C","pid":1,"tid":0,"ts":{},"name":{}{})", cycle, quote_json(name), format_values(values)));
}

void TimelineWriter::finish() {
  file_.out() << "\n]}\n";
  file_.finish();
}

}  // namespace fovea

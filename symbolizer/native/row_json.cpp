#include "symbolizer/native/row_json.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace hangstack::symbolizer {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxOperations = 1000;

/// One letter for each kind, in the order of RuleKind.
constexpr std::string_view kLetters = "usovrbex";

json rule_to_json(const RegisterRule& rule) {
  json list = json::array({std::string(1, kLetters[static_cast<std::size_t>(rule.kind)])});
  switch (rule.kind) {
    case RuleKind::undefined:
    case RuleKind::same: break;
    case RuleKind::at_cfa_offset:
    case RuleKind::cfa_plus_offset: list.push_back(rule.offset); break;
    case RuleKind::in_register: list.push_back(rule.number); break;
    case RuleKind::register_plus_offset:
      list.push_back(rule.number);
      list.push_back(rule.offset);
      break;
    case RuleKind::at_expression:
    case RuleKind::is_expression:
      for (const DwarfOperation& op : rule.expression) list.push_back({op.code, op.first, op.second, op.offset});
      break;
  }
  return list;
}

template <typename T>
T unsigned_at(const json& list, std::size_t index) {
  const json& value = list.at(index);
  if (!value.is_number_unsigned()) throw std::invalid_argument("not an unsigned number");
  const auto number = value.get<std::uint64_t>();
  if (number > std::numeric_limits<T>::max()) throw std::invalid_argument("a number out of range");
  return static_cast<T>(number);
}

std::int64_t signed_at(const json& list, std::size_t index) {
  if (!list.at(index).is_number_integer()) throw std::invalid_argument("not a number");
  return list.at(index).get<std::int64_t>();
}

RegisterRule rule_from_json(const json& list) {
  const auto& letter = list.at(0).get_ref<const std::string&>();
  const auto kind = letter.size() == 1 ? kLetters.find(letter[0]) : std::string_view::npos;
  if (kind == std::string_view::npos) throw std::invalid_argument("an unknown kind of register rule");
  RegisterRule rule;
  rule.kind = static_cast<RuleKind>(kind);
  switch (rule.kind) {
    case RuleKind::undefined:
    case RuleKind::same: break;
    case RuleKind::at_cfa_offset:
    case RuleKind::cfa_plus_offset: rule.offset = signed_at(list, 1); break;
    case RuleKind::in_register: rule.number = unsigned_at<std::uint32_t>(list, 1); break;
    case RuleKind::register_plus_offset:
      rule.number = unsigned_at<std::uint32_t>(list, 1);
      rule.offset = signed_at(list, 2);
      break;
    case RuleKind::at_expression:
    case RuleKind::is_expression:
      if (list.size() > kMaxOperations) throw std::invalid_argument("an expression that is too long");
      for (std::size_t i = 1; i < list.size(); ++i) {
        const json& op = list[i];
        rule.expression.push_back({unsigned_at<std::uint8_t>(op, 0), unsigned_at<std::uint64_t>(op, 1),
                                   unsigned_at<std::uint64_t>(op, 2), unsigned_at<std::uint64_t>(op, 3)});
      }
  }
  return rule;
}

}  // namespace

json row_to_json(const CallFrameRow& row) {
  json registers = json::object();
  for (std::size_t i = 0; i < row.registers.size(); ++i) {
    if (row.registers[i].kind != RuleKind::undefined) registers[std::to_string(i)] = rule_to_json(row.registers[i]);
  }
  json object{{"cfa", rule_to_json(row.cfa)}, {"registers", std::move(registers)}};
  if (row.signal_frame) object["signal"] = true;
  return object;
}

CallFrameRow row_from_json(const json& object) {
  CallFrameRow row;
  row.cfa = rule_from_json(object.at("cfa"));
  for (const auto& [key, rule] : object.at("registers").items()) {
    std::size_t number = row.registers.size();
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc{} || end != key.data() + key.size() || number >= row.registers.size()) {
      throw std::invalid_argument("not a register number");
    }
    row.registers[number] = rule_from_json(rule);
  }
  row.signal_frame = object.contains("signal") && object.at("signal").get<bool>();
  return row;
}

}  // namespace hangstack::symbolizer

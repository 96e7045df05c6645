#include "report/words/problem_classes.h"

#include <fmt/core.h>

#include <map>
#include <tuple>

#include "model/without_numbers.h"
#include "report/printable.h"
#include "report/words/cut.h"
#include "report/words/folding.h"

namespace hangstack::report {
namespace {

constexpr int kSubjectColumns = 24;
constexpr int kScopeColumns = 10;

}  // namespace

std::vector<ProblemClass> problem_classes(const std::vector<model::Problem>& problems) {
  std::map<std::tuple<std::string, model::ErrorCode, std::string, std::string>, std::size_t> known;
  std::vector<ProblemClass> classes;
  for (const auto& p : problems) {
    const auto [it, fresh] = known.try_emplace(
        {p.scope, p.error.code, model::without_numbers(p.error.message), model::without_numbers(p.error.fix)},
        classes.size());
    if (fresh) classes.emplace_back();
    classes[it->second].members.push_back(p);
  }
  return classes;
}

std::string subject_of(const ProblemClass& one) {
  const model::Problem& first = one.members.front();
  const std::string scope = cut_end(printable(first.scope), kScopeColumns);
  if (one.members.size() == 1) return cut_end(scope + " " + printable(first.subject), kSubjectColumns);
  std::vector<std::int32_t> numbers;
  for (const auto& problem : one.members) {
    const std::string& s = problem.subject;
    const bool number = !s.empty() && s.size() < 10 && s.find_first_not_of("0123456789") == std::string::npos;
    if (number) numbers.push_back(std::stoi(s));
  }
  if (numbers.size() != one.members.size()) return fmt::format("{} {}s", one.members.size(), scope);
  return scope + "s " + fitting_list(folded_pids(numbers), numbers.size(), kSubjectColumns - columns(scope) - 2);
}

std::string message_of(const ProblemClass& one) {
  std::string message = printable(one.members.front().error.message);
  if (one.members.size() > 1) message += fmt::format(" (and {} more)", one.members.size() - 1);
  return message;
}

}  // namespace hangstack::report

#pragma once
// What must hold for every HTML report, whatever names are in it.

#include <optional>
#include <string>
#include <string_view>

namespace hangstack::tests {

/// What is wrong with `page`, with a part of it; nothing if it is right: elements are balanced, attributes quoted and
/// of those that a report has, links lead into the page, text and attributes have no character that ends them, one
/// <style> and one <script> are `style` and `script` to the byte.
std::optional<std::string> fault_of_html(std::string_view page, std::string_view style, std::string_view script);

}  // namespace hangstack::tests

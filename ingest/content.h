#pragma once
// What a file is, by its content.

#include <optional>
#include <string_view>

#include "model/error.h"

namespace hangstack::ingest {

/// A reply of NCCL's RAS: its text says so, as does its JSON.
bool looks_like_ras(std::string_view text);

/// A JSON list, as py-spy prints one. gdb's "[New LWP 7]" and the "[rank0]:" of logs begin with a bracket too.
bool looks_like_json_list(std::string_view text);

/// What a stack tool printed instead of stacks (py-spy 0.3 and 0.4, gdb 13, eu-stack of elfutils 0.188, pystack 1.4; a
/// shell that did not find it): the sentence names the tool and its words, the fix what to do. For texts without a
/// thread only: a dump may hold such words too.
std::optional<model::Error> refusal_in(std::string_view text);

}  // namespace hangstack::ingest

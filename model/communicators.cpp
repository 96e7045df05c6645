#include "model/communicators.h"

#include <numeric>

namespace hangstack::model {

std::uint64_t Communicator::launched_in_all() const {
  return std::accumulate(launched.begin(), launched.end(), launched_of_any_kind);
}

}  // namespace hangstack::model

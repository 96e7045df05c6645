#include "model/communicators.h"

#include <numeric>

namespace hangstack::model {

std::uint64_t Communicator::launched_in_all() const {
  return std::accumulate(launched.begin(), launched.end(), std::uint64_t{0});
}

}  // namespace hangstack::model

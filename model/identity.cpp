#include "model/identity.h"

namespace hangstack::model {

std::string_view role_name(Role role) {
  switch (role) {
    case Role::rank: return "rank";
    case Role::launcher: return "launcher";
    case Role::dataloader_worker: return "dataloader worker";
    case Role::compile_worker: return "compile worker";
    case Role::helper: return "helper";
    case Role::other: return "other";
  }
  return "other";
}

}  // namespace hangstack::model

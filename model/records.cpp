#include "model/records.h"

namespace hangstack::model {

std::string_view record_status_name(RecordStatus status) {
  switch (status) {
    case RecordStatus::ok: return "ok";
    case RecordStatus::absent: return "absent";
    case RecordStatus::refused: return "refused";
    case RecordStatus::timed_out: return "timeout";
    case RecordStatus::failed: return "failed";
  }
  return "failed";
}

}  // namespace hangstack::model

#include "model/logs.h"

namespace hangstack::model {

std::string_view log_kind_name(LogKind kind) {
  switch (kind) {
    case LogKind::nccl_version: return "nccl_version";
    case LogKind::nccl_warning: return "nccl_warning";
    case LogKind::init_start: return "init_start";
    case LogKind::init_complete: return "init_complete";
    case LogKind::group_status: return "group_status";
    case LogKind::watchdog_timeout: return "watchdog_timeout";
    case LogKind::store_timeout: return "store_timeout";
    case LogKind::unknown_device: return "unknown_device";
    case LogKind::abort: return "abort";
    case LogKind::heartbeat: return "heartbeat";
    case LogKind::exception: return "exception";
    case LogKind::exited: return "exited";
    case LogKind::cuda_error: return "cuda_error";
    case LogKind::xid: return "xid";
  }
  return "";
}

bool is_failure(LogKind kind) {
  switch (kind) {
    case LogKind::nccl_version:
    case LogKind::nccl_warning:
    case LogKind::init_start:
    case LogKind::init_complete:
    case LogKind::group_status:
    case LogKind::unknown_device: return false;
    default: return true;
  }
}

}  // namespace hangstack::model

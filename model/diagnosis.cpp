#include "model/diagnosis.h"

namespace hangstack::model {

std::string_view hung_name(Hung hung) {
  switch (hung) {
    case Hung::yes: return "yes";
    case Hung::no: return "no";
    case Hung::undecided: return "undecided";
  }
  return "undecided";
}

std::string_view confidence_name(Confidence confidence) {
  switch (confidence) {
    case Confidence::certain: return "certain";
    case Confidence::likely: return "likely";
    case Confidence::possible: return "possible";
    case Confidence::unknown: return "unknown";
  }
  return "unknown";
}

std::string_view rank_status_name(RankStatus status) {
  switch (status) {
    case RankStatus::sampled: return "sampled";
    case RankStatus::partial: return "partial";
    case RankStatus::failed: return "failed";
  }
  return "failed";
}

}  // namespace hangstack::model

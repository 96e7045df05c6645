#include "model/ras.h"

namespace hangstack::model {

std::string_view ras_presence_name(RasPresence presence) {
  switch (presence) {
    case RasPresence::answered: return "answered";
    case RasPresence::no_communicator: return "no communicator";
    case RasPresence::silent: return "silent";
    case RasPresence::dead: return "dead";
  }
  return "answered";
}

}  // namespace hangstack::model

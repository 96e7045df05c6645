#include "symbolizer/symbolizer.h"

#include "classifiers/classify.h"

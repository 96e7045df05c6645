#include "cli/cli.h"

int main(int argc, char** argv) { return hangstack::cli::run(argc, argv); }

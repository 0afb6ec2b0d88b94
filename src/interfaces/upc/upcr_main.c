/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr_main.c - main of a translated program, whose own is user_main. A file of its own, which is
 * linked if the program has no main. */
#include "interfaces/upc/upc.h"
#include "interfaces/upc/upcr_start.h"

extern int user_main(int argc, char **argv);

__attribute__((visibility("default"))) int main(int argc, char **argv) {
  upc_init();
  upci_translated_begin();
  return user_main(argc, argv);
}

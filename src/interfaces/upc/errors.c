/* SPDX-License-Identifier: BSD-3-Clause */
/* errors.c - the state of a thread, and how the UPC interface ends the run after a mistake: apart
 * from init.c, because all files need them, and they need none. */
#include "interfaces/errors.h"

#include <stdarg.h>

#include "interfaces/upc/upc.h"

struct upci upci;
struct upci_run upci_run;

EYOT_CALLER_WORDS(
    "unit=thread units=threads Unit=Thread Units=Threads "
    "eyot_init=upc_init eyot_finalize=upc_finalize")

static const struct interface_words words = {
    .before = "called before upc_init",
    .after = "called after upc_finalize",
    .refused = "UPC is not initialized",
    .failed = "a call of UPC has failed (see the message above)"};

void upci_refuse(const char *call, const void *site) {
  interface_refuse(&words, upci.ended, call, site);
}

void upci_fail(int code, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  interface_log(code, format, ap);
  va_end(ap);
  upci_failed();
}

void upci_failed(void) {
  interface_failed(&words);
}

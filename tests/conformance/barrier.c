/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier.c - conformance: store buffering with a full barrier between: an outcome in which both
 * sides miss each other's store is forbidden. weak.c shows that it happens without the barrier. */
#include "conformance/conformance.h"
#include "conformance/dekker.h"

static int amo_both(struct conf_ctx *c) {
  return conf_dekker_never(c, CONF_DEKKER_AMO);
}
static int flush_between(struct conf_ctx *c) {
  return conf_dekker_never(c, CONF_DEKKER_FLUSH);
}
static int amo_between(struct conf_ctx *c) {
  return conf_dekker_never(c, CONF_DEKKER_AMO_BETWEEN);
}

const struct conf_case conf_cases_barrier[] = {
    {"store_buffer_never_with_amos", 2, amo_both},
    {"store_buffer_never_with_flushes", 2, flush_between},
    {"store_buffer_never_with_amos_between", 2, amo_between},
    {NULL, 0, NULL},
};

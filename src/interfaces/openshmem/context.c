/* SPDX-License-Identifier: BSD-3-Clause */
/* context.c - contexts: an operation set of eyot and the team by which PEs are numbered. */
#include <stdlib.h>

#include "interfaces/openshmem/osh.h"

struct shmemi_ctx shmemi_ctx_default = {.set = {0}, .team = &shmemi_team_world};
_Static_assert(sizeof(eyot_set_t) == sizeof(uint64_t), "the default set is 0 (eyot/set.h)");

#define KNOWN_OPTIONS (SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE)

/* Destroyed contexts, whose team is NULL, so that a handle that is used again is refused. */
static struct shmemi_ctx *destroyed;

static int live_contexts(const struct shmemi_team *team) {
  int n = 0;
  for (const struct shmemi_ctx *c = team->contexts; c != NULL; c = c->next) n++;
  return n;
}

/* A team that the program has made may have as many contexts as its configuration asks for, which
 * is 0 unless the program says otherwise (shmem_team_config_t). */
static bool may_create(const struct shmemi_team *team) {
  return team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED ||
         live_contexts(team) < team->config.num_contexts;
}

static int create(shmem_team_t team, long options, shmem_ctx_t *ctx) {
  if (ctx == NULL) osh_fail(EYOT_EINVAL, "ctx is NULL");
  *ctx = SHMEM_CTX_INVALID;
  if (team == SHMEM_TEAM_INVALID || !may_create(team)) return 1;
  if ((options & ~KNOWN_OPTIONS) != 0)
    osh_fail(EYOT_EINVAL,
             "options are %#lx, expected a combination of SHMEM_CTX_SERIALIZED, _PRIVATE and "
             "_NOSTORE",
             options);
  struct shmemi_ctx *c = destroyed != NULL ? destroyed : malloc(sizeof *c);
  if (c == NULL) return 1;
  if (c == destroyed) destroyed = c->next;
  *c = (struct shmemi_ctx){.team = team, .options = options, .next = team->contexts};
  if (eyot_set_create(&c->set) != EYOT_OK) {
    *c = (struct shmemi_ctx){.next = destroyed};
    destroyed = c;
    return 1;
  }
  team->contexts = c;
  osh.contexts++;
  *ctx = c;
  return 0;
}

OSH_DEFINE(int, ctx_create, (long options, shmem_ctx_t *ctx)) {
  OSH_ENTER("shmem_ctx_create");
  return create(SHMEM_TEAM_WORLD, options, ctx);
}

OSH_DEFINE(int, team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t *ctx)) {
  OSH_ENTER("shmem_team_create_ctx");
  return create(team, options, ctx);
}

static void destroy(struct shmemi_ctx *ctx) {
  struct shmemi_ctx **at = &ctx->team->contexts;
  while (*at != ctx) at = &(*at)->next;
  *at = ctx->next;
  osh.contexts--;
  eyot_set_t set = ctx->set;
  *ctx = (struct shmemi_ctx){.next = destroyed};
  destroyed = ctx;
  osh_must(eyot_set_destroy(&set));
}

void osh_contexts_end(struct shmemi_team *team) {
  while (team->contexts != NULL) destroy(team->contexts);
}

void osh_contexts_forget(void) {
  while (destroyed != NULL) {
    struct shmemi_ctx *c = destroyed;
    destroyed = c->next;
    free(c);
  }
}

OSH_DEFINE(void, ctx_destroy, (shmem_ctx_t ctx)) {
  OSH_ENTER("shmem_ctx_destroy");
  if (ctx == SHMEM_CTX_INVALID) return;
  if (osh_is_default(ctx)) osh_fail(EYOT_EINVAL, "SHMEM_CTX_DEFAULT cannot be destroyed");
  if (ctx->team == NULL) osh_fail(EYOT_EINVAL, "ctx was destroyed");
  destroy(ctx);
}

OSH_DEFINE(int, ctx_get_team, (shmem_ctx_t ctx, shmem_team_t *team)) {
  OSH_ENTER("shmem_ctx_get_team");
  if (team == NULL) osh_fail(EYOT_EINVAL, "team is NULL");
  *team = ctx == SHMEM_CTX_INVALID ? SHMEM_TEAM_INVALID : ctx->team;
  return *team == SHMEM_TEAM_INVALID;
}

static void session(shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_INVALID) osh_fail(EYOT_EINVAL, "ctx is SHMEM_CTX_INVALID");
  if (ctx->team == NULL) osh_fail(EYOT_EINVAL, "ctx was destroyed");
}

OSH_DEFINE(void, ctx_session_start,
           (shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t *config,
            long config_mask)) {
  OSH_ENTER("shmem_ctx_session_start");
  (void)options;
  (void)config;
  (void)config_mask;
  session(ctx);
}

OSH_DEFINE(void, ctx_session_stop, (shmem_ctx_t ctx)) {
  OSH_ENTER("shmem_ctx_session_stop");
  session(ctx);
}

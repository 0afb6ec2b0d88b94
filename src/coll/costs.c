/* SPDX-License-Identifier: BSD-3-Clause */
/* costs.c - model and rules of the choice of algorithms (costs.h). */
#include "coll/costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/conf.h"
#include "base/machine_file.h"
#include "fabric/model_file.h"

const struct fab_model *eyoti_costs_of(const struct fab *f) {
  static const struct fab_model DEFAULT = FAB_MODEL_DEFAULT;
  return f->ops->model != NULL ? f->ops->model : &DEFAULT;
}

static int add_rules(const char *path, const struct eyoti_machine *m, struct eyoti_rules *rules) {
  for (uint32_t i = 0; i < m->n; i++)
    if (strcmp(m->at[i].section, EYOTI_MACHINE_RULES) == 0)
      EYOTI_TRY(eyoti_rules_add(path, m->at[i].line, m->at[i].key, rules));
  return EYOT_OK;
}

int eyoti_costs_read(const char *path, struct eyoti_costs *c) {
  struct eyoti_machine m;
  struct eyoti_costs costs = *c;
  EYOTI_TRY(eyoti_machine_read(path, &m));
  int rc = fab_model_file(path, &m, &costs.model);
  if (rc == EYOT_OK) rc = fab_thresholds_file(path, &m, &costs.thresholds);
  if (rc == EYOT_OK) rc = add_rules(path, &m, &costs.rules);
  eyoti_machine_free(&m);
  if (rc == EYOT_OK) *c = costs;
  return rc;
}

int eyoti_costs_make(const struct fab *f, struct eyoti_costs **out) {
  const char *rules, *machine;
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_COLL, &rules));
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_MACHINE, &machine));
  bool reads = *machine != '\0' && f->ops->model == NULL;
  *out = NULL;
  if (*rules == '\0' && !reads) return EYOT_OK;
  struct eyoti_costs *c = malloc(sizeof *c);
  if (c == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the rules of collectives");
  c->model = *eyoti_costs_of(f);
  c->thresholds = (struct fab_thresholds){.has_eager = false};
  c->unmet = 0;
  int rc = eyoti_rules_parse(rules, &c->rules);
  if (rc == EYOT_OK && reads) rc = eyoti_costs_read(machine, c);
  if (rc == EYOT_OK)
    *out = c;
  else
    free(c);
  return rc;
}

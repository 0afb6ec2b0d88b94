#include "lock.h"
static uint64_t none(const struct eyoti_lock *l) { (void)l; return 8; }
const struct eyoti_lock_ops eyoti_lock_epoch = {.bytes = none};

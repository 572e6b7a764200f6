// The end of a reduction. A template defines PART, what a work-item knows of its elements, and
//   PART nothing(void);  PART join(PART, PART);
//   RESULT outcome(PART);
// Its kernel ends with CONCLUDE(mine): the work-group's parts are joined, and written to
// partial[group], or where there is one group alone as the call's result. The kernel NAME_end of
// AND_END(NAME), one work-group, joins what the others wrote. The tree is the same in every run of
// one geometry, so that the result has the same bits.
// GROUP: work-items of a work-group, a power of two; 1 on CPUs.
#if GROUP > 1
#define JOIN_GROUP(mine)                                                                \
  local PART parts[GROUP];                                                              \
  parts[get_local_id(0)] = mine;                                                        \
  for (uint half_ = GROUP / 2; half_ > 0; half_ /= 2) {                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                       \
    if (get_local_id(0) < half_)                                                        \
      parts[get_local_id(0)] = join(parts[get_local_id(0)], parts[get_local_id(0) + half_]); \
  }                                                                                     \
  mine = parts[get_local_id(0)]
#else
#define JOIN_GROUP(mine)
#endif

#define CONCLUDE(mine)                              \
  JOIN_GROUP(mine);                                 \
  if (get_local_id(0) == 0) {                       \
    if (get_num_groups(0) == 1)                     \
      result[at_result] = outcome(mine);            \
    else                                            \
      partial[get_group_id(0)] = mine;              \
  }

#define AND_END(name)                                                              \
  kernel void JOIN(name, _end)(long count, global const PART* partial,             \
                               global RESULT* result, long at_result) {            \
    PART mine = nothing();                                                         \
    for (long i = get_local_id(0); i < count; i += GROUP) mine = join(mine, partial[i]); \
    JOIN_GROUP(mine);                                                              \
    if (get_local_id(0) == 0) result[at_result] = outcome(mine);                   \
  }

// The assignment step of k-means: which cluster centre is nearest to each point?
//
// Features are stored feature by feature (all points' first feature, then all second ones), centres
// centre by centre. With no clusters, as the published spec asks, every point belongs to number 0.
// `offset` is where this launch's first point lies and `size` the length of its part in the original
// interface; the global id says both here, so they are accepted and unused.

kernel void kmeans_kernel_c(global const float *features, global const float *centres,
                            global int *membership, int points, int clusters, int feature_count,
                            int offset, int size) {
  const int point = (int)get_global_id(0);
  if (point >= points) return;

  int nearest = 0;
  float least = FLT_MAX;
  for (int cluster = 0; cluster < clusters; ++cluster) {
    float distance = 0.0f;
    for (int f = 0; f < feature_count; ++f) {
      const float d = features[f * points + point] - centres[cluster * feature_count + f];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      nearest = cluster;
    }
  }
  membership[point] = nearest;
}

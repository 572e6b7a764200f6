// The softmax of each row of scores, scaled by 1 / sqrt(n): weights that add up to 1.

kernel void attention_weights(global const float *scores, global float *weights, int n) {
  const int row = get_global_id(0);
  const float scale = rsqrt((float)n);
  float most = scores[row * n], sum = 0;
  for (int i = 1; i < n; ++i) most = fmax(most, scores[row * n + i]);
  for (int i = 0; i < n; ++i) sum += exp((scores[row * n + i] - most) * scale);
  // Computed twice rather than kept: what is only written needs no zeros before.
  for (int i = 0; i < n; ++i)
    weights[row * n + i] = exp((scores[row * n + i] - most) * scale) / sum;
}

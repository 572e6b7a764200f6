// Some arithmetic for each byte: the price of European options, a call and a put at a time.
//
// Two outputs from one launch. Inputs are random numbers in [0, 1) unless one gives real ones, so the
// kernel maps them to sensible ranges itself: prices from 5 to 30, strikes from 1 to 100, and terms
// from a quarter of a year to ten years.

// The share of a normal distribution that lies below x.
float normal_below(float x) { return 0.5f * erfc(-x * M_SQRT1_2_F); }

kernel void black_scholes(global const float *price01, global const float *strike01,
                          global const float *years01, global float *call, global float *put,
                          float rate, float volatility) {
  const size_t i = get_global_id(0);
  const float price = 5.0f + 25.0f * price01[i];
  const float strike = 1.0f + 99.0f * strike01[i];
  const float years = 0.25f + 9.75f * years01[i];

  const float spread = volatility * sqrt(years);
  const float d1 =
      (log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
  const float d2 = d1 - spread;
  const float discounted = strike * exp(-rate * years);
  call[i] = price * normal_below(d1) - discounted * normal_below(d2);
  put[i] = discounted * normal_below(-d2) - price * normal_below(-d1);
}

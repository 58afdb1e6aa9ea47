// Keeps prices by time in an ordered map: a bulk build, a late batch, the prices of a span, the price that held at a
// time.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "mangrove/adjacency/blink_tree.hpp"

using namespace mangrove;

using price_map = blink_tree<cpu, double, float>;  // seconds, price

/// The prices from `begin` to `end`, in order.
std::vector<float> prices_within(const cpu_resources& res, const price_map& prices, double begin, double end) {
  std::uint64_t count = 0;
  prices.count(res, &begin, &end, 1, &count);
  std::vector<double> times(count);
  std::vector<float> found(count);
  std::uint64_t offsets[2];
  prices.range(res, &begin, &end, 1, offsets, times.data(), found.data(), count);
  return found;
}

/// The last price before a time. @return 0 when there is none
float price_before(const cpu_resources& res, const price_map& prices, double time) {
  double when = 0;
  float price = 0;
  std::uint8_t found = 0;
  prices.predecessor(res, &time, 1, &when, &price, &found);
  return found != 0 ? price : 0;
}

int run() {
  const cpu_resources res;
  std::vector<double> times;
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) {
    times.push_back(i * 0.5);
    values.push_back(static_cast<float>(100 + i % 7));
  }
  price_map prices(res);
  prices.bulk_build(res, times.data(), values.data(), times.size(), key_sequence::sorted);

  const std::vector<double> late_times = {10.25, 10.75, 10.5};  // the last one is there already
  const std::vector<float> late_values = {200, 201, 202};
  const std::size_t inserted = prices.insert_or_assign(res, late_times.data(), late_values.data(), late_times.size());

  const auto span = prices_within(res, prices, 10, 11);
  std::printf("%zu of 3 late prices were new; from 10 to 11 s:", inserted);
  for (const float price : span) std::printf(" %g", price);
  std::printf("\nbefore 10.6 s: %g\n", price_before(res, prices, 10.6));

  const std::vector<float> expected = {106, 200, 202, 201, 101};
  return inserted == 2 && span == expected && price_before(res, prices, 10.6) == 202 ? 0 : 1;
}

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ordered_map: %s\n", error.what());
    return 1;
  }
}

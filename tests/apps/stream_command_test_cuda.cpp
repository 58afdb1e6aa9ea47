#include "stream_command_suite.hpp"

namespace mangrove::app::test {
namespace {

using nlohmann::json;

TEST(backends, generate_and_count_the_same) {
  const temporary_folder folder;
  for (const char* kind : {"rmat", "rgg", "road", "mesh"}) {
    std::string text[2];
    json counts[2];
    for (const int i : {0, 1}) {
      const char* backend = i == 0 ? "cpu" : "cuda";
      const auto graph = folder.file(std::string(backend) + ".mtx");
      ASSERT_EQ(run({"generate", kind, "--scale", "13", "--backend", backend, "-o", graph}).exit_code, 0);
      text[i] = content_of(graph);
      const auto table = folder.file("table.txt");
      const auto result = run({"triangles", "--json", "--backend", backend, "--per-vertex", table, graph});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      counts[i] = json::parse(result.out);
      EXPECT_EQ(counts[i]["backend"], backend);
      text[i] += content_of(table);
      const auto info = json::parse(run({"info", "--json", "--backend", backend, graph}).out);
      text[i] += info["degrees"].dump();
    }
    EXPECT_TRUE(text[0] == text[1]) << kind;
    EXPECT_EQ(counts[0]["triangles"], counts[1]["triangles"]) << kind;
  }
}

}  // namespace
}  // namespace mangrove::app::test

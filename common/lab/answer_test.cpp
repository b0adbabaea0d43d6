#include "lab/answer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "lab/draw_answer.hpp"
#include "lab/lab_request.hpp"
#include "schedule/dialect.hpp"
#include "schedule/generate.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

using Json = nlohmann::json;

Json ask(const std::string& query) {
  const std::string reply = lab_answer(query);
  Json json = Json::parse(reply, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << query << '\n' << reply;
  return json;
}

Json figure(const Json& answer, const std::string& name) {
  for (const Json& figure : answer["figures"]) {
    if (figure["name"] == name) return figure;
  }
  ADD_FAILURE() << "no figure is called " << name;
  return {};
}

void expect_refusal(const std::string& query, const std::string& field,
                    const std::string& what) {
  ASSERT_FALSE(what.empty());
  const Json answer = ask(query);
  ASSERT_EQ(answer["ok"], false) << query;
  EXPECT_EQ(answer["field"], field) << query;
  EXPECT_NE(answer["what"].get<std::string>().find(what), std::string::npos)
      << query << ": " << answer["what"];
  EXPECT_FALSE(answer["remedy"].get<std::string>().empty()) << query;
}

TEST(Lab, DrawsSixTicksForThreeByFour) {
  const Json answer = ask("schedule=forward&p=3&m=4");
  ASSERT_EQ(answer["ok"], true);
  EXPECT_EQ(answer["title"], "forward, 3 devices, 4 micro-batches");
  EXPECT_EQ(figure(answer, "makespan")["value"], 6);
  EXPECT_EQ(figure(answer, "makespan")["text"], "6 ticks");
  EXPECT_EQ(figure(answer, "utilisation")["text"], "2/3");
  EXPECT_EQ(answer["cells"].size(), 12U);
  EXPECT_EQ(answer["cells"][5], (Json{1, 1, 2, 3, "F1"}));
  EXPECT_EQ(answer["frame"]["rows"].size(), 3U);
  EXPECT_EQ(answer["internal_idle"], (Json{0, 0, 0}));
  EXPECT_NE(answer["svg"].get<std::string>().find("<svg"), std::string::npos);
  EXPECT_TRUE(answer["faults"].empty());
}

TEST(Lab, NamesTheFourBubbles) {
  // Chapter 13's case: (m+p-1)(F+B) = 33 ticks, of which 24 busy.
  const Json answer = ask("schedule=1f1b&p=4&m=8");
  EXPECT_EQ(figure(answer, "makespan")["value"], 33);
  EXPECT_EQ(figure(answer, "idle fraction")["text"], "3/11");
  EXPECT_EQ(figure(answer, "idle overhead")["text"], "3/8");
  EXPECT_EQ(figure(answer, "span bubble")["text"], "3/11");
  EXPECT_EQ(figure(answer, "internal idle")["value"], 9);
  EXPECT_EQ(figure(answer, "peak activations")["value"], 4);
}

TEST(Lab, IsAskedForOneFOneBUnlessTold) {
  EXPECT_EQ(lab_answer(""), lab_answer("op=draw&schedule=1f1b&p=4&m=8"));
  EXPECT_EQ(lab_answer("p=&m="), lab_answer("schedule=&limit="));
}

TEST(Lab, ReadsCostsOneForAllStagesOrOneForEach) {
  EXPECT_EQ(figure(ask("schedule=forward&p=3&m=4&F=2"), "makespan")["value"], 12);
  // The slowest stage sets the pace: 1 + 4*3 + 1.
  EXPECT_EQ(figure(ask("schedule=forward&p=3&m=4&F=1,3,1"), "makespan")["value"], 14);
  EXPECT_EQ(figure(ask("schedule=forward&p=3&m=4&c=0.5"), "makespan")["value"], 7);
  expect_refusal("schedule=forward&p=3&F=1,3", "F", "2 numbers for 3 stages");
  expect_refusal("F=1,2,3,4&I=1,2", "I", "2 stages, and another cost 4");
  // The list that is too short or too long is named, whichever it is.
  for (const std::string key : {"F", "I", "W", "R", "FB"})
    expect_refusal("p=3&" + key + "=1,2", key, key + " names 2 numbers for 3 stages");
  expect_refusal("p=2&I=1&W=1,2,3&F=1", "W", "3 numbers for 2 stages");
  expect_refusal("op=compare&p=3&b.R=1,2", "b.R", "2 numbers for 3 stages");
}

TEST(Lab, WritesSmallTimesInDigitsThatTell) {
  const Json answer = ask("p=1&m=1&F=0.0003&I=0.0003&W=0.0003");
  EXPECT_EQ(figure(answer, "makespan")["text"], "0.0009 ticks");
  EXPECT_EQ(figure(answer, "makespan")["value"], 0.0009);
}

TEST(Lab, HoldsAScheduleAgainstTheMemoryLimit) {
  const Json within = ask("schedule=1f1b&p=4&m=8&limit=4,3,2,1");
  EXPECT_TRUE(within["faults"].empty());
  EXPECT_EQ(within["strips"][0]["limit"], 4);
  EXPECT_EQ(within["strips"][3]["peak"], 1);
  const Json over = ask("schedule=gpipe&p=4&m=8&limit=4");
  EXPECT_EQ(over["faults"].size(), 4U);
  expect_refusal("p=4&limit=1,2", "limit", "2 numbers for 4 devices");
}

TEST(Lab, RecomputesWhereAsked) {
  const Json answer = ask("schedule=gpipe&p=2&m=2&recompute=always");
  // Two forwards more on each device.
  EXPECT_EQ(figure(answer, "ideal")["value"], 8);
  expect_refusal("recompute=perhaps", "recompute", "'perhaps' is no policy");
  expect_refusal("schedule=forward&recompute=always", "recompute", "no backward");
}

TEST(Lab, DrawsTheCriticalPathThroughItsCells) {
  const Json answer = ask("schedule=forward&p=2&m=2");
  EXPECT_EQ(answer["critical"].size(), 3U);
  EXPECT_EQ(answer["critical"][0], (Json{0, 0}));
  EXPECT_EQ(answer["critical"][2], (Json{1, 1}));
}

TEST(Lab, ListsEverySchedule) {
  const Json answer = ask("op=list");
  ASSERT_EQ(answer["schedules"].size(), generators().size());
  std::map<std::string, Json> reads;
  for (const Json& schedule : answer["schedules"]) {
    EXPECT_FALSE(schedule["summary"].get<std::string>().empty());
    reads[schedule["name"]] = schedule["reads"];
  }
  EXPECT_EQ(reads["interleaved"], (Json{"chunks", "group_size"}));
  EXPECT_EQ(reads["zb-auto"], Json::array({"memory_limit"}));
  EXPECT_EQ(reads["gpipe"], Json::array());
}

TEST(Lab, ComparesTwoSchedulesOnOneAxis) {
  const Json answer = ask("op=compare&schedule=gpipe&p=3&m=3&b.schedule=zb-h1&b.m=5");
  ASSERT_EQ(answer["ok"], true);
  EXPECT_EQ(answer["a"]["title"], "gpipe, 3 devices, 3 micro-batches");
  EXPECT_EQ(answer["b"]["title"], "zb-h1, 3 devices, 5 micro-batches");
  EXPECT_EQ(answer["a"]["frame"]["scale"], answer["b"]["frame"]["scale"]);
  expect_refusal("op=compare&b.p=0", "b.p", "less than 1");
  expect_refusal("op=draw&b.p=3", "b.p", "knows no 'b.p'");
}

TEST(Lab, GivesTwoFiguresOfOnePageDifferentIds) {
  const auto has_id = [](const Json& side, const std::string& id) {
    return side["svg"].get<std::string>().find("<title id=\"" + id + "-title\"") !=
           std::string::npos;
  };
  const Json plain = ask("op=compare");
  EXPECT_TRUE(has_id(plain["a"], "pf-1f1b-4-8"));
  EXPECT_TRUE(has_id(plain["b"], "pf-b"));
  const Json named = ask("op=compare&id=lab-3&b.id=");
  EXPECT_TRUE(has_id(named["a"], "lab-3"));
  EXPECT_TRUE(has_id(named["b"], "lab-3-b"));
  EXPECT_TRUE(has_id(ask("op=compare&id=x&b.id=y")["b"], "y"));
  expect_refusal("op=compare&id=x&b.id=x", "b.id", "both figures have the id 'x'");
}

TEST(Lab, ExportsWhatOurOwnReadersRead) {
  const Json torch = ask("op=export&format=torch&schedule=1f1b&p=2&m=3");
  EXPECT_EQ(torch["file"], "1f1b-2-3.torch.csv");
  EXPECT_EQ(torch["type"], "text/csv");
  const auto schedule = one_f_one_b({2, 3});
  const auto from_torch =
      parse_dialect(Dialect::Torch, torch["text"].get<std::string>(), {"1f1b"});
  ASSERT_TRUE(from_torch) << from_torch.error().what;
  EXPECT_EQ(*from_torch, *schedule);
  const Json text = ask("op=export&format=text&schedule=1f1b&p=2&m=3");
  const auto from_text = parse_schedule(text["text"].get<std::string>());
  ASSERT_TRUE(from_text) << from_text.error().what;
  EXPECT_EQ(*from_text, *schedule);
  const Json trace = ask("op=export&format=trace&schedule=1f1b&p=2&m=3");
  EXPECT_FALSE(
      Json::parse(trace["text"].get<std::string>(), nullptr, false).is_discarded());
  EXPECT_EQ(ask("op=export&format=csv")["file"], "1f1b-4-8.csv");
  const Json svg = ask("op=export&format=svg");
  EXPECT_EQ(svg["type"], "image/svg+xml");
  EXPECT_TRUE(svg["text"].get<std::string>().starts_with("<svg"));
  expect_refusal("op=export", "format", "no format was named");
  expect_refusal("op=export&format=pdf", "format", "no format 'pdf'");
}

TEST(Lab, RefusesKindly) {
  expect_refusal("p=0", "p", "p '0' is less than 1");
  expect_refusal("m=1000000000", "m", "m '1000000000' is more than 32768");
  expect_refusal("m=99999999999999999999999", "m", "is more than 32768");
  expect_refusal("p=-1", "p", "not a whole number");
  expect_refusal("p=2.5", "p", "not a whole number");
  expect_refusal("p=1e3", "p", "not a whole number");
  expect_refusal("F=-1", "F", "not a number of at least 0");
  expect_refusal("F=nan", "F", "not a number of at least 0");
  expect_refusal("W=1e9", "W", "more than 1000000");
  // So short that a figure has no scale for it, and that no digit shown would tell.
  for (const std::string op :
       {"", "op=export&format=svg&", "op=compare&", "op=why&entry=0&", "op=board&"}) {
    for (const std::string key : {"F", "I", "W", "R", "c"}) {
      std::string query = op;
      query.append("p=1&m=1&").append(key).append("=");
      expect_refusal(query + "1e-320", key, "'1e-320' is less than 0.000001");
      expect_refusal(query + "9e-7", key, "'9e-7' is less than 0.000001");
    }
  }
  EXPECT_EQ(ask("schedule=forward&p=1&m=1&F=0.000001")["ok"], true);
  EXPECT_EQ(ask("p=1&m=1&F=0&c=0")["ok"], true);
  expect_refusal("freed=2", "freed", "more than 1");
  expect_refusal("width=10", "width", "less than 240");
  expect_refusal("id=a%20b", "id", "'a b' cannot start an id");
  expect_refusal("id=" + std::string(65, 'a'), "id", "cannot start an id");
  expect_refusal("op=compare&b.id=%3C", "b.id", "'<' cannot start an id");
  expect_refusal("v=2", "schedule", "1f1b has no chunks to choose");
  expect_refusal("schedule=dualpipe&p=3&m=8", "schedule", "even");
  expect_refusal("schedule=2f2b", "schedule", "no schedule called '2f2b'");
  expect_refusal("op=dance", "op", "'dance'");
  expect_refusal("q=1", "q", "knows no 'q'");
  expect_refusal("p=%zz", "", "'%'");
  expect_refusal("p=1&p=2", "", "twice");
}

TEST(Lab, LetsNoMarkupThrough) {
  const std::string hostile = "%3Cscript%3Ealert(1)%3C/script%3E%00%FF%22%5C";
  const auto expect_quoted = [&](const std::string& begin, const std::string& key) {
    const std::string query = begin + key + "=" + hostile;
    const std::string reply = lab_answer(query);
    // One line of what can be printed: the quotation is cut short, and what is hostile
    // in it is replaced.
    EXPECT_TRUE(std::all_of(reply.begin(), reply.end(),
                            [](unsigned char c) { return c >= ' ' && c != 0x7f; }))
        << query << ": " << reply;
    EXPECT_EQ(reply.find("alert(1)</script>"), std::string::npos) << reply;
    EXPECT_LT(reply.size(), 500U) << reply;
    const Json answer = ask(query);
    EXPECT_EQ(answer["ok"], false) << query;
    EXPECT_EQ(answer["field"], key) << query;
  };
  for (const std::string key :
       {"schedule", "p", "m", "v", "group", "slices", "steps", "F", "c", "limit",
        "freed", "kept", "op", "recompute", "width", "id"}) {
    expect_quoted("", key);
  }
  for (const std::string key : {"level", "moves", "kinds", "placement", "p", "F", "id"})
    expect_quoted("op=board&", key);
  for (const std::string key : {"device", "entry", "time"})
    expect_quoted("op=why&", key);
  expect_quoted("op=export&", "format");
  expect_quoted("op=compare&", "b.schedule");
  EXPECT_EQ(ask(hostile + "=1")["ok"], false);
}

TEST(Lab, GivesFiguresOfWhatIsTooLargeToDraw) {
  const Json answer = ask("schedule=1f1b&p=64&m=1024");
  ASSERT_EQ(answer["ok"], true);
  EXPECT_EQ(answer["svg"], "");
  EXPECT_NE(answer["note"].get<std::string>().find("131136 actions"), std::string::npos)
      << answer["note"];
  EXPECT_EQ(figure(answer, "makespan")["value"], 3 * (64 + 1024 - 1));
  EXPECT_TRUE(answer["cells"].empty());
}

TEST(Lab, RefusesWhatWouldFreezeAPage) {
  expect_refusal("p=1024&m=32768", "m", "at most 131072");
  expect_refusal("schedule=token-slices&slices=1024&p=8&m=64", "m", "at most");
  expect_refusal("op=export&format=svg&p=64&m=256", "m", "too long to save");
}

/// Of each generator, which of three shapes it refuses; it draws the others.
TEST(Lab, DrawsEveryScheduleWhereItsGeneratorCan) {
  const std::map<std::string, std::string> refused = {
      {"pipedream-2bw", "8/3/2"},
      {"dualpipe", "1/1/1 8/3/2"},
      {"dualpipe-v", "1/1/1 8/3/2"},
      {"chimera", "1/1/1"},
  };
  for (const Generator& generator : generators()) {
    std::string not_drawn;
    for (const char* shape : {"1/1/1", "4/8/1", "8/3/2"}) {
      const std::string words = shape;
      const std::string query = "schedule=" + std::string(generator.name) +
                                "&p=" + words[0] + "&m=" + words[2] +
                                "&steps=" + words[4];
      const Json answer = ask(query);
      if (answer["ok"] == false) {
        not_drawn += (not_drawn.empty() ? "" : " ") + words;
        EXPECT_FALSE(answer["remedy"].get<std::string>().empty()) << query;
      } else {
        EXPECT_GT(figure(answer, "makespan")["value"], 0) << query;
        EXPECT_NE(answer["svg"], "") << query;
      }
    }
    const auto expected = refused.find(std::string(generator.name));
    EXPECT_EQ(not_drawn, expected == refused.end() ? "" : expected->second)
        << generator.name;
  }
}

// What a link may become: bytes changed, taken out, put in, doubled.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return random() % n; };
  for (std::size_t times = 1 + below(4); times > 0; --times) {
    const std::size_t at = below(text.size() + 1);
    switch (below(4)) {
      case 0:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 1:
        text.erase(at, 1 + below(3));
        break;
      case 2:
        text.insert(at, std::vector<std::string>{"99", "&p=", ",", "%", ".", "-",
                                                 "b."}[below(7)]);
        break;
      default:
        text.insert(at, text.substr(below(text.size() + 1), below(12)));
    }
  }
  return text;
}

TEST(Lab, AnswersWhateverTheLinkHolds) {
  const std::vector<std::string> seeds = {
      "schedule=1f1b&p=4&m=8&F=1,2,3,4&limit=2,2,2,2&freed=0.5",
      "op=compare&schedule=gpipe&p=3&m=3&b.schedule=zb-auto&b.limit=3",
      "op=why&schedule=zb-v&p=3&m=5&device=1&entry=4",
      "op=why&schedule=gpipe&p=3&m=5&device=1&time=4.5",
      "op=export&format=trace&schedule=dualpipe&p=2&m=6&steps=2",
      "op=board&level=3&moves=0F0.1F0.0B0",
      "op=board&p=2&m=3&kinds=FIW&moves=0F0.0F1.1F0.1I0.1W0",
      "schedule=token-slices&p=2&m=2&slices=3,2&width=300",
      "schedule=interleaved&p=2&m=4&v=3&group=2&recompute=for-memory&kept=0.1&limit=5",
      "op=list",
      "op=levels",
      "schedule=forward&p=1&m=1&F=1e-320",
      "op=board&p=2&m=2&v=3&kinds=FRB&limit=1,2.999&R=1e-6&moves=00F0",
  };
  std::mt19937 random(20'240'817);  // NOLINT(cert-msc51-cpp): the same on every run
  for (int round = 0; round < 600; ++round) {
    const std::string query =
        mutated(seeds[static_cast<std::size_t>(round) % seeds.size()], random);
    const Json answer = ask(query);
    ASSERT_TRUE(answer.contains("ok")) << query;
    if (answer["ok"] == false) {
      EXPECT_FALSE(answer["what"].get<std::string>().empty()) << query;
    }
  }
}

}  // namespace
}  // namespace pipeline

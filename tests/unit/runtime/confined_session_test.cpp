// Sessions for source that nobody vouches for: two workers in a sandbox, and what comes out.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/compile_forks.hpp"
#include "session_fixture.hpp"

namespace warpmark {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// With compile workers that are started by themselves, and with forked ones (`true`).
class ConfinedSession : public SessionTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    if (IsSkipped()) return;
    options_.confinement.emplace();
    options_.confinement->toolkit_headers = {"cuda_fp16.h", "cooperative_groups.h"};
    options_.confinement->headers = {{"course.h", "#pragma once\n#define FACTOR 2\n"}};
    options_.timeout_s = 20;
  }

  static constexpr const char* kDouble = R"yaml(
kernel: {file: k.cu, entry: k}
axes: {n: [100]}
arguments:
  a: {inout: "np.arange(n)", dtype: float32}
  n: {scalar: n, dtype: int32}
launch: {block: 64, grid: 2}
reference: {a: 2 * a}
)yaml";

  // The case with `source` in the place of its kernel.
  PlannedCase planned(const std::string& source) {
    case_ = make(kDouble, "__global__ void k(float *a, int n) {}").at(0);
    PlannedCase planned = make_plan(*case_, plugins_);
    planned.plan.units.at(0).source = source;
    return planned;
  }
  Session& confined_session() {
    if (GetParam() && !options_.compile_forks) {
      EXPECT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
      options_.compile_forks = std::make_shared<CompileForks>(options_);
    }
    return session();
  }
  Outcome grade(const std::string& source) {
    const PlannedCase with = planned(source);
    return confined_session().verify(*case_, with, Trial(0, 7));
  }

  std::optional<Case> case_;
};

constexpr const char* kGood =
    "__global__ void k(float *a, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) a[i] *= 2;\n"
    "}\n";

TEST_P(ConfinedSession, TwoWorkersMakeAPass) {
  const Outcome outcome = grade(kGood);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  const DeviceFacts& facts = confined_session().require();
  EXPECT_FALSE(facts.nvrtc_version.empty());
  EXPECT_THAT(facts.sandbox, Contains("seccomp"));
}

TEST_P(ConfinedSession, AWrongOneIsReportedAsElsewhere) {
  const Outcome outcome =
      grade("__global__ void k(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 3; }");
  EXPECT_EQ(outcome.verdict, Verdict::failed);
  EXPECT_EQ(outcome.failure, FailureKind::wrong) << outcome.message;
}

TEST_P(ConfinedSession, FindingsComeWithTheirLine) {
  const Outcome outcome = grade("__global__ void k(float *a, int n) {\n  a[n] = 1;\n}");
  EXPECT_EQ(outcome.failure, FailureKind::fault) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr("k.cu:2"));
}

TEST_P(ConfinedSession, CompilesAlone) {
  CaseArtifacts artifacts;
  const PlannedCase with = planned(kGood);
  const Outcome outcome = confined_session().compile(*case_, with, artifacts);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  ASSERT_EQ(artifacts.units.size(), 1u);
  EXPECT_THAT(artifacts.units[0].ptx, HasSubstr(".entry"));
  // Again it is known, and kept all the same.
  CaseArtifacts again;
  EXPECT_EQ(session().compile(*case_, with, again).verdict, Verdict::passed);
  EXPECT_EQ(again.units.at(0).ptx, artifacts.units[0].ptx);
}

TEST_P(ConfinedSession, HeadersThatAreAllowedAreThere) {
  const Outcome outcome = grade(
      std::string("#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n#include <cstdint>\n"
                  "#include \"course.h\"\nnamespace cg = cooperative_groups;\n"
                  "__global__ void k(float *a, int n) {\n"
                  "  uint32_t i = cg::this_grid().thread_rank();\n"
                  "  if (i < n) a[i] = __half2float(__float2half(FACTOR)) * a[i];\n}\n"));
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
}

// nvcc brings them along, so that a student's file has them without an #include.
TEST_P(ConfinedSession, NamesOfTheHostsHeadersAreThere) {
  const std::string kernel =
      "__global__ void k(float *a, int n) {\n"
      "  uint i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) a[i] = fmaxf(-INFINITY, M_PI > 3 ? 2 * a[i] : NAN);\n"
      "}\n";
  Outcome outcome = grade(kernel);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
  outcome = grade(kernel + "__global__ void other() { sorry(); }\n");
  EXPECT_EQ(outcome.failure, FailureKind::compile);
  EXPECT_THAT(outcome.message, HasSubstr("k.cu(5): error: identifier \"sorry\" is undefined"));
  EXPECT_THAT(outcome.message, Not(HasSubstr("INFINITY")));
}

TEST_P(ConfinedSession, OthersAreNot) {
  for (const char* include :
       {"#include \"/etc/passwd\"", "#include <cub/cub.cuh>", "#include \"t.yaml\"",
        "%:include \"/etc/passwd\"", "#inc\\\nlude \"/etc/passwd\"",
        "#define F \"/etc/passwd\"\n#include F", "#include \"/proc/self/environ\"",
        "#include \"k.cu\""}) {
    const Outcome outcome = grade(std::string(include) + "\n" + kGood);
    EXPECT_EQ(outcome.failure, FailureKind::compile) << include << ": " << outcome.message;
    EXPECT_THAT(outcome.message, Not(HasSubstr("root:"))) << include;
  }
}

TEST_P(ConfinedSession, FilesCannotEvenBeAskedFor) {
  const Outcome outcome = grade(
      std::string("#if __has_include(\"/etc/passwd\")\n#error it is there\n#endif\n") + kGood);
  EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
}

TEST_P(ConfinedSession, ACompileThatGrowsIsEndedAndTheNextIsGood) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take terabytes of address space, so that it cannot be limited";
#endif
  options_.confinement->compile_cpu_s = 20;
  // 2^22 instances of a template.
  const Outcome outcome = grade(
      "template <int D, int I> struct T { static const int v = T<D-1, 2*I>::v + T<D-1, "
      "2*I+1>::v; };\n"
      "template <int I> struct T<0, I> { static const int v = I; };\n"
      "__global__ void k(float *a, int n) { a[0] = T<22, 1>::v; }\n");
  EXPECT_EQ(outcome.failure, FailureKind::limit) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr("compiler took more than it may"));
  EXPECT_EQ(grade(kGood).verdict, Verdict::passed);
}

// A compile can sleep for minutes on no processor time, so that the front looks at the clock, too.
TEST_P(ConfinedSession, ACompileEndsByTheClock) {
  options_.confinement->compile_s = 0.001;  // none is as fast
  const Outcome outcome = grade(kGood);
  EXPECT_EQ(outcome.failure, FailureKind::limit) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr("0.001 s by the clock"));
}

TEST_P(ConfinedSession, VariablesOfTheModuleForget) {
  const std::string source =
      "__device__ int calls;\n"
      "__global__ void k(float *a, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) a[i] *= calls == 0 ? 2 : 3;\n"
      "  if (i == n - 1) calls = 1;\n}\n";
  EXPECT_EQ(grade(source).verdict, Verdict::passed);
  EXPECT_EQ(grade(source).verdict, Verdict::passed);
}

TEST_P(ConfinedSession, TheSeedDecidesTheNumbers) {
  case_ = make(std::string(kDouble), "__global__ void k(float *a, int n) {}").at(0);
  const auto inputs = [&](uint64_t seed) {
    std::string yaml(kDouble);
    yaml.replace(yaml.find("np.arange(n)"), 12, "rng.random(n)");
    const Case which = make(yaml, "__global__ void k(float *a, int n) {}").at(0);
    PlannedCase with = make_plan(which, plugins_);
    with.plan.units.at(0).source = kGood;
    CaseArtifacts artifacts;
    confined_session().verify(which, with, Trial(0, seed), &artifacts);
    const auto bytes = artifacts.inputs->arrays.at("a").bytes();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(inputs(1), inputs(1));
  EXPECT_NE(inputs(1), inputs(2));
}

std::vector<std::filesystem::path> children() {
  std::vector<std::filesystem::path> found;
  for (const auto& folder : std::filesystem::directory_iterator("/proc")) {
    try {
      const std::string status = read_file(folder.path() / "status");
      if (status.find("\nPPid:\t" + std::to_string(::getpid()) + "\n") != std::string::npos)
        found.push_back(folder.path());
    } catch (const Error&) {
      continue;  // no process, or gone
    }
  }
  return found;
}

// The environments of this process's children, as far as they may be read: those of workers that
// gave up dumping are root's.
std::vector<std::string> environments_of_children() {
  std::vector<std::string> found;
  for (const std::filesystem::path& child : children()) {
    try {
      found.push_back(read_file(child / "environ"));
    } catch (const Error&) {
      continue;  // not ours to read
    }
  }
  return found;
}

TEST_P(ConfinedSession, NothingOfTheEnvironmentArrives) {
  ::setenv("COURSE_TOKEN", "hunter2hunter2", 1);
  EXPECT_EQ(grade(kGood).verdict, Verdict::passed);
  const std::vector<std::string> found = environments_of_children();
  ::unsetenv("COURSE_TOKEN");
  if (found.empty()) GTEST_SKIP() << "only root can read the environment of a sandboxed process";
  EXPECT_EQ(found.size(), GetParam() ? 3u : 2u);  // the server of forks, too
  for (const std::string& environment : found) EXPECT_EQ(environment, "");
}

// As `--secret-fd 77 77<secret` leaves one behind, which could be read from its beginning again.
TEST_P(ConfinedSession, NoDescriptorArrives) {
  const std::string file = folder_.path() / "secret";
  write_file_atomically(file, "0123456789abcdef");
  const UniqueFd secret(::open(file.c_str(), O_RDONLY));  // NOLINT: must stay open through exec
  ASSERT_GE(::dup2(secret.get(), 77), 0);
  const UniqueFd high(77);
  EXPECT_EQ(grade(kGood).verdict, Verdict::passed);
  size_t looked_at = 0;
  for (const std::filesystem::path& child : children()) {
    std::error_code code;
    for (std::filesystem::directory_iterator one(child / "fd", code), end; !code && one != end;
         one.increment(code)) {
      ++looked_at;
      EXPECT_NE(std::filesystem::read_symlink(one->path(), code).string(), file) << one->path();
    }
  }
  if (looked_at == 0) GTEST_SKIP() << "only root can look at a sandboxed process";
}

INSTANTIATE_TEST_SUITE_P(Started, ConfinedSession, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Forked, ConfinedSession, testing::Values(true));

using ForkedSession = ConfinedSession;
INSTANTIATE_TEST_SUITE_P(Forked, ForkedSession, testing::Values(true));

std::string command_line(const std::filesystem::path& process) {
  return read_file(process / "cmdline");
}

std::vector<pid_t> servers() {
  std::vector<pid_t> found;
  for (const std::filesystem::path& child : children()) {
    // Its forks have its command line, and are leaders of a group as it is.
    if (command_line(child).find("--fork-server") != std::string::npos) {
      found.push_back(std::stoi(child.filename()));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST_P(ForkedSession, EachSessionHasAWorkerOfItsOwn) {
  EXPECT_EQ(grade(kGood).verdict, Verdict::passed);
  const std::vector<pid_t> first = servers();
  ASSERT_EQ(first.size(), 2u);  // the server, and its fork
  session_.reset();
  EXPECT_EQ(servers(), std::vector<pid_t>(1, first.front()));
  EXPECT_EQ(grade(kGood).verdict, Verdict::passed);
  const std::vector<pid_t> second = servers();
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second.front(), first.front());
  EXPECT_NE(second.back(), first.back());
}

// A worker that held the server's connection would keep its end from being seen, and could ask it.
TEST_P(ForkedSession, AServerThatIsLostIsReplaced) {
  EXPECT_EQ(grade(kGood).verdict, Verdict::passed);
  const std::unique_ptr<Session> first = std::move(session_);
  ::kill(servers().front(), SIGKILL);
  EXPECT_EQ(grade(kGood).verdict, Verdict::passed);
  EXPECT_TRUE(options_.compile_forks->fork());
}

TEST_P(ForkedSession, WithoutAServerWorkersAreStartedByThemselves) {
  SessionOptions broken = options_;
  broken.program = "/bin/false";
  EXPECT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  options_.compile_forks = std::make_shared<CompileForks>(broken);
  EXPECT_EQ(options_.compile_forks->fork(), nullptr);
  EXPECT_EQ(grade(kGood).verdict, Verdict::passed);
}

}  // namespace
}  // namespace warpmark

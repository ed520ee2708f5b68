// The report of a history as one HTML page that needs nothing else.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "report/history/history_report.hpp"
#include "report/history/history_rows.hpp"
#include "report/history/sparkline.hpp"
#include "report/page/html.hpp"

namespace warpmark {

namespace {

// Everything wraps: a page of sixty runs is no wider than one of three.
constexpr const char* kHistoryStyle = R"css(
body{overflow-wrap:anywhere}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));gap:1rem}
figure.card{max-width:none;min-width:0;padding:.7rem .8rem;border:1px solid var(--rule);border-radius:8px}
figure.card.changed{border-color:var(--faint)}
.runs td:nth-child(2){white-space:nowrap}
.card .now{font-weight:600;font-variant-numeric:tabular-nums}
.card figcaption{font-weight:400}
.interval{white-space:nowrap}
.ends{display:flex;justify-content:space-between;gap:1rem;color:var(--faint);font-size:.8em}
.card ul,.changes ul{margin:.3rem 0 0;padding:0;list-style:none;font-size:.9em}
.slower b{color:var(--bad)}
.faster b{color:var(--accent)}
.card .gap,.remark{color:var(--faint)}
.changes h3{font-size:1rem;margin:1.1rem 0 .2rem}
.changes h3 span{font-weight:400;color:var(--faint)}
.changes li{margin:.15rem 0}
.changes a{color:inherit}
details.more{margin-top:1rem}
details.more .cards{margin-top:.8rem}
table.runs td,table.runs th{padding:.2rem .6rem .2rem 0}
.grave{color:var(--bad)}
@media (max-width:600px){body{padding:1.2rem .9rem 3rem}footer dt{float:none}footer dd{margin-left:0}}
)css";

// The number of unchanged points of a suite above which they are folded away.
constexpr size_t kMostUnchanged = 12;

std::string day_of(const HistoryRun& run) {
  return run.result.date.substr(0, 10);
}

// "2026-11-02 09:30"; a text that is no date of ISO 8601 stays as it is.
std::string minute_of(const HistoryRun& run) {
  const std::string& date = run.result.date;
  return date.size() > 16 && date[10] == 'T' ? date.substr(0, 10) + " " + date.substr(11, 5) : date;
}

const char* class_of(const Ratio& ratio) {
  return is_worse(ratio) ? "slower" : "faster";
}

std::string sized(const HistoryPoint& point, const Ratio& ratio) {
  const std::string interval = interval_text(point, ratio);
  return "<b>" + html_text(change_text(point, ratio.value)) + "</b>" +
         (interval.empty() ? "" : " <span class=\"interval\">(" + html_text(interval) + ")</span>");
}

class Page {
 public:
  explicit Page(const BenchHistory& history) : history_(history) {}

  std::string text() {
    head();
    runs();
    std::vector<std::string> suites;
    for (const HistoryPoint& point : history_.points) {
      if (suites.empty() || suites.back() != point.suite) suites.push_back(point.suite);
    }
    if (suites.size() > 1) contents(suites);
    changes();
    for (size_t i = 0; i < suites.size(); ++i) suite(suites[i], i);
    footer();
    return std::move(page_);
  }

 private:
  void add(const std::string& text) {
    page_ += text;
    page_ += '\n';
  }

  void head() {
    const std::string title = "History on " + history_.runs.front().result.device_name;
    page_ += html_head(title, std::string(kSparklineStyle) + kHistoryStyle);
    add("<h1>" + html_text(title) + "</h1>");
    add("<p class=\"lead\">" + html_text(subject_text(history_)) +
        ", made by <code>warpmark report</code></p>");
    add("<p><b>" + html_text(sum_text(history_)) + "</b></p>");
  }

  // Notes that cast doubt on changes are always visible; the rest is folded away.
  void runs() {
    std::string notes;
    for (const HistoryRun& run : history_.runs) {
      for (const ComparisonNote& note : run.notes) {
        notes += fmt::format("<li{}>{}: {}</li>\n", note.grave ? " class=\"grave\"" : "",
                             html_text(run.label), html_text(note.text));
      }
    }
    if (!notes.empty()) page_ += "<ul class=\"notes\">\n" + notes + "</ul>\n";
    add(fmt::format("<details><summary>{}, the oldest first</summary>",
                    counted(history_.runs.size(), "run")));
    add("<table "
        "class=\"runs\"><thead><tr><th>run</th><th>date, "
        "UTC</th><th>file</th></tr></thead><tbody>");
    for (const HistoryRun& run : history_.runs) {
      add("<tr><td><code>" + html_text(run.label) + "</code></td><td>" + html_text(minute_of(run)) +
          "</td><td>" + html_text(display_path(run.result.file)) + "</td></tr>");
    }
    add("</tbody></table></details>");
  }

  void contents(const std::vector<std::string>& suites) {
    std::string links;
    for (size_t i = 0; i < suites.size(); ++i) {
      links += fmt::format("<a href=\"#suite-{}\">{}</a>", i, html_text(suites[i]));
    }
    add("<nav>" + links + "</nav>");
  }

  std::string link_to(const HistoryPoint& point) const {
    return fmt::format("<a href=\"#point-{}\"><code>{}</code></a> {}",
                       &point - history_.points.data(), html_text(point.id),
                       html_text(what_text(point)));
  }

  // By run, the newest first, as it is the one that a person can still do something about.
  void changes() {
    add("<section class=\"changes\"><h2>Changes</h2>");
    const size_t before = page_.size();
    for (size_t run = history_.runs.size(); run-- > 0;) changes_at(run);
    std::string drifts;
    for (const HistoryPoint& point : history_.points) {
      if (!point.drift) continue;
      drifts += fmt::format("<li class=\"{}\">{}: {}</li>\n", class_of(*point.drift),
                            link_to(point), sized(point, *point.drift));
    }
    if (!drifts.empty()) {
      page_ += "<h3>Over all runs <span>in no one step</span></h3>\n<ul>\n" + drifts + "</ul>\n";
    }
    if (page_.size() == before) add("<p>None.</p>");
    add("</section>");
  }

  void changes_at(size_t run) {
    std::vector<std::pair<std::string, std::string>> lines;  // with the remark of each
    for (const HistoryPoint& point : history_.points) {
      for (const HistoryChange& change : point.changes) {
        if (change.run != run) continue;
        lines.emplace_back(fmt::format("<li class=\"{}\">{}: {}", class_of(change.ratio),
                                       link_to(point), sized(point, change.ratio)),
                           remark_text(point, change));
      }
    }
    if (lines.empty()) return;
    const std::string& remark = lines.front().second;
    const bool common = std::all_of(lines.begin(), lines.end(),
                                    [&](const auto& line) { return line.second == remark; });
    std::string about = day_of(history_.runs[run]);
    if (common && !remark.empty()) about += ", " + remark;
    add("<h3>" + html_text(history_.runs[run].label) + " <span>" + html_text(about) +
        "</span></h3>");
    add("<ul>");
    for (const auto& [line, of_line] : lines) {
      const bool said = common || of_line.empty();
      add(line + (said ? "" : " <span class=\"remark\">" + html_text(of_line) + "</span>") +
          "</li>");
    }
    add("</ul>");
  }

  void suite(const std::string& name, size_t index) {
    add(fmt::format("<section id=\"suite-{}\">", index));
    add("<h2>" + html_text(name) + "</h2>");
    std::vector<const HistoryPoint*> changed, others;
    for (const HistoryPoint& point : history_.points) {
      if (point.suite == name) (point.changed() ? changed : others).push_back(&point);
    }
    const bool folded = others.size() > kMostUnchanged;
    if (!folded) changed.insert(changed.end(), others.begin(), others.end());
    cards(changed);
    if (folded) {
      add(fmt::format("<details class=\"more\"><summary>{} without a change</summary>",
                      counted(others.size(), "point")));
      cards(others);
      add("</details>");
    }
    add("</section>");
  }

  void cards(const std::vector<const HistoryPoint*>& points) {
    if (points.empty()) return;
    add("<div class=\"cards\">");
    for (const HistoryPoint* point : points) card(*point);
    add("</div>");
  }

  void card(const HistoryPoint& point) {
    add(fmt::format("<figure class=\"card{}\" id=\"point-{}\">", point.changed() ? " changed" : "",
                    &point - history_.points.data()));
    add("<figcaption><code>" + html_text(point.point) + "</code> " + html_text(what_text(point)) +
        "</figcaption>");
    if (const HistoryValue* last = last_value(point)) {
      const std::string half = half_width_text(*last);
      add("<div class=\"now\">" + html_text(value_text(point, last->value)) +
          (half.empty() ? "" : " " + html_text(half)) + "</div>");
    }
    if (first_value(point) != nullptr) add(sparkline(history_, point));
    add("<div class=\"ends\"><span>" + html_text(history_.runs.front().label) + "</span><span>" +
        html_text(history_.runs.back().label) + "</span></div>");
    notes(point);
    add("</figure>");
  }

  void notes(const HistoryPoint& point) {
    std::string lines;
    for (const HistoryChange& change : point.changes) {
      lines += fmt::format("<li class=\"{}\">{} from {} on{}</li>\n", class_of(change.ratio),
                           sized(point, change.ratio), html_text(history_.runs[change.run].label),
                           change.reason.empty() ? "" : ", " + html_text(change.reason));
    }
    if (point.drift) {
      lines += fmt::format("<li class=\"{}\">{} over all runs</li>\n", class_of(*point.drift),
                           sized(point, *point.drift));
    }
    const std::string gaps = gap_text(history_, point);
    if (!gaps.empty()) lines += "<li class=\"gap\">" + html_text(gaps) + "</li>\n";
    if (point.unchanged_counters > 0) {
      lines += fmt::format("<li class=\"gap\">{} did not change</li>\n",
                           counted(point.unchanged_counters, "other counter"));
    }
    if (!lines.empty()) page_ += "<ul>\n" + lines + "</ul>\n";
  }

  void footer() {
    add("<footer><dl>");
    const auto term = [&](const char* name, const std::string& text) {
      add(fmt::format("<dt>{}</dt><dd>{}</dd>", name, html_text(text)));
    };
    term("runs", "one beside the other in the order of their dates, whatever lies between them");
    if (!history_.counted) {
      term("time", "of one run on the device, with the interval that holds it with 95 %");
      term("cold, hot",
           "the last-level cache is flushed before each run, or holds what the run "
           "before left there");
    }
    term("changes", method_text(history_));
    term("scale", "spans 5 % at least and does not begin at 0");
    add("</dl></footer>");
    add("</body>");
    add("</html>");
  }

  const BenchHistory& history_;
  std::string page_;
};

}  // namespace

std::string history_page(const BenchHistory& history) {
  return Page(history).text();
}

}  // namespace warpmark

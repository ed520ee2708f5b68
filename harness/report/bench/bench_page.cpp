#include "report/bench/bench_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "report/bench/glossary.hpp"
#include "report/page/html.hpp"

namespace warpmark {

namespace {

class BenchPage {
 public:
  BenchPage(const std::vector<NamedResult>& results, const std::vector<SuitePictures>& pictures,
            const std::string& no_pictures)
      : results_(results), pictures_(pictures), no_pictures_(no_pictures) {}

  std::string text() {
    head();
    context();
    const std::vector<ReportTable> tables = report_tables(results_);
    contents(tables);
    for (size_t i = 0; i < tables.size(); ++i) suite(tables[i], i);
    footer(tables);
    return std::move(page_);
  }

 private:
  void add(const std::string& text) {
    page_ += text;
    page_ += '\n';
  }

  void head() {
    std::vector<std::string> devices;
    for (const NamedResult& named : results_) {
      const std::string& name = named.result.device_name;
      if (std::find(devices.begin(), devices.end(), name) == devices.end()) devices.push_back(name);
    }
    const std::string title = "Benchmarks on " + join(devices, " and ");
    // The longest terms of the glossary have room.
    page_ += html_head(title, "footer dt{min-width:10.5rem}\nfooter dd{margin-left:10.5rem}\n");
    add("<h1>" + html_text(title) + "</h1>");
    size_t cases = 0;
    for (const NamedResult& named : results_) cases += named.result.cases.size();
    add(fmt::format("<p class=\"lead\">{} of {}, made by <code>warpmark report</code></p>",
                    cases == 1 ? "1 case" : fmt::format("{} cases", cases),
                    results_.size() == 1 ? "one run" : fmt::format("{} runs", results_.size())));
  }

  // A row for each fact, a column for each result.
  void context() {
    std::vector<std::string> names;
    std::vector<std::vector<std::pair<std::string, std::string>>> facts;
    for (const NamedResult& named : results_) {
      facts.push_back(context_of(named.result));
      for (const auto& fact : facts.back()) {
        const std::string& name = fact.first;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    add("<div class=\"scroll\"><table class=\"context\">");
    if (results_.size() > 1) {
      std::string row = "<thead><tr><th></th>";
      for (const NamedResult& named : results_) row += "<th>" + html_text(named.name) + "</th>";
      add(row + "</tr></thead>");
    }
    add("<tbody>");
    for (const std::string& name : names) {
      std::string row = "<tr><th scope=\"row\">" + html_text(name) + "</th>";
      for (const auto& list : facts) {
        const auto found = std::find_if(list.begin(), list.end(),
                                        [&](const auto& fact) { return fact.first == name; });
        const std::string value = found == list.end() ? "" : html_text(found->second);
        const bool bad = name == "ended early";
        row += (bad ? "<td class=\"bad\">" : "<td>") +
               (name == "command" && !value.empty() ? "<code>" + value + "</code>" : value) +
               "</td>";
      }
      add(row + "</tr>");
    }
    add("</tbody></table></div>");
  }

  void contents(const std::vector<ReportTable>& tables) {
    if (!no_pictures_.empty()) {
      add("<p class=\"remark\">No pictures: " + html_text(no_pictures_) + "</p>");
    }
    if (tables.size() < 2) return;
    std::string links;
    for (size_t i = 0; i < tables.size(); ++i) {
      links += fmt::format("<a href=\"#suite-{}\">{}</a>", i, html_text(tables[i].suite));
    }
    add("<nav>" + links + "</nav>");
  }

  void suite(const ReportTable& table, size_t index) {
    add(fmt::format("<section id=\"suite-{}\">", index));
    add("<h2>" + html_text(table.suite) + "</h2>");
    const auto found =
        std::find_if(pictures_.begin(), pictures_.end(),
                     [&](const SuitePictures& one) { return one.suite == table.suite; });
    if (found != pictures_.end()) {
      figures(found->lines, "pictures");
      if (found->left_out > 0) {
        add(fmt::format("<p class=\"remark\">{} more left out: <code>-k</code> selects cases</p>",
                        counted(found->left_out, "picture")));
      }
    }
    add_table(table);
    if (found != pictures_.end() && !found->strips.empty()) {
      add("<details><summary>Every sample, in the order of time from above to below</summary>");
      figures(found->strips, "strips");
      add("</details>");
    }
    add("</section>");
  }

  void figures(const std::vector<SuitePictures::Picture>& pictures, const char* kind) {
    if (pictures.empty()) return;
    add(fmt::format("<div class=\"{}\">", kind));
    for (const SuitePictures::Picture& picture : pictures) {
      add("<figure>");
      if (!picture.caption.empty()) {
        add("<figcaption>" + html_text(picture.caption) + "</figcaption>");
      }
      add(picture.svg);
      add("</figure>");
    }
    add("</div>");
  }

  // True if the column is the main number of a result, which a failed case does not have.
  static bool leads(const ReportColumn& column) {
    return column.title == "time" || column.title == "thread instructions";
  }

  // Returns the CSS classes of a column's cells, with `group` where the columns of a result begin.
  std::string class_of(const ReportTable& table, size_t i) const {
    const ReportColumn& column = table.columns[i];
    std::string name = column.is_number ? "number" : column.title;
    if (leads(column)) name += " time";
    const bool begins = results_.size() > 1 && i > 0 &&
                        (column.of_result != table.columns[i - 1].of_result ||
                         column.result != table.columns[i - 1].result);
    return begins ? name + " group" : name;
  }

  void add_table(const ReportTable& table) {
    add("<div class=\"scroll\"><table>");
    add("<thead>");
    if (results_.size() > 1) add_group_row(table);
    std::string titles = "<tr>";
    for (size_t i = 0; i < table.columns.size(); ++i) {
      titles += fmt::format("<th scope=\"col\" class=\"{}\">{}</th>", class_of(table, i),
                            html_text(table.columns[i].title));
    }
    add(titles + "</tr>");
    add("</thead>");
    add("<tbody>");
    for (const std::vector<std::string>& row : table.rows) {
      std::string cells = "<tr>";
      for (size_t i = 0; i < row.size(); ++i) {
        std::string name = class_of(table, i);
        const bool no_time =
            leads(table.columns[i]) && row[i].find_first_of("0123456789") == std::string::npos;
        if (no_time) name += " bad";
        if (row[i] == "best") name += " best";
        cells += fmt::format("<td class=\"{}\">{}</td>", name, html_text(row[i]));
      }
      add(cells + "</tr>");
    }
    add("</tbody></table></div>");
    if (table.notes.empty()) return;
    add("<ul class=\"notes\">");
    for (const std::string& note : table.notes) add("<li>" + html_text(note) + "</li>");
    add("</ul>");
  }

  // The names of the results, each over its columns.
  void add_group_row(const ReportTable& table) {
    std::string row = "<tr>";
    for (size_t i = 0; i < table.columns.size();) {
      const ReportColumn& column = table.columns[i];
      size_t end = i + 1;
      while (end < table.columns.size() && table.columns[end].of_result == column.of_result &&
             table.columns[end].result == column.result) {
        ++end;
      }
      row += column.of_result
                 ? fmt::format("<th scope=\"colgroup\" colspan=\"{}\" class=\"group\">{}</th>",
                               end - i, html_text(results_[column.result].name))
                 : fmt::format("<th colspan=\"{}\"></th>", end - i);
      i = end;
    }
    add(row + "</tr>");
  }

  void footer(const std::vector<ReportTable>& tables) {
    add("<footer><dl>");
    for (const auto& [name, text] : glossary(tables)) {
      add(fmt::format("<dt>{}</dt><dd>{}</dd>", html_text(name), html_text(text)));
    }
    add("</dl></footer>");
    add("</body>");
    add("</html>");
  }

  const std::vector<NamedResult>& results_;
  const std::vector<SuitePictures>& pictures_;
  const std::string& no_pictures_;
  std::string page_;
};

}  // namespace

std::string bench_page(const std::vector<NamedResult>& results,
                       const std::vector<SuitePictures>& pictures, const std::string& no_pictures) {
  return BenchPage(results, pictures, no_pictures).text();
}

}  // namespace warpmark

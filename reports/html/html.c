/* The page of a report: page/report.html, filled from the report's JSON. The template gets these
 * values:
 *
 *   report        the object of --format json, without the cases of causes that are not listed
 *   first, more   causes that are listed at once, and those that can be unfolded
 *   unlisted      the number of causes beyond these
 *   failing       whether any case failed
 *   cases         the list of cases, see html_cases.c
 *   promises      the clauses with their sentences, see topk_html_promises()
 */
#include "html.h"

#include "html_part.h"
#include "summary/summary.h"

/* How many causes are listed at once, and in all. The cases of the other causes can still be found
 * with the search. */
#define FIRST  15
#define LISTED 150

bool topk_html_write(FILE *out, const struct topk_summary *summary)
{
    json_t *report = topk_report_json(summary);
    const json_t *causes = json_object_get(report, "causes");
    const size_t count = json_array_size(causes);
    struct topk_object view = topk_object_new();
    struct topk_array first = topk_array_new();
    struct topk_array more = topk_array_new();
    for (size_t i = 0; i < count; i++) {
        json_t *cause = json_array_get(causes, i);
        if (i < LISTED) {
            topk_array_add(i < FIRST ? &first : &more, json_incref(cause));
        } else {
            json_object_del(cause, "examples");
            json_object_del(cause, "shrunk");
        }
    }
    topk_object_put(&view, "first", topk_array_take(&first));
    topk_object_put(&view, "more", topk_array_take(&more));
    topk_object_number(&view, "unlisted", count > LISTED ? count - LISTED : 0);
    topk_object_flag(&view, "failing", summary->failures > 0);
    topk_html_who(&view, summary);
    topk_object_put(&view, "cases", topk_html_cases(summary));
    topk_object_put(&view, "promises", topk_html_promises(report));
    topk_object_put(&view, "report", report);
    return topk_html_page(out, "{{>report.html}}", &view);
}

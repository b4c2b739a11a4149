/* Writes the part of a statement that leads from the sentences of the documents to the results. */
#include <inttypes.h>

#include "log/log.h"
#include "reference/sentence.h"
#include "statement.h"

/* Writes how many cases passed and failed for a clause. */
static void put_counts(FILE *out, const struct topk_clause_count *count)
{
    const char *least = count->maybe > 0 ? "at least " : "";
    if (count->cases == 0) {
        fputs("no case that was run is known to test it", out);
    } else {
        fprintf(out, "%s%" PRIu64 " cases, %" PRIu64 " passed", least, count->cases,
                count->passing);
    }
    if (count->by_status > 0) {
        fprintf(out, " (%" PRIu64 " by status alone)", count->by_status);
    }
    if (count->failing + count->waived > 0) {
        fprintf(out, ", %" PRIu64 " broke it", count->failing + count->waived);
    }
    if (count->unsupported > 0) {
        fprintf(out, "; %" PRIu64 " not served", count->unsupported);
    }
}

static void put_clause(FILE *out, const struct topk_summary *summary, enum topk_clause clause)
{
    const struct topk_clause_row *row = topk_clause_row(clause);
    const struct topk_trace_row *trace = topk_trace_row(clause);
    char declared[TOPK_CONTRACT_RULES];
    fprintf(out, "  %-4s %s: ", row->id, topk_claim_word(topk_summary_claim(summary, clause)));
    put_counts(out, &summary->clauses[clause]);
    fprintf(out, "\n       %s (%s)\n", row->sentence, topk_grade_name(row->grade));
    topk_contract_clause_print(&summary->contract, clause, declared);
    if (declared[0] != 0) {
        fprintf(out, "       %s\n", declared);
    }
    if (trace->open[0] != 0) {
        fprintf(out, "       left open: %s\n", trace->open);
    }
}

/* Writes "K1.19 held (S08 S09)" and the sentence, in English as in the report. */
static void put_sentence(FILE *out, const struct topk_summary *summary, size_t sentence)
{
    const struct topk_sentence_row *row = topk_sentence_row(sentence);
    if (row->clauses[0] == 0) {
        fprintf(out, "  %-7s no clause: %s\n", row->id, row->reason);
    } else {
        fprintf(out, "  %-7s %s (%s)\n", row->id, topk_summary_sentence_claim(summary, sentence),
                row->clauses);
    }
    fprintf(out, "          %s\n", row->words);
}

/* how many reasons are listed */
#define REASONS 20

static void put_reasons(FILE *out, const struct topk_summary *summary)
{
    uint64_t others = 0;
    unsigned listed = 0;
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct topk_group *group = &summary->groups[summary->order[i]];
        if (group->verdict != TOPK_VERDICT_UNSUPPORTED) {
            continue;
        }
        fputs(listed == 0 ? "\nNot served, by reason\n" : "", out);
        if (listed++ < REASONS) {
            fprintf(out, "  %8" PRIu64 " cases  ", group->count);
            topk_text_print(out, group->cause);
            fputc('\n', out);
        } else {
            others += group->count;
        }
    }
    if (others > 0) {
        fprintf(out, "  %8" PRIu64 " cases  for other reasons, see the log\n", others);
    }
}

void topk_statement_trace(FILE *out, const struct topk_summary *summary)
{
    put_reasons(out, summary);
    fputs("\nClauses: what is promised, and how many of the cases that were run show it\n", out);
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        put_clause(out, summary, (enum topk_clause)i);
    }
    fputs("\nSentences of the documents, in English, with the clauses that each leads to\n", out);
    for (size_t i = 0; i < topk_sentence_count; i++) {
        put_sentence(out, summary, i);
    }
    fputs("\nThe documents, by date and SHA-256\n", out);
    for (int i = 0; i < TOPK_DOCUMENT_COUNT; i++) {
        const struct topk_document_row *row = topk_document_row((enum topk_document)i);
        fprintf(out, "  %s, sentences %s.*: %s, %s%s%s\n", row->id, row->page, row->title,
                row->language, row->dated[0] == 0 ? "" : ", ", row->dated);
        if (row->digest[0] != 0) {
            fprintf(out, "    %s\n", row->digest);
        }
    }
}

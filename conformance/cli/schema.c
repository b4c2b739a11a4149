/* topk-cts schema: prints the JSON Schemas of the JSON output. */
#include "schema/schema.h"

#include "cli.h"

struct schema_options {
    const struct topk_schema *schema; /* NULL: list the schemas */
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct schema_options *options = state->input;
    if (key != ARGP_KEY_ARG) {
        return cli_store(key, argument, state);
    }
    if (options->schema != NULL) {
        argp_error(state, "one schema at a time: '%s' is a second one", argument);
    }
    options->schema = topk_schema_find(argument);
    if (options->schema == NULL) {
        argp_error(state, "there is no schema '%s'; `topk-cts schema' lists them", argument);
    }
    return 0;
}

const struct argp cli_schema_argp = {
    .parser = parse,
    .args_doc = "[NAME]",
    .doc = "Prints the JSON Schema (draft 2020-12) of a document that topk-cts writes; without a "
           "NAME, the list of schemas.\vEach document has a number, `format'; the schema is of the "
           "format that this version writes. Older formats can be read, newer ones are refused.",
};

int cli_schema(int argc, char **argv)
{
    struct schema_options options = {0};
    cli_parse(&cli_schema_argp, argc, argv, &options);
    for (size_t i = 0; options.schema == NULL && i < topk_schema_count; i++) {
        printf("%-10s format %u  %s\n", topk_schemas[i].name, topk_schemas[i].format,
               topk_schemas[i].title);
    }
    if (options.schema != NULL && !topk_json_print(stdout, topk_schema_json(options.schema))) {
        cli_fail(CLI_HARNESS, "the schema '%s' cannot be made", options.schema->name);
    }
    return CLI_CONFORMANT;
}

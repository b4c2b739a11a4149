/* See onnx_read.h. The field numbers are those of onnx.proto. The messages that matter are nested
 * at most four deep: model, graph, node, attribute. Anything deeper is not looked at. */
#include "onnx_read.h"

#include <inttypes.h>
#include <string.h>

#include "onnx_tensor.h"

/* A name within the file. */
struct name {
    const uint8_t *bytes;
    size_t size;
};

/* The maximum number of graph inputs, outputs and initializers that are distinguished. */
#define NAMES_MAX 16u

struct names {
    struct name list[NAMES_MAX];
    uint32_t count;
};

struct reader {
    struct topk_onnx_topk *model;
    struct topk_refusal *refusal;
    uint64_t opset;
    uint32_t nodes;
    uint64_t node_place;
    struct names node_inputs;
    struct names node_outputs;
    struct names inputs;  /* of the graph */
    struct names outputs; /* of the graph */
    struct names initializers;
    struct topk_fields initializer[NAMES_MAX];
};

static bool is(const struct name *name, const char *text)
{
    return name->size == strlen(text) && memcmp(name->bytes, text, name->size) == 0;
}

static bool same(const struct name *a, const struct name *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static uint32_t find(const struct names *names, const struct name *name)
{
    uint32_t i = 0;
    while (i < names->count && !same(&names->list[i], name)) {
        i++;
    }
    return i == names->count ? TOPK_ONNX_NONE : i;
}

static bool add(struct reader *r, struct names *names, const struct name *name,
                const struct topk_field *field)
{
    if (names->count == NAMES_MAX) {
        return topk_refuse(r->refusal, field->place, "more than %u names of a kind", NAMES_MAX);
    }
    names->list[names->count++] = *name;
    return true;
}

static bool demand_bytes(struct reader *r, const struct topk_field *field)
{
    return field->wire == TOPK_WIRE_BYTES ||
           topk_refuse(r->refusal, field->place, "field %" PRIu32 " is not a message or text",
                       field->field);
}

/* Reads a message of which only a text (field 1) and a number matter; they are "" and 0 if
 * missing. */
static bool read_pair(struct reader *r, struct topk_fields message, struct name *text,
                      uint32_t number_field, uint64_t *number)
{
    struct topk_field field;
    enum topk_next next;
    *text = (struct name){(const uint8_t *)"", 0};
    *number = 0;
    while ((next = topk_fields_next(&message, &field, r->refusal)) == TOPK_NEXT_FIELD) {
        if (field.field == 1 && field.wire == TOPK_WIRE_BYTES) {
            *text = (struct name){field.bytes, field.size};
        } else if (field.field == number_field && field.wire == TOPK_WIRE_VARINT) {
            *number = field.number;
        }
    }
    return next == TOPK_NEXT_END;
}

static bool read_attribute(struct reader *r, struct topk_fields message, uint64_t place)
{
    enum {
        ATTRIBUTE_I = 3
    };
    struct name name;
    uint64_t bits;
    if (!read_pair(r, message, &name, ATTRIBUTE_I, &bits)) {
        return false;
    }
    const int64_t number = (int64_t)bits;
    if (is(&name, "axis")) {
        r->model->axis = number;
    } else if (is(&name, "largest")) {
        r->model->largest = number != 0;
    } else if (is(&name, "k")) {
        r->model->has_k = true;
        r->model->k = number;
    } else if (is(&name, "sorted")) {
        return number != 0 ||
               topk_refuse(r->refusal, place, "sorted = 0: the outputs of TOP_K are always sorted");
    } else {
        return topk_refuse(r->refusal, place, "the attribute '%.*s', which TopK does not have",
                           (int)(name.size < 40 ? name.size : 40), (const char *)name.bytes);
    }
    return true;
}

enum {
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7
};

/* Returns whether a node is a TopK, before the rest of it is looked at. */
static bool check_type(struct reader *r, struct topk_fields message, uint64_t place)
{
    struct name type = {(const uint8_t *)"", 0};
    struct topk_field field;
    enum topk_next next;
    while ((next = topk_fields_next(&message, &field, r->refusal)) == TOPK_NEXT_FIELD) {
        const struct name text = {field.bytes, field.size};
        if (field.wire != TOPK_WIRE_BYTES) {
            continue;
        }
        if (field.field == NODE_OP_TYPE) {
            type = text;
        } else if (field.field == NODE_DOMAIN && text.size != 0 && !is(&text, "ai.onnx")) {
            return topk_refuse(r->refusal, field.place, "the node is not of ONNX's own domain");
        }
    }
    if (next == TOPK_NEXT_BROKEN) {
        return false;
    }
    return is(&type, "TopK") ||
           topk_refuse(r->refusal, place, "the node is not a TopK, but '%.*s'",
                       (int)(type.size < 40 ? type.size : 40), (const char *)type.bytes);
}

static bool read_node(struct reader *r, struct topk_fields message, uint64_t place)
{
    struct topk_field field;
    const struct topk_fields whole = message;
    r->node_place = place;
    if (!check_type(r, message, place)) {
        return false;
    }
    if (++r->nodes > 1) {
        return topk_refuse(r->refusal, place, "the graph has more nodes than one");
    }
    bool ok = true;
    while (ok && topk_fields_next(&message, &field, r->refusal) == TOPK_NEXT_FIELD) {
        const struct name text = {field.bytes, field.size};
        switch (field.field) {
        case NODE_INPUT:
            ok = demand_bytes(r, &field) && add(r, &r->node_inputs, &text, &field);
            break;
        case NODE_OUTPUT:
            ok = demand_bytes(r, &field) && add(r, &r->node_outputs, &text, &field);
            break;
        case NODE_ATTRIBUTE:
            ok = demand_bytes(r, &field) &&
                 read_attribute(r, topk_fields_within(&whole, &field), field.place);
            break;
        default:
            break;
        }
    }
    return ok;
}

/* Reads the name of an input or output of the graph. */
static bool read_value(struct reader *r, struct topk_fields message, struct names *names,
                       const struct topk_field *of)
{
    struct name name;
    uint64_t none;
    return read_pair(r, message, &name, 0, &none) && add(r, names, &name, of);
}

static bool read_initializer(struct reader *r, struct topk_fields message,
                             const struct topk_field *of)
{
    struct topk_packed packed;
    struct name name;
    if (!topk_onnx_tensor_read(message, &packed, &name.bytes, &name.size, r->refusal)) {
        return false;
    }
    topk_packed_clear(&packed);
    if (name.bytes == NULL) {
        return topk_refuse(r->refusal, of->place, "an initializer without a name");
    }
    if (r->initializers.count < NAMES_MAX) {
        r->initializer[r->initializers.count] = message;
    }
    return add(r, &r->initializers, &name, of);
}

static bool read_graph(struct reader *r, struct topk_fields message)
{
    enum {
        GRAPH_NODE = 1,
        GRAPH_INITIALIZER = 5,
        GRAPH_INPUT = 11,
        GRAPH_OUTPUT = 12,
        GRAPH_SPARSE_INITIALIZER = 15
    };
    const struct topk_fields whole = message;
    struct topk_field field;
    enum topk_next next = TOPK_NEXT_END;
    bool ok = true;
    while (ok && (next = topk_fields_next(&message, &field, r->refusal)) == TOPK_NEXT_FIELD) {
        const struct topk_fields inner = topk_fields_within(&whole, &field);
        switch (field.field) {
        case GRAPH_NODE:
            ok = demand_bytes(r, &field) && read_node(r, inner, field.place);
            break;
        case GRAPH_INITIALIZER:
            ok = demand_bytes(r, &field) && read_initializer(r, inner, &field);
            break;
        case GRAPH_INPUT:
            ok = demand_bytes(r, &field) && read_value(r, inner, &r->inputs, &field);
            break;
        case GRAPH_OUTPUT:
            ok = demand_bytes(r, &field) && read_value(r, inner, &r->outputs, &field);
            break;
        case GRAPH_SPARSE_INITIALIZER:
            ok = topk_refuse(r->refusal, field.place, "a sparse initializer, which is not read");
            break;
        default:
            break;
        }
    }
    return ok && next == TOPK_NEXT_END;
}

static bool read_opset(struct reader *r, struct topk_fields message)
{
    enum {
        OPSET_VERSION = 2
    };
    struct name domain;
    uint64_t version;
    const bool read = read_pair(r, message, &domain, OPSET_VERSION, &version);
    if (domain.size == 0 || is(&domain, "ai.onnx")) {
        r->opset = version;
    }
    return read;
}

static bool read_model(struct reader *r, struct topk_fields message)
{
    enum {
        MODEL_GRAPH = 7,
        MODEL_OPSET_IMPORT = 8
    };
    const struct topk_fields whole = message;
    struct topk_field field;
    enum topk_next next = TOPK_NEXT_END;
    bool graph = false;
    bool ok = true;
    while (ok && (next = topk_fields_next(&message, &field, r->refusal)) == TOPK_NEXT_FIELD) {
        const struct topk_fields inner = topk_fields_within(&whole, &field);
        if (field.field == MODEL_GRAPH) {
            ok = (!graph || topk_refuse(r->refusal, field.place, "the model has two graphs")) &&
                 demand_bytes(r, &field) && read_graph(r, inner);
            graph = true;
        } else if (field.field == MODEL_OPSET_IMPORT) {
            ok = demand_bytes(r, &field) && read_opset(r, inner);
        }
    }
    if (!ok || next == TOPK_NEXT_BROKEN) {
        return false;
    }
    if (!graph || r->nodes == 0) {
        return topk_refuse(r->refusal, 0, "no model of ONNX with a node");
    }
    return r->opset > 0 ||
           topk_refuse(r->refusal, 0, "the model does not say of which opset it is");
}

/* Returns the number that an input has among the inputs that the test data provide, which are all
 * inputs except initializers. */
static uint32_t number_of_input(const struct reader *r, const struct name *name)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < r->inputs.count; i++) {
        if (find(&r->initializers, &r->inputs.list[i]) != TOPK_ONNX_NONE) {
            continue;
        }
        if (same(&r->inputs.list[i], name)) {
            return number;
        }
        number++;
    }
    return TOPK_ONNX_NONE;
}

static bool take_k(struct reader *r, uint32_t initializer)
{
    struct topk_packed packed;
    const uint8_t *name;
    size_t name_size;
    if (!topk_onnx_tensor_read(r->initializer[initializer], &packed, &name, &name_size,
                               r->refusal)) {
        return false;
    }
    const bool ok = packed.type == TOPK_TYPE_I64 && packed.elements == 1;
    if (ok) {
        r->model->has_k = true;
        r->model->k = (int64_t)topk_packed_get(&packed, 0);
    }
    topk_packed_clear(&packed);
    return ok || topk_refuse(r->refusal, r->node_place, "K is not one INT64");
}

/* Finds which tensors of the graph are the node's. */
static bool resolve(struct reader *r)
{
    struct topk_onnx_topk *model = r->model;
    const uint32_t needed = r->opset < 10 ? 1 : 2;
    if (model->has_k != (r->opset < 10)) {
        return topk_refuse(r->refusal, r->node_place, "K is %s of TopK in opset %" PRIu64,
                           r->opset < 10 ? "an attribute" : "an input", r->opset);
    }
    if (r->node_inputs.count != needed || r->node_outputs.count != 2) {
        return topk_refuse(r->refusal, r->node_place,
                           "TopK has %" PRIu32 " inputs and %" PRIu32 " outputs instead of %" PRIu32
                           " and 2",
                           r->node_inputs.count, r->node_outputs.count, needed);
    }
    model->input = number_of_input(r, &r->node_inputs.list[0]);
    if (model->input == TOPK_ONNX_NONE) {
        return topk_refuse(r->refusal, r->node_place, "the data of TopK are no input of the graph");
    }
    if (needed == 2) {
        const uint32_t initializer = find(&r->initializers, &r->node_inputs.list[1]);
        model->k_input = number_of_input(r, &r->node_inputs.list[1]);
        if (initializer != TOPK_ONNX_NONE && !take_k(r, initializer)) {
            return false;
        }
        if (initializer == TOPK_ONNX_NONE && model->k_input == TOPK_ONNX_NONE) {
            return topk_refuse(r->refusal, r->node_place, "K is not an  of the graph");
        }
    }
    model->value = find(&r->outputs, &r->node_outputs.list[0]);
    model->index = find(&r->outputs, &r->node_outputs.list[1]);
    return true;
}

bool topk_onnx_read(const unsigned char *bytes, size_t size, struct topk_onnx_topk *model,
                    struct topk_refusal *refusal)
{
    struct reader reader = {.model = model, .refusal = refusal};
    *refusal = (struct topk_refusal){0};
    *model = (struct topk_onnx_topk){
        .axis = -1,
        .largest = true,
        .input = TOPK_ONNX_NONE,
        .k_input = TOPK_ONNX_NONE,
        .value = TOPK_ONNX_NONE,
        .index = TOPK_ONNX_NONE,
    };
    return read_model(&reader, topk_fields_of(bytes, size)) && resolve(&reader);
}

/* Writes XML for the JUnit report. Private to junit*.c. */
#ifndef TOPK_JUNIT_XML_H
#define TOPK_JUNIT_XML_H

#include <libxml/xmlwriter.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A writer. After a failed call (memory is short) all further ones fail, so only the end needs a
 * check. */
struct topk_xml {
    xmlTextWriterPtr writer;
    bool ok;
};

void topk_xml_begin(struct topk_xml *xml, const char *element);
void topk_xml_end(struct topk_xml *xml);
void topk_xml_attribute(struct topk_xml *xml, const char *name, const char *text);
void topk_xml_number(struct topk_xml *xml, const char *name, uint64_t number);
/* Writes an attribute in seconds. */
void topk_xml_seconds(struct topk_xml *xml, const char *name, uint64_t nanoseconds);
void topk_xml_text(struct topk_xml *xml, const char *text);
/* Writes an element `property' with its two attributes. */
void topk_xml_property(struct topk_xml *xml, const char *name, const char *value);

/* A part of a document in memory. */
struct topk_xml_fragment {
    struct topk_xml xml;
    xmlBufferPtr buffer;
};

/* Returns false if memory is short. Free it in any case. */
bool topk_xml_fragment_open(struct topk_xml_fragment *fragment);
void topk_xml_fragment_free(struct topk_xml_fragment *fragment);
/* Inserts a fragment into the open element. */
void topk_xml_fragment_put(struct topk_xml *xml, struct topk_xml_fragment *fragment);

/* Writes a document to a stream: fill() writes the elements. Returns false if memory is short;
 * write errors are in the stream. */
bool topk_xml_document(FILE *out, void (*fill)(struct topk_xml *xml, void *context), void *context);

#endif

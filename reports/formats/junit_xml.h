/* XML as the JUnit report writes it. Within junit*.c only. */
#ifndef TOPK_JUNIT_XML_H
#define TOPK_JUNIT_XML_H

#include <libxml/xmlwriter.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A writer. Once a call failed (memory is short) it stays failed; so only the end is asked. */
struct topk_xml {
    xmlTextWriterPtr writer;
    bool ok;
};

void topk_xml_begin(struct topk_xml *xml, const char *element);
void topk_xml_end(struct topk_xml *xml);
void topk_xml_attribute(struct topk_xml *xml, const char *name, const char *text);
void topk_xml_number(struct topk_xml *xml, const char *name, uint64_t number);
/* An attribute in seconds. */
void topk_xml_seconds(struct topk_xml *xml, const char *name, uint64_t nanoseconds);
void topk_xml_text(struct topk_xml *xml, const char *text);
/* An element `property' with its two attributes. */
void topk_xml_property(struct topk_xml *xml, const char *name, const char *value);

/* A part of a document in memory. */
struct topk_xml_fragment {
    struct topk_xml xml;
    xmlBufferPtr buffer;
};

/* False if memory is short; to be freed in any case. */
bool topk_xml_fragment_open(struct topk_xml_fragment *fragment);
void topk_xml_fragment_free(struct topk_xml_fragment *fragment);
/* Puts a fragment into an element that is open. */
void topk_xml_fragment_put(struct topk_xml *xml, struct topk_xml_fragment *fragment);

/* Writes a document to a stream: fill() puts the elements. False if memory is short; whether it
 * could be written the stream tells. */
bool topk_xml_document(FILE *out, void (*fill)(struct topk_xml *xml, void *context), void *context);

#endif

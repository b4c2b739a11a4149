/* Writes the XML of the JUnit report. */
#include "junit_xml.h"

#include <inttypes.h>
#include <stdlib.h>

#include "log/log.h"

void topk_xml_begin(struct topk_xml *xml, const char *element)
{
    xml->ok = xml->ok && xmlTextWriterStartElement(xml->writer, BAD_CAST element) >= 0;
}

void topk_xml_end(struct topk_xml *xml)
{
    xml->ok = xml->ok && xmlTextWriterEndElement(xml->writer) >= 0;
}

void topk_xml_attribute(struct topk_xml *xml, const char *name, const char *text)
{
    char *clean = topk_text_xml(text);
    xml->ok = xml->ok && clean != NULL &&
              xmlTextWriterWriteAttribute(xml->writer, BAD_CAST name, BAD_CAST clean) >= 0;
    free(clean);
}

void topk_xml_number(struct topk_xml *xml, const char *name, uint64_t number)
{
    char text[21];
    snprintf(text, sizeof text, "%" PRIu64, number);
    topk_xml_attribute(xml, name, text);
}

/* Uses integers only, so that the locale cannot change the decimal point. */
void topk_xml_seconds(struct topk_xml *xml, const char *name, uint64_t nanoseconds)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, nanoseconds / 1000000000,
             nanoseconds % 1000000000);
    topk_xml_attribute(xml, name, text);
}

void topk_xml_text(struct topk_xml *xml, const char *text)
{
    char *clean = topk_text_xml(text);
    xml->ok =
        xml->ok && clean != NULL && xmlTextWriterWriteString(xml->writer, BAD_CAST clean) >= 0;
    free(clean);
}

void topk_xml_property(struct topk_xml *xml, const char *name, const char *value)
{
    topk_xml_begin(xml, "property");
    topk_xml_attribute(xml, "name", name);
    topk_xml_attribute(xml, "value", value);
    topk_xml_end(xml);
}

/* ---- fragments ------------------------------------------------------------------------------- */

/* libxml2 silently drops text when it runs out of memory, so allocation failures are recorded. */
static void watch_memory(void)
{
    xmlMemSetup(free, topk_memory_get, topk_memory_resize, topk_memory_copy);
}

bool topk_xml_fragment_open(struct topk_xml_fragment *fragment)
{
    watch_memory();
    fragment->buffer = xmlBufferCreate();
    fragment->xml.writer =
        fragment->buffer == NULL ? NULL : xmlNewTextWriterMemory(fragment->buffer, 0);
    fragment->xml.ok = fragment->xml.writer != NULL;
    if (fragment->xml.ok) {
        xmlBufferSetAllocationScheme(fragment->buffer, XML_BUFFER_ALLOC_DOUBLEIT);
        xmlTextWriterSetIndent(fragment->xml.writer, 1);
    }
    return fragment->xml.ok;
}

void topk_xml_fragment_free(struct topk_xml_fragment *fragment)
{
    if (fragment->xml.writer != NULL) {
        xmlFreeTextWriter(fragment->xml.writer);
    }
    if (fragment->buffer != NULL) {
        xmlBufferFree(fragment->buffer);
    }
}

void topk_xml_fragment_put(struct topk_xml *xml, struct topk_xml_fragment *fragment)
{
    xml->ok = xml->ok && fragment->xml.ok && xmlTextWriterFlush(fragment->xml.writer) >= 0;
    int length = xmlBufferLength(fragment->buffer); /* wraps to a negative number from 2 GiB on */
    xml->ok =
        xml->ok && length >= 0 &&
        xmlTextWriterWriteRawLen(xml->writer, xmlBufferContent(fragment->buffer), length) >= 0;
}

/* ---- documents ------------------------------------------------------------------------------- */

static int leave_open(void *context)
{
    (void)context;
    return 0;
}

/* libxml2 reports a failed write to stderr and then forgets the reason. So we always report success
 * to it and check the stream at the end. */
static int write_bytes(void *context, const char *bytes, int length)
{
    fwrite(bytes, 1, (size_t)length, context);
    return length;
}

bool topk_xml_document(FILE *out, void (*fill)(struct topk_xml *xml, void *context), void *context)
{
    watch_memory();
    xmlOutputBufferPtr output = xmlOutputBufferCreateIO(write_bytes, leave_open, out, NULL);
    if (output == NULL) {
        return false;
    }
    struct topk_xml xml = {xmlNewTextWriter(output), true};
    if (xml.writer == NULL) {
        xmlOutputBufferClose(output);
        return false;
    }
    xml.ok = xmlTextWriterStartDocument(xml.writer, NULL, "UTF-8", NULL) >= 0;
    xmlTextWriterSetIndent(xml.writer, 1);
    fill(&xml, context);
    xml.ok = xml.ok && xmlTextWriterEndDocument(xml.writer) >= 0;
    xmlFreeTextWriter(xml.writer); /* also closes output */
    return xml.ok;
}

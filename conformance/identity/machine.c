/* The machine, from uname(), /etc/os-release, /proc and /sys. */
#define _POSIX_C_SOURCE 200809L
#include "machine.h"
#include "machine_part.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Reads a value from the first line that starts with `key`: what follows the key, spaces, tabs and
 * one of `marks`. Removes quotes around it; "" if there is no such line. */
static void read_value(const char *path, const char *key, const char *marks, char *value,
                       size_t size)
{
    char line[1024];
    FILE *file = fopen(path, "re");
    value[0] = 0;
    while (file != NULL && value[0] == 0 && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) != 0) {
            continue;
        }
        const char *at = line + strlen(key);
        at += strspn(at, " \t");
        if (*marks != 0) {
            if (*at == 0 || strchr(marks, *at) == NULL) {
                continue;
            }
            at++;
        }
        at += strspn(at, " \t\"");
        size_t length = strcspn(at, "\r\n");
        while (length > 0 && strchr(" \t\"", at[length - 1]) != NULL) {
            length--;
        }
        snprintf(value, size, "%.*s", (int)length, at);
    }
    if (file != NULL) {
        fclose(file);
    }
}

static bool add_system(struct topk_log_parts *parts)
{
    char text[TOPK_MACHINE_TEXT];
    struct utsname system;
    read_value("/etc/os-release", "PRETTY_NAME", "=", text, sizeof text);
    bool added = topk_machine_part_add(parts, TOPK_LOG_PART_OS, text, "");
    if (uname(&system) == 0) {
        char kernel[sizeof system.sysname + sizeof system.release + sizeof system.machine];
        snprintf(kernel, sizeof kernel, "%s %s %s", system.sysname, system.release, system.machine);
        added = added && topk_machine_part_add(parts, TOPK_LOG_PART_KERNEL, kernel, "");
    }
    /* That of the first processor: the others have the same name, or none. */
    read_value("/proc/cpuinfo", "model name", ":", text, sizeof text);
    if (text[0] == 0) {
        read_value("/proc/cpuinfo", "Hardware", ":", text, sizeof text);
    }
    if (text[0] == 0) {
        read_value("/sys/firmware/devicetree/base/model", "", "", text, sizeof text);
    }
    return added && topk_machine_part_add(parts, TOPK_LOG_PART_PROCESSOR, text, "");
}

/* Adds a GPU from the `uevent` file of its device, with lines such as PCI_ID=10DE:2330 and
 * DRIVER=nvidia; a device outside PCI has OF_COMPATIBLE_0. any: of any class, else only displays
 * and accelerators. */
static bool add_gpu(struct topk_log_parts *parts, const char *uevent, bool any)
{
    char id[TOPK_MACHINE_TEXT];
    char class[TOPK_MACHINE_TEXT];
    char driver[TOPK_MACHINE_TEXT];
    char release[TOPK_MACHINE_TEXT];
    char path[TOPK_MACHINE_TEXT + 32];
    char version[2 * TOPK_MACHINE_TEXT];
    read_value(uevent, "PCI_CLASS", "=", class, sizeof class);
    /* 0x03 is a display controller, 0x12 an accelerator */
    const unsigned long kind = strtoul(class, NULL, 16) >> 16;
    if (!any && kind != 0x03 && kind != 0x12) {
        return true;
    }
    read_value(uevent, "PCI_ID", "=", id, sizeof id);
    if (id[0] == 0) {
        read_value(uevent, "OF_COMPATIBLE_0", "=", id, sizeof id);
    }
    for (char *c = id; *c != 0; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    read_value(uevent, "DRIVER", "=", driver, sizeof driver);
    snprintf(path, sizeof path, "/sys/module/%s/version", driver);
    read_value(path, "", "", release, sizeof release);
    snprintf(version, sizeof version, "%s%s%s", driver, release[0] == 0 ? "" : " ", release);
    return topk_machine_part_add(parts, TOPK_LOG_PART_GPU, id, version);
}

/* Adds the GPUs in a folder of /sys whose names start with `start`. */
static bool add_gpus(struct topk_log_parts *parts, const char *folder, const char *start,
                     const char *uevent, bool any)
{
    bool added = true;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && added && (entry = readdir(dir)) != NULL) {
        char path[1024];
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, start, strlen(start)) == 0) {
            snprintf(path, sizeof path, "%s/%s/%s", folder, entry->d_name, uevent);
            added = add_gpu(parts, path, any);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return added;
}

bool topk_machine_add(struct topk_log_parts *parts)
{
    char text[TOPK_MACHINE_TEXT];
    bool added = add_system(parts) &&
                 add_gpus(parts, "/sys/bus/pci/devices", "", "uevent", false) &&
                 add_gpus(parts, "/sys/class/drm", "renderD", "device/uevent", true);
    /* A container may hide the module's own file. */
    read_value("/proc/driver/nvidia/version", "NVRM version", ":", text, sizeof text);
    return added && topk_machine_part_add(parts, TOPK_LOG_PART_GPU,
                                          text[0] == 0 ? "" : "NVIDIA kernel module", text);
}

/* Compiles the shaders of the backend d3d12 during the build: a Windows program, run under Wine.
 *
 *   compile_hlsl SHADERS D3DCOMPILER DXCOMPILER OUTPUT
 *
 * SHADERS is the folder of the .hlsl files, D3DCOMPILER is Microsoft's d3dcompiler_47.dll and
 * DXCOMPILER its dxcompiler.dll, with dxil.dll beside it. OUTPUT is the generated C file for
 * shaders.h. One run compiles every row of shaders.def. Exit code: 0 success, 1 failure, 2 wrong
 * usage.
 */
#define COBJMACROS
#include <windows.h>

#include <d3dcommon.h>
#include <d3dcompiler.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"

struct row {
    const char *variant;
    uint32_t variant_number;
    uint32_t width;
    const char *file;
    const char *profile;
    uint32_t group;
    const char *macros;
};

static const struct row rows[] = {
#define TOPK_SHADER(variant, width, file, profile, group, macros)                                  \
    {#variant, TOPK_VARIANT_##variant, width, file, profile, group, macros},
#include "shaders.def"
};

/* ---- IDxcCompiler3, which its header declares only for C++ ---------------------------------- */

struct dxc_unknown {
    const struct dxc_unknown_table *table;
};

struct dxc_unknown_table {
    HRESULT(WINAPI *query_interface)(struct dxc_unknown *self, REFIID iid, void **object);
    ULONG(WINAPI *add_ref)(struct dxc_unknown *self);
    ULONG(WINAPI *release)(struct dxc_unknown *self);
};

struct dxc_text {
    const void *data;
    SIZE_T bytes;
    UINT code_page;
};

struct dxc_result {
    const struct dxc_result_table *table;
};

/* IDxcOperationResult, the base of IDxcResult. Its blobs have the layout of an ID3DBlob. */
struct dxc_result_table {
    struct dxc_unknown_table unknown;
    HRESULT(WINAPI *status)(struct dxc_result *self, HRESULT *status);
    HRESULT(WINAPI *result)(struct dxc_result *self, ID3DBlob **blob);
    HRESULT(WINAPI *errors)(struct dxc_result *self, ID3DBlob **blob);
};

struct dxc_compiler {
    const struct dxc_compiler_table *table;
};

struct dxc_compiler_table {
    struct dxc_unknown_table unknown;
    HRESULT(WINAPI *compile)
    (struct dxc_compiler *self, const struct dxc_text *source, const WCHAR **arguments,
     UINT32 count, struct dxc_unknown *include_handler, REFIID iid, void **result);
};

typedef HRESULT(WINAPI *dxc_create_instance)(REFIID class_id, REFIID iid, void **object);

static const GUID CLASS_DXC_COMPILER = {
    0x73e22d93, 0xe6ce, 0x47f3, {0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0}};
static const GUID IID_DXC_COMPILER_3 = {
    0x228b4687, 0x5a6a, 0x4730, {0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54}};
static const GUID IID_DXC_RESULT = {
    0x58346cda, 0xdde7, 0x4497, {0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59}};

/* ---- The two compilers ---------------------------------------------------------------------- */

struct compilers {
    pD3DCompile d3d_compile;
    struct dxc_compiler *dxc;
};

static FARPROC load(const char *path, const char *function)
{
    HMODULE library = LoadLibraryExA(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (library == NULL) {
        fprintf(stderr, "compile_hlsl: error: cannot load %s: Windows error %lu\n", path,
                GetLastError());
        return NULL;
    }
    FARPROC found = GetProcAddress(library, function);
    if (found == NULL) {
        fprintf(stderr, "compile_hlsl: error: %s does not have %s\n", path, function);
    }
    return found;
}

static bool load_compilers(struct compilers *compilers, const char *d3dcompiler,
                           const char *dxcompiler)
{
    FARPROC d3d = load(d3dcompiler, "D3DCompile");
    FARPROC dxc = load(dxcompiler, "DxcCreateInstance");
    if (d3d == NULL || dxc == NULL) {
        return false;
    }
    dxc_create_instance create = NULL;
    memcpy(&compilers->d3d_compile, &d3d, sizeof d3d);
    memcpy(&create, &dxc, sizeof dxc);
    void *compiler = NULL;
    HRESULT result = create(&CLASS_DXC_COMPILER, &IID_DXC_COMPILER_3, &compiler);
    if (FAILED(result)) {
        fprintf(stderr, "compile_hlsl: error: %s does not have IDxcCompiler3: 0x%08lx\n",
                dxcompiler, (unsigned long)result);
        return false;
    }
    compilers->dxc = compiler;
    return true;
}

static bool compile_by_d3d(const struct compilers *compilers, const struct row *row,
                           const char *source, ID3DBlob **code, ID3DBlob **messages)
{
    const UINT flags = D3DCOMPILE_ENABLE_STRICTNESS | D3DCOMPILE_OPTIMIZATION_LEVEL3 |
                       D3DCOMPILE_WARNINGS_ARE_ERRORS;
    return SUCCEEDED(compilers->d3d_compile(source, strlen(source), row->file, NULL, NULL, "main",
                                            row->profile, flags, 0, code, messages));
}

static bool compile_by_dxc(const struct compilers *compilers, const struct row *row,
                           const char *source, ID3DBlob **code, ID3DBlob **messages)
{
    WCHAR profile[16] = {0};
    for (size_t i = 0; i + 1 < sizeof profile / sizeof profile[0] && row->profile[i] != '\0'; i++) {
        profile[i] = (WCHAR)row->profile[i];
    }
    const WCHAR *arguments[] = {
        L"-E", L"main", L"-T", profile, L"-O3", L"-WX", L"-enable-16bit-types"};
    /* the last option is rejected before 6.2 */
    const UINT32 count = strcmp(row->profile, "cs_6_2") >= 0 ? 7 : 6;
    const struct dxc_text text = {source, strlen(source), CP_UTF8};
    void *object = NULL;
    HRESULT status = compilers->dxc->table->compile(compilers->dxc, &text, arguments, count, NULL,
                                                    &IID_DXC_RESULT, &object);
    struct dxc_result *result = object;
    if (SUCCEEDED(status)) {
        (void)result->table->errors(result, messages);
        (void)result->table->status(result, &status);
    }
    if (SUCCEEDED(status)) {
        status = result->table->result(result, code);
    }
    if (result != NULL) {
        (void)result->table->unknown.release((struct dxc_unknown *)result);
    }
    return SUCCEEDED(status);
}

/* Whether dxil.dll has validated the code: otherwise the digest after the container's first four
 * bytes is zero. */
static bool is_validated(ID3DBlob *code)
{
    static const unsigned char none[16];
    return ID3D10Blob_GetBufferSize(code) >= 20 &&
           memcmp((const char *)ID3D10Blob_GetBufferPointer(code) + 4, none, sizeof none) != 0;
}

static void print_messages(ID3DBlob *messages)
{
    if (messages != NULL && ID3D10Blob_GetBufferSize(messages) > 0) {
        fprintf(stderr, "%.*s\n", (int)ID3D10Blob_GetBufferSize(messages),
                (const char *)ID3D10Blob_GetBufferPointer(messages));
    }
}

static void release(ID3DBlob *blob)
{
    if (blob != NULL) {
        ID3D10Blob_Release(blob);
    }
}

/* ---- Sources and output --------------------------------------------------------------------- */

/* Returns the text of a file, which the caller frees; NULL, after a message, if that fails. */
static char *read_file(const char *folder, const char *name)
{
    char path[MAX_PATH];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        fprintf(stderr, "compile_hlsl: error: %s/%s: the name is too long\n", folder, name);
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "compile_hlsl: error: cannot open %s: %s\n", path, strerror(errno));
        return NULL;
    }
    long bytes = -1;
    if (fseek(file, 0, SEEK_END) == 0) {
        bytes = ftell(file);
    }
    char *text = bytes < 0 ? NULL : calloc(1, (size_t)bytes + 1);
    if (text == NULL || fseek(file, 0, SEEK_SET) != 0 ||
        fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
        fprintf(stderr, "compile_hlsl: error: cannot read %s\n", path);
        free(text);
        text = NULL;
    }
    (void)fclose(file);
    return text;
}

/* Returns the whole source of a row, which the caller frees. */
static char *make_source(const char *folder, const struct row *row)
{
    static const char format[] = "#define WIDTH %" PRIu32 "\n#define GROUP %" PRIu32 "\n%s"
                                 "#line 1 \"topk.hlsli\"\n%s\n#line 1 \"%s\"\n%s";
    char *shared = read_file(folder, "topk.hlsli");
    char *kernel = read_file(folder, row->file);
    char *source = NULL;
    if (shared != NULL && kernel != NULL) {
        const size_t room = sizeof format + strlen(shared) + strlen(kernel) + strlen(row->file) +
                            strlen(row->macros) + 32;
        source = malloc(room);
        if (source != NULL) {
            snprintf(source, room, format, row->width, row->group, row->macros, shared, row->file,
                     kernel);
        }
    }
    free(shared);
    free(kernel);
    return source;
}

static void write_code(FILE *output, const struct row *row, ID3DBlob *code)
{
    const unsigned char *bytes = ID3D10Blob_GetBufferPointer(code);
    const size_t count = ID3D10Blob_GetBufferSize(code) / 4;
    fprintf(output, "static const uint32_t %s_%" PRIu32 "[] = {", row->variant, row->width);
    for (size_t i = 0; i < count; i++) {
        uint32_t word = 0;
        memcpy(&word, bytes + 4 * i, sizeof word);
        fprintf(output, "%s0x%08" PRIx32 ",", i % 8 == 0 ? "\n    " : " ", word);
    }
    fprintf(output, "\n};\n\n");
}

static bool compile_row(const struct compilers *compilers, const char *folder,
                        const struct row *row, FILE *output)
{
    char *source = make_source(folder, row);
    if (source == NULL) {
        return false;
    }
    const bool by_dxc = strcmp(row->profile, "cs_6_0") >= 0;
    ID3DBlob *code = NULL;
    ID3DBlob *messages = NULL;
    bool good = by_dxc ? compile_by_dxc(compilers, row, source, &code, &messages)
                       : compile_by_d3d(compilers, row, source, &code, &messages);
    print_messages(messages);
    if (!good || code == NULL) {
        fprintf(stderr, "compile_hlsl: error: %s does not compile as %s, %s of %" PRIu32 " bytes\n",
                row->file, row->profile, row->variant, row->width);
        good = false;
    } else if (by_dxc && !is_validated(code)) {
        fprintf(stderr, "compile_hlsl: error: %s: the code is not validated; dxil.dll is missing\n",
                row->file);
        good = false;
    } else {
        write_code(output, row, code);
    }
    release(code);
    release(messages);
    free(source);
    return good;
}

static bool compile_all(const struct compilers *compilers, const char *folder, FILE *output)
{
    const size_t count = sizeof rows / sizeof rows[0];
    bool good = true;
    fprintf(output, "/* Made from the shaders of the backend d3d12 by compile_hlsl. */\n"
                    "#include \"shaders.h\"\n\n");
    for (size_t i = 0; i < count; i++) {
        good = compile_row(compilers, folder, &rows[i], output) && good;
    }
    fprintf(output, "const struct topk_shader topk_shaders[] = {\n");
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        fprintf(output,
                "    {%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", sizeof %s_%" PRIu32 ", %s_%" PRIu32
                "},\n",
                row->variant_number, row->width, row->group, row->variant, row->width, row->variant,
                row->width);
    }
    fprintf(output, "};\nconst size_t topk_shader_count = %zu;\n", count);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: compile_hlsl SHADERS D3DCOMPILER DXCOMPILER OUTPUT\n");
        return 2;
    }
    struct compilers compilers = {NULL, NULL};
    if (!load_compilers(&compilers, argv[2], argv[3])) {
        return 1;
    }
    FILE *output = fopen(argv[4], "wb");
    if (output == NULL) {
        fprintf(stderr, "compile_hlsl: error: cannot write %s: %s\n", argv[4], strerror(errno));
        return 1;
    }
    bool good = compile_all(&compilers, argv[1], output);
    if (fclose(output) != 0) {
        fprintf(stderr, "compile_hlsl: error: cannot write %s: %s\n", argv[4], strerror(errno));
        good = false;
    }
    if (!good) {
        (void)remove(argv[4]);
    }
    return good ? 0 : 1;
}

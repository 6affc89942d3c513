/* Reads a suite of the golden corpus in C, checks the digest of every tensor, and writes answers for refpos.

     #define REFPOS_READER_NO_MAIN
     #include "reader.c"

     size_t count;
     refpos_tensor *all = refpos_tensors("golden", "rope_table", &count);  all of a suite, agreeing or not
     refpos_tensor *cos = refpos_read(all, count, "rope_table/dim-4/cos"); one; a digest that differs ends the program
     refpos_write_answers("answers.safetensors", cos, 1);

   `data` are the bytes of the elements in C order, the least significant first. What cannot be read or written ends the
   program with a sentence and 2. As a program:

     cc -O2 -o reader reader.c
     ./reader golden rope

   prints a line for each tensor: its name, dtype, shape, sha256, and its last element (as the bits of a double, or an
   integer). Ends with 0 where every digest agrees, 1 where one differs, 2 where nothing could be read. Nothing but the
   standard library; a little-endian machine. */

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *what) { fprintf(stderr, "reader: %s\n", what); exit(2); }

static void *needed_room(size_t size) {
    void *room = calloc(size, 1);
    if (!room) stop("no memory");
    return room;
}

static char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    size_t room = 1 << 16;
    char *data = malloc(room + 1);
    *size = 0;
    for (size_t got; data && (got = fread(data + *size, 1, room - *size, file)) > 0;)
        if ((*size += got) == room) data = realloc(data, (room *= 2) + 1);
    if (!data) stop("no memory");
    fclose(file);
    data[*size] = 0;
    return data;
}

/* -- JSON, of which the corpus has objects, lists, text, integers, true, false and null ---------------------- */

typedef struct Node { char *name, *text; struct Node *first, *next; } Node;

static char *at;

static void skip(char expected) {
    while (isspace((unsigned char)*at)) at++;
    if (expected && *at++ != expected) stop("no complete JSON document");
}

static char *text(void) {
    skip('"');
    char *start = at, *to = at;
    for (; *at != '"'; *to++ = *at++) {
        if (!*at) stop("a text without an end");
        if (*at == '\\') at++; /* only words that are not read have escapes */
    }
    at++;
    *to = 0;
    return start;
}

static Node *value(void) {
    Node *node = needed_room(sizeof *node), **last = &node->first;
    skip(0);
    if (*at == '"') { node->text = text(); return node; }
    if (*at != '{' && *at != '[') {
        size_t length = strcspn(at, ",]} \n");
        if (!length) stop("no complete JSON document");
        node->text = memcpy(needed_room(length + 1), at, length);
        at += length;
        return node;
    }
    char end = *at++ == '{' ? '}' : ']';
    for (skip(0); *at != end; skip(0)) {
        if (node->first) skip(',');
        char *name = NULL;
        if (end == '}') { name = text(); skip(':'); }
        *last = value();
        (*last)->name = name;
        last = &(*last)->next;
    }
    at++;
    return node;
}

static Node *member(Node *node, const char *name) {
    for (Node *one = node ? node->first : NULL; one; one = one->next)
        if (one->name && !strcmp(one->name, name)) return one;
    return NULL;
}

static Node *needed(Node *node, const char *name) {
    Node *found = member(node, name);
    if (!found) { fprintf(stderr, "reader: no %s\n", name); exit(2); }
    return found;
}

/* -- sha256 ------------------------------------------------------------------------------------------------------- */

static uint32_t rotated(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void block(uint32_t state[8], const unsigned char *data) {
    static const uint32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    };
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++, data += 4)
        w[i] = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3)
             + w[i - 7] + (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t one = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) + choice + constants[i] + w[i];
        uint32_t two = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

static void sha256(const unsigned char *data, size_t size, char digest[65]) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char tail[128] = {0};
    size_t whole = size / 64 * 64, rest = size - whole, end = rest < 56 ? 64 : 128;
    for (size_t i = 0; i < whole; i += 64) block(state, data + i);
    memcpy(tail, data + whole, rest);
    tail[rest] = 0x80;
    for (int i = 0; i < 8; i++) tail[end - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t i = 0; i < end; i += 64) block(state, tail + i);
    for (int i = 0; i < 8; i++) sprintf(digest + 8 * i, "%08" PRIx32, state[i]);
}

/* -- tensors ------------------------------------------------------------------------------------------------------ */

static const char *payload; /* of the safetensors file, behind its header */
static size_t payload_size;
static Node *header;

typedef struct {
    char *name;       /* of the case and the tensor: rope_table/dim-4/cos */
    const char *side; /* inputs or outputs */
    const char *dtype;
    char sizes[512];  /* of the shape: 2,3 */
    size_t count, bytes;
    unsigned char *data; /* NULL where only a sample is held */
    char digest[65];
    int agrees;
} refpos_tensor;

static size_t item_size(const char *dtype) {
    if (!strcmp(dtype, "float64") || !strcmp(dtype, "int64")) return 8;
    if (!strcmp(dtype, "float32")) return 4;
    if (!strcmp(dtype, "float16") || !strcmp(dtype, "bfloat16")) return 2;
    stop("an unknown dtype");
    return 0;
}

/* the number of an element; every float16 and bfloat16 is a double */
static double number(const char *dtype, const unsigned char *bytes) {
    uint64_t bits = 0;
    memcpy(&bits, bytes, item_size(dtype));
    double wide;
    float narrow;
    if (!strcmp(dtype, "float64")) return memcpy(&wide, &bits, 8), wide;
    uint32_t word = (uint32_t)bits;
    if (!strcmp(dtype, "bfloat16")) word <<= 16; /* the upper half of a float */
    if (strcmp(dtype, "float16")) return memcpy(&narrow, &word, 4), narrow;
    int exponent = word >> 10 & 31, fraction = word & 1023;
    double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                : exponent ? ldexp(fraction + 1024, exponent - 25) : ldexp(fraction, -24);
    return word >> 15 ? -size : size;
}

static inline void show_last(const char *dtype, const unsigned char *bytes) {
    if (!strcmp(dtype, "int64")) {
        int64_t whole;
        memcpy(&whole, bytes, 8);
        printf("%" PRId64 "\n", whole);
        return;
    }
    double last = number(dtype, bytes);
    uint64_t bits;
    memcpy(&bits, &last, 8);
    if (last != last) printf("nan\n");
    else printf("%016" PRIx64 "\n", bits);
}

/* the bytes of a tensor in C order, the least significant first */
static void fill(unsigned char *to, size_t count, size_t item, Node *tensor) {
    Node *bits = member(tensor, "bits");
    if (!bits) {
        Node *offsets = needed(needed(header, needed(tensor, "payload")->text), "data_offsets");
        uint64_t begin = strtoull(offsets->first->text, NULL, 10), end = strtoull(offsets->first->next->text, NULL, 10);
        if (end > payload_size || begin > end || end - begin != count * item) stop("a payload of another size");
        memcpy(to, payload + begin, count * item);
        return;
    }
    size_t i = 0;
    for (Node *one = bits->first; one; one = one->next, i++) {
        if (i == count || !one->text || strlen(one->text) != 2 * item)
            stop("bits that do not fit the shape or the dtype");
        uint64_t pattern = strtoull(one->text, NULL, 16);
        for (size_t k = 0; k < item; k++) to[i * item + k] = (unsigned char)(pattern >> 8 * k);
    }
    if (i != count) stop("fewer bits than the shape has elements");
}

static refpos_tensor tensor_of(const char *id, const char *side, Node *entry) {
    refpos_tensor made = {0};
    size_t length = 0, item;
    made.side = side;
    made.dtype = needed(entry, "dtype")->text;
    made.name = needed_room(strlen(id) + strlen(entry->name) + 2);
    sprintf(made.name, "%s/%s", id, entry->name);
    made.count = 1, item = item_size(made.dtype);
    for (Node *size = needed(entry, "shape")->first; size; size = size->next) {
        made.count *= strtoull(size->text, NULL, 10);
        const char *comma = length ? "," : "";
        length += (size_t)snprintf(made.sizes + length, sizeof made.sizes - length, "%s%s", comma, size->text);
        if (length >= sizeof made.sizes) stop("too many sizes");
    }
    if (member(entry, "sample")) return made;
    if (made.count > SIZE_MAX / 16) stop("a tensor too large");
    made.bytes = made.count * item;
    /* what the digest is of: dtype, a zero, the sizes, a zero, the elements */
    size_t start = strlen(made.dtype) + 1 + length + 1;
    unsigned char *data = needed_room(start + made.bytes);
    memcpy(data, made.dtype, strlen(made.dtype) + 1);
    memcpy(data + strlen(made.dtype) + 1, made.sizes, length + 1);
    fill(data + start, made.count, item, entry);
    sha256(data, start + made.bytes, made.digest);
    made.data = data + start;
    made.agrees = !strcmp(made.digest, needed(entry, "sha256")->text);
    return made;
}

static void open_payload(const char *path) {
    size_t size;
    char *file = read_all(path, &size); /* absent where every tensor is small */
    uint64_t length = 0;
    header = NULL;
    if (!file) return;
    if (size < 8) stop("a truncated payload");
    memcpy(&length, file, 8);
    if (length > size - 8) stop("a truncated payload");
    payload = file + 8 + length;
    payload_size = size - 8 - length;
    at = memcpy(needed_room(length + 1), file + 8, length);
    header = value();
}

refpos_tensor *refpos_tensors(const char *folder, const char *suite, size_t *count) {
    static const char *const sides[] = {"inputs", "outputs"};
    char path[4096];
    size_t size, room = 64;
    refpos_tensor *found = needed_room(room * sizeof *found);
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, suite);
    open_payload(path);
    snprintf(path, sizeof path, "%s/%s.json", folder, suite);
    if (!(at = read_all(path, &size))) stop("no such suite");
    *count = 0;
    for (Node *one = needed(value(), "cases")->first; one; one = one->next)
        for (int k = 0; k < 2; k++) {
            Node *side = member(one, sides[k]);
            for (Node *entry = side ? side->first : NULL; entry; entry = entry->next) {
                if (*count == room && !(found = realloc(found, (room *= 2) * sizeof *found))) stop("no memory");
                found[(*count)++] = tensor_of(needed(one, "id")->text, sides[k], entry);
            }
        }
    return found;
}

refpos_tensor *refpos_read(refpos_tensor *all, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i].name, name)) continue;
        if (!all[i].data) stop("a tensor that is held as a sample");
        if (!all[i].agrees) stop("a digest that differs");
        return all + i;
    }
    stop("no tensor of that name");
    return NULL;
}

/* name, dtype, sizes, bytes and data of each as a safetensors file, which `refpos verify` reads */
void refpos_write_answers(const char *path, const refpos_tensor *answers, size_t count) {
    size_t room = 16, length = 1, end = 0;
    for (size_t i = 0; i < count; i++) room += strlen(answers[i].name) + sizeof answers[i].sizes + 128;
    char *text = needed_room(room), *part = needed_room(strlen(path) + 6);
    text[0] = '{';
    for (size_t i = 0; i < count; i++) {
        const char *dtype = answers[i].dtype, *kind = *dtype == 'f' ? "F" : *dtype == 'b' ? "BF" : "I";
        length += (size_t)sprintf(text + length, "%s\"%s\":{\"dtype\":\"%s%d\",\"shape\":[%s],", i ? "," : "",
                                  answers[i].name, kind, (int)item_size(dtype) * 8, answers[i].sizes);
        length += (size_t)sprintf(text + length, "\"data_offsets\":[%zu,%zu]}", end, end + answers[i].bytes);
        end += answers[i].bytes;
    }
    text[length++] = '}';
    while (length % 8) text[length++] = ' '; /* the data begins at a multiple of 8 */
    sprintf(part, "%s.part", path);          /* no half file where writing fails */
    FILE *file = fopen(part, "wb");
    if (!file) stop("a file that cannot be written");
    uint64_t size = length;
    int written = fwrite(&size, 8, 1, file) == 1 && fwrite(text, 1, length, file) == length;
    for (size_t i = 0; i < count; i++) {
        if (!answers[i].data) stop("an answer without data");
        written = written && fwrite(answers[i].data, 1, answers[i].bytes, file) == answers[i].bytes;
    }
    if (fclose(file) || !written || rename(part, path)) stop("a file that cannot be written");
    free(text);
    free(part);
}

#ifndef REFPOS_READER_NO_MAIN
int main(int argc, char **argv) {
    long agree = 0, differ = 0, sampled = 0;
    size_t count;
    if (argc != 3) stop("two arguments: a folder, and the name of a suite");
    refpos_tensor *all = refpos_tensors(argv[1], argv[2], &count);
    for (size_t i = 0; i < count; i++) {
        const refpos_tensor *one = all + i;
        if (!one->data) { sampled++; continue; }
        one->agrees ? agree++ : differ++;
        printf("%s %s [%s] %s%s ", one->name, one->dtype, one->sizes, one->digest, one->agrees ? "" : " DIFFERS");
        if (one->count) show_last(one->dtype, one->data + one->bytes - item_size(one->dtype));
        else printf("empty\n");
    }
    printf("%ld tensors agree, %ld differ, %ld are held as samples\n", agree, differ, sampled);
    return differ ? 1 : agree ? 0 : 2;
}
#endif

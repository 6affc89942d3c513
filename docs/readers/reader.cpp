// Reads a suite of the golden corpus in C++17, checks the digest of every tensor, and writes answers for refpos.
//
//   #define REFPOS_READER_NO_MAIN
//   #include "reader.cpp"
//
//   auto cos = refpos::read("golden", "rope_table").at("rope_table/dim-4/cos");  // name, side, dtype, shape, data
//   refpos::write_answers("answers.safetensors", {cos});
//
// `data` are the bytes of the elements in C order, the least significant first. As a program:
//
//   c++ -std=c++17 -O2 -o reader reader.cpp
//   ./reader golden rope
//
// prints a line for each tensor: its name, dtype, shape, sha256, and its last element (as the bits of a double, or an
// integer). Ends with 0 where every digest agrees, 1 where one differs, 2 where nothing could be read. Nothing but the
// standard library.

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace refpos {

using Bytes = std::vector<unsigned char>;

static Bytes read_all(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

// -- JSON, of which the corpus has objects, lists, text, integers, true, false and null ------------------------

struct Value {
    std::string text;  // of text, numbers and the words true, false and null
    std::vector<Value> items;
    std::map<std::string, Value> members;

    const Value &operator[](const std::string &name) const {
        auto found = members.find(name);
        if (found == members.end()) throw std::runtime_error("no " + name);
        return found->second;
    }
    bool has(const std::string &name) const { return members.count(name) != 0; }
};

class Parser {
    const std::string &data;
    size_t at = 0;

    char peek() {
        while (at < data.size() && std::isspace(static_cast<unsigned char>(data[at]))) at++;
        if (at == data.size()) throw std::runtime_error("no complete JSON document");
        return data[at];
    }

    void take(char expected) {
        if (peek() != expected) throw std::runtime_error("no complete JSON document");
        at++;
    }

    std::string text() {
        std::string found;
        for (take('"'); data.at(at) != '"'; at++) {
            if (data[at] == '\\') at++;  // only words that are not read have escapes
            found += data.at(at);
        }
        at++;
        return found;
    }

public:
    explicit Parser(const std::string &json) : data(json) {}

    Value value() {
        Value made;
        char first = peek();
        if (first == '"') {
            made.text = text();
        } else if (first == '{' || first == '[') {
            char end = first == '{' ? '}' : ']';
            bool more = false;
            for (at++; peek() != end; more = true) {
                if (more) take(',');
                if (first == '[') {
                    made.items.push_back(value());
                } else {
                    std::string name = (peek(), text());
                    take(':');
                    made.members[name] = value();
                }
            }
            at++;
        } else {
            size_t end = data.find_first_of(",]} \n", at);
            made.text = data.substr(at, end - at);
            at = end == std::string::npos ? data.size() : end;
        }
        return made;
    }
};

static Value parse(const std::string &json) { return Parser(json).value(); }

// -- sha256 ---------------------------------------------------------------------------------------------------------

static uint32_t rotated(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void block(uint32_t *state, const unsigned char *data) {
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
        w[i] = uint32_t(data[0]) << 24 | uint32_t(data[1]) << 16 | uint32_t(data[2]) << 8 | data[3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3)
             + w[i - 7] + (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    std::memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t one = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) + choice + constants[i] + w[i];
        uint32_t two = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) + majority;
        std::memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

static std::string sha256(Bytes data) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint64_t bits = uint64_t(data.size()) * 8;
    data.push_back(0x80);
    while (data.size() % 64 != 56) data.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8) data.push_back(static_cast<unsigned char>(bits >> shift));
    for (size_t i = 0; i < data.size(); i += 64) block(state, data.data() + i);
    char digest[65];
    for (int i = 0; i < 8; i++) std::snprintf(digest + 8 * i, 9, "%08x", static_cast<unsigned>(state[i]));
    return digest;
}

// -- tensors --------------------------------------------------------------------------------------------------------

static size_t item_size(const std::string &dtype) {
    static const std::map<std::string, size_t> sizes{
        {"float64", 8}, {"float32", 4}, {"float16", 2}, {"bfloat16", 2}, {"int64", 8}};
    return sizes.at(dtype);
}

static std::map<std::string, Bytes> payloads(const std::string &path) {
    std::map<std::string, Bytes> found;
    if (!std::ifstream(path)) return found;  // where every tensor is small
    Bytes data = read_all(path);
    uint64_t length = 0;
    for (int i = 7; i >= 0; i--) length = length << 8 | data.at(static_cast<size_t>(i));
    if (data.size() < 8 || length > data.size() - 8) throw std::runtime_error("a truncated payload");
    auto start = data.begin() + 8 + static_cast<std::ptrdiff_t>(length);
    auto room = data.end() - start;
    std::string json(data.begin() + 8, start);
    for (const auto &[name, entry] : parse(json).members) {
        if (name == "__metadata__") continue;
        const auto &offsets = entry["data_offsets"].items;
        long begin = std::stol(offsets.at(0).text), end = std::stol(offsets.at(1).text);
        if (begin < 0 || end < begin || end > room) throw std::runtime_error("a truncated payload");
        found[name] = Bytes(start + begin, start + end);
    }
    return found;
}

// the bytes of a tensor in C order, the least significant first
static Bytes little_endian(const Value &tensor, const std::map<std::string, Bytes> &payload, size_t item) {
    if (tensor.has("payload")) return payload.at(tensor["payload"].text);
    Bytes data;
    for (const Value &digits : tensor["bits"].items) {
        if (digits.text.size() != 2 * item) throw std::runtime_error("bits that do not fit the dtype");
        for (size_t k = item; k-- > 0;)
            data.push_back(static_cast<unsigned char>(std::stoul(digits.text.substr(2 * k, 2), nullptr, 16)));
    }
    return data;
}

static std::string last_element(const std::string &dtype, const Bytes &data) {
    uint64_t bits = 0;
    for (size_t k = 0; k < item_size(dtype); k++) bits = bits << 8 | data[data.size() - 1 - k];
    if (dtype == "int64") return std::to_string(static_cast<int64_t>(bits));
    double number = 0;
    if (dtype == "float64") {
        std::memcpy(&number, &bits, 8);
    } else if (dtype == "float16") {
        int exponent = bits >> 10 & 31, fraction = bits & 1023;
        number = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent ? std::ldexp(fraction + 1024, exponent - 25) : std::ldexp(fraction, -24);
        if (bits >> 15) number = -number;
    } else {
        uint32_t word = static_cast<uint32_t>(dtype == "bfloat16" ? bits << 16 : bits);  // the upper half of a float
        float narrow;
        std::memcpy(&narrow, &word, 4);
        number = narrow;
    }
    char shown[17];
    std::memcpy(&bits, &number, 8);
    std::snprintf(shown, sizeof shown, "%016llx", static_cast<unsigned long long>(bits));
    return std::isnan(number) ? "nan" : shown;
}

struct Tensor {
    std::string name, side, dtype;
    std::vector<size_t> shape;
    Bytes data;
    bool sampled = false, agrees = false;  // sampled: only some elements are held, and data is empty
    std::string digest;
};

inline std::string sizes_of(const Tensor &tensor) {
    std::string text;
    for (size_t size : tensor.shape) text += (text.empty() ? "" : ",") + std::to_string(size);
    return text;
}

inline size_t bytes_of(const Tensor &tensor) {
    size_t bytes = item_size(tensor.dtype);
    for (size_t size : tensor.shape) bytes *= size;
    return bytes;
}

// every tensor of a suite
inline std::vector<Tensor> tensors(const std::string &folder, const std::string &suite) {
    auto payload = payloads(folder + "/" + suite + ".safetensors");
    Bytes json = read_all(folder + "/" + suite + ".json");
    const Value document = parse(std::string(json.begin(), json.end()));
    std::vector<Tensor> found;
    for (const Value &one : document["cases"].items)
        for (const char *side : {"inputs", "outputs"}) {
            if (!one.has(side)) continue;
            for (const auto &[name, entry] : one[side].members) {
                Tensor tensor;
                tensor.name = one["id"].text + '/' + name, tensor.side = side, tensor.dtype = entry["dtype"].text;
                for (const Value &size : entry["shape"].items) tensor.shape.push_back(std::stoul(size.text));
                tensor.sampled = entry.has("sample");
                if (!tensor.sampled) {
                    tensor.data = little_endian(entry, payload, item_size(tensor.dtype));
                    if (tensor.data.size() != bytes_of(tensor)) throw std::runtime_error("a tensor of another size");
                    std::string head = tensor.dtype + '\0' + sizes_of(tensor) + '\0';
                    Bytes whole(head.begin(), head.end());
                    whole.insert(whole.end(), tensor.data.begin(), tensor.data.end());
                    tensor.digest = sha256(whole), tensor.agrees = tensor.digest == entry["sha256"].text;
                }
                found.push_back(std::move(tensor));
            }
        }
    return found;
}

// every tensor that is held whole, by its name; an error where a digest differs
inline std::map<std::string, Tensor> read(const std::string &folder, const std::string &suite) {
    std::map<std::string, Tensor> found;
    for (Tensor &tensor : tensors(folder, suite)) {
        if (tensor.sampled) continue;
        if (!tensor.agrees) throw std::runtime_error(tensor.name + ": the digest differs");
        found[tensor.name] = std::move(tensor);
    }
    return found;
}

// name, dtype, shape and data of each as a safetensors file, which `refpos verify` reads
inline void write_answers(const std::string &path, const std::vector<Tensor> &answers) {
    static const std::map<std::string, std::string> codes{
        {"float64", "F64"}, {"float32", "F32"}, {"float16", "F16"}, {"bfloat16", "BF16"}, {"int64", "I64"}};
    std::string header = "{";
    size_t end = 0;
    for (const Tensor &one : answers) {
        if (one.data.size() != bytes_of(one)) throw std::runtime_error(one.name + ": data of another size");
        header += (end || header.size() > 1 ? ",\"" : "\"") + one.name + "\":{\"dtype\":\"" + codes.at(one.dtype)
                + "\",\"shape\":[" + sizes_of(one) + "],\"data_offsets\":[" + std::to_string(end);
        header += "," + std::to_string(end += one.data.size()) + "]}";
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');  // the data begins at a multiple of 8
    std::string part = path + ".part";  // no half file where writing fails
    std::ofstream file(part, std::ios::binary);
    for (int shift = 0; shift < 64; shift += 8) file.put(static_cast<char>(uint64_t(header.size()) >> shift));
    file << header;
    for (const Tensor &one : answers)
        file.write(reinterpret_cast<const char *>(one.data.data()), static_cast<std::streamsize>(one.data.size()));
    file.close();
    if (!file || std::rename(part.c_str(), path.c_str())) throw std::runtime_error("cannot write " + path);
}

inline int run(const std::string &folder, const std::string &suite) {
    long agree = 0, differ = 0, sampled = 0;
    for (const Tensor &one : tensors(folder, suite)) {
        if (one.sampled) { sampled++; continue; }
        (one.agrees ? agree : differ)++;
        std::cout << one.name << ' ' << one.dtype << " [" << sizes_of(one) << "] " << one.digest
                  << (one.agrees ? "" : " DIFFERS") << ' '
                  << (one.data.empty() ? "empty" : last_element(one.dtype, one.data)) << '\n';
    }
    std::cout << agree << " tensors agree, " << differ << " differ, " << sampled << " are held as samples\n";
    return differ ? 1 : agree ? 0 : 2;
}

}  // namespace refpos

#ifndef REFPOS_READER_NO_MAIN
int main(int argc, char **argv) {
    try {
        if (argc != 3) throw std::runtime_error("two arguments: a folder, and the name of a suite");
        return refpos::run(argv[1], argv[2]);
    } catch (const std::exception &error) {
        std::cerr << "reader: " << error.what() << '\n';
        return 2;
    }
}
#endif

// Reads a suite of the golden corpus in JavaScript, checks the digest of every tensor, and writes answers for refpos.
//
//   import { read, tensors, write_answers } from "./reader.mjs";
//
//   const { "rope_table/dim-4/cos": cos } = read("golden", "rope_table"); // { dtype, shape, data, side }
//   write_answers("answers.safetensors", { "rope_table/dim-4/cos": { dtype: "float32", shape: [2, 2], data } });
//
// `data` is a Buffer of the elements in C order, the least significant byte first. As a program:
//
//   node reader.mjs golden rope
//
// prints a line for each tensor: its name, dtype, shape, sha256, and its last element (as the bits of a double, or an
// integer). Ends with 0 where every digest agrees, 1 where one differs, 2 where nothing could be read.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SIZES = { float64: 8, float32: 4, float16: 2, bfloat16: 2, int64: 8 };

function payloads(path) {
  if (!existsSync(path)) return {}; // where every tensor is small
  const data = readFileSync(path);
  const start = 8 + Number(data.readBigUInt64LE(0));
  const header = JSON.parse(data.toString("utf8", 8, start));
  const names = Object.keys(header).filter((name) => name !== "__metadata__");
  const part = (name) => data.subarray(...header[name].data_offsets.map((offset) => start + offset));
  return Object.fromEntries(names.map((name) => [name, part(name)]));
}

// the bytes of a tensor in C order, the least significant first
function littleEndian(tensor, payload) {
  if ("payload" in tensor) return payload[tensor.payload];
  return Buffer.concat(tensor.bits.map((digits) => Buffer.from(digits, "hex").reverse()));
}

// every float16 and bfloat16 is a double
function number(dtype, bytes) {
  if (dtype === "int64") return bytes.readBigInt64LE(0);
  if (dtype === "float64") return bytes.readDoubleLE(0);
  if (dtype === "float32") return bytes.readFloatLE(0);
  const bits = bytes.readUInt16LE(0);
  if (dtype === "bfloat16") return Buffer.concat([Buffer.alloc(2), bytes]).readFloatLE(0); // the upper half of a float
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const special = fraction ? NaN : Infinity;
  const size = exponent === 31 ? special : exponent ? (fraction + 1024) * 2 ** (exponent - 25) : fraction * 2 ** -24;
  return bits >> 15 ? -size : size;
}

function shown(value) {
  if (typeof value === "bigint") return String(value);
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return Number.isNaN(value) ? "nan" : bytes.toString("hex");
}

// every tensor of a suite: { name, side, dtype, shape, data, digest, agrees }; data is null where a sample is held
export function* tensors(folder, suite) {
  const payload = payloads(`${folder}/${suite}.safetensors`);
  for (const one of JSON.parse(readFileSync(`${folder}/${suite}.json`, "utf8")).cases)
    for (const side of ["inputs", "outputs"])
      for (const [output, tensor] of Object.entries(one[side] ?? {})) {
        const { dtype, shape } = tensor;
        const found = { name: `${one.id}/${output}`, side, dtype, shape, data: null };
        if (!("sample" in tensor)) {
          found.data = littleEndian(tensor, payload);
          const [count, size] = [shape.reduce((product, n) => product * n, 1), SIZES[dtype]];
          if (found.data.length !== count * size)
            throw new Error(`${found.name}: ${found.data.length} bytes for the shape [${shape}]`);
          const digest = createHash("sha256").update(`${dtype}\0${shape.join(",")}\0`).update(found.data).digest("hex");
          Object.assign(found, { digest, agrees: digest === tensor.sha256 });
        }
        yield found;
      }
}

// { name: tensor } of every tensor that is held whole; an error where a digest differs
export function read(folder, suite) {
  const found = {};
  for (const tensor of tensors(folder, suite)) {
    if (tensor.data === null) continue;
    if (!tensor.agrees) throw new Error(`${tensor.name}: the digest differs`);
    found[tensor.name] = tensor;
  }
  return found;
}

// { name: { dtype, shape, data } } as a safetensors file, which `refpos verify` reads
export function write_answers(path, answers) {
  const codes = { float64: "F64", float32: "F32", float16: "F16", bfloat16: "BF16", int64: "I64" };
  const [header, parts] = [{}, []];
  let end = 0;
  for (const [name, { dtype, shape, data }] of Object.entries(answers)) {
    if (!(dtype in codes)) throw new Error(`${name}: dtype must be one of ${Object.keys(codes)}, got ${dtype}`);
    const size = shape.reduce((product, n) => product * n, SIZES[dtype]);
    if (data.length !== size) throw new Error(`${name}: data must have ${size} bytes, got ${data.length}`);
    header[name] = { dtype: codes[dtype], shape, data_offsets: [end, (end += size)] };
    parts.push(data);
  }
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([text, Buffer.alloc(-text.length & 7, " ")]); // the data begins at a multiple of 8
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  writeFileSync(`${path}.part`, Buffer.concat([length, padded, ...parts])); // no half file where writing fails
  renameSync(`${path}.part`, path);
}

function main(folder, suite) {
  const counts = { agree: 0, differ: 0, sampled: 0 };
  for (const { name, dtype, shape, data, digest, agrees } of tensors(folder, suite)) {
    if (data === null) {
      counts.sampled++;
      continue;
    }
    counts[agrees ? "agree" : "differ"]++;
    const last = data.length ? shown(number(dtype, data.subarray(data.length - SIZES[dtype]))) : "empty";
    console.log(`${name} ${dtype} [${shape.join(",")}] ${digest}${agrees ? "" : " DIFFERS"} ${last}`);
  }
  console.log(`${counts.agree} tensors agree, ${counts.differ} differ, ${counts.sampled} are held as samples`);
  return counts.differ ? 1 : counts.agree ? 0 : 2;
}

if (process.argv[1] && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url)))
  try {
    process.exitCode = main(process.argv[2], process.argv[3]);
  } catch (error) {
    console.error(`reader: ${error.message}`);
    process.exitCode = 2;
  }

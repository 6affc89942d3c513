// Reads a suite of the golden corpus in JavaScript, and checks the digest of every tensor.
//
//   node reader.mjs golden rope
//
// A line for each tensor: its name, dtype, shape, sha256, and its last element (as the bits of a double, or a whole
// number). Ends with 0 where every digest agrees, 1 where one differs, 2 where nothing could be read.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";

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

function* tensors(folder, suite) {
  const payload = payloads(`${folder}/${suite}.safetensors`);
  for (const one of JSON.parse(readFileSync(`${folder}/${suite}.json`, "utf8")).cases)
    for (const [name, tensor] of Object.entries({ ...one.inputs, ...one.outputs }))
      yield [`${one.id}/${name}`, tensor, "sample" in tensor ? null : littleEndian(tensor, payload)];
}

function main(folder, suite) {
  const counts = { agree: 0, differ: 0, sampled: 0 };
  for (const [name, tensor, data] of tensors(folder, suite)) {
    if (data === null) {
      counts.sampled++;
      continue;
    }
    const [shape, size] = [tensor.shape.join(","), SIZES[tensor.dtype]];
    const count = tensor.shape.reduce((product, n) => product * n, 1);
    if (data.length !== count * size) throw new Error(`${name}: ${data.length} bytes for the shape [${shape}]`);
    const digest = createHash("sha256").update(`${tensor.dtype}\0${shape}\0`).update(data).digest("hex");
    const same = digest === tensor.sha256;
    counts[same ? "agree" : "differ"]++;
    const last = count ? shown(number(tensor.dtype, data.subarray(data.length - size))) : "empty";
    console.log(`${name} ${tensor.dtype} [${shape}] ${digest}${same ? "" : " DIFFERS"} ${last}`);
  }
  console.log(`${counts.agree} tensors agree, ${counts.differ} differ, ${counts.sampled} are held as samples`);
  return counts.differ ? 1 : counts.agree ? 0 : 2;
}

try {
  process.exitCode = main(process.argv[2], process.argv[3]);
} catch (error) {
  console.error(`reader: ${error.message}`);
  process.exitCode = 2;
}

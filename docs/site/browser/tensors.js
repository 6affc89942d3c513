// Tensors of npz and safetensors files, from their bytes: a Map of names to { dtype, shape, data }, or to { why } for
// one that cannot be read. `data` is a Uint8Array of the elements in C order, the least significant byte first. A file
// that is unusable as a whole is a FileError.

(function (global) {
  "use strict";

  const SIZES = {
    float64: 8,
    float32: 4,
    float16: 2,
    bfloat16: 2,
    bool: 1,
    int8: 1,
    int16: 2,
    int32: 4,
    int64: 8,
    uint8: 1,
    uint16: 2,
    uint32: 4,
    uint64: 8,
  };
  const SAFETENSORS = {
    F64: "float64",
    F32: "float32",
    F16: "float16",
    BF16: "bfloat16",
    BOOL: "bool",
    I8: "int8",
    I16: "int16",
    I32: "int32",
    I64: "int64",
    U8: "uint8",
    U16: "uint16",
    U32: "uint32",
    U64: "uint64",
  };
  const NPY = {
    f8: "float64",
    f4: "float32",
    f2: "float16",
    V2: "bfloat16",
    b1: "bool",
    i1: "int8",
    i2: "int16",
    i4: "int32",
    i8: "int64",
    u1: "uint8",
    u2: "uint16",
    u4: "uint32",
    u8: "uint64",
  };
  const MOST_DIMENSIONS = 32;
  const LARGEST_TENSOR = 2 ** 28; // bytes: a page has less room than refpos verify, and the starter cases are small

  class FileError extends Error {}

  function refuse(expected, received) {
    throw new FileError(`the file must ${expected}, got ${received}`);
  }

  function count(shape) {
    return shape.reduce((product, size) => product * size, 1);
  }

  function isShape(shape) {
    const sizes = Array.isArray(shape) && shape.every((size) => Number.isSafeInteger(size) && size >= 0);
    return sizes && shape.length <= MOST_DIMENSIONS && count(shape) <= LARGEST_TENSOR;
  }

  function view(bytes) {
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  // -- safetensors ----------------------------------------------------------------------------------------------------

  function readSafetensors(bytes) {
    const length = bytes.length < 8 ? Infinity : Number(view(bytes).getBigUint64(0, true));
    if (length > bytes.length - 8) refuse("be an npz or a safetensors file", `${bytes.length} bytes of neither`);
    let header;
    try {
      header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, 8 + length)));
    } catch {
      header = null;
    }
    if (header === null || typeof header !== "object" || Array.isArray(header))
      refuse("have a JSON object as its safetensors header", "something else");
    const room = bytes.subarray(8 + length);
    const names = Object.keys(header).filter((name) => name !== "__metadata__");
    return new Map(names.map((name) => [name, safetensor(header[name], room)]));
  }

  function safetensor(entry, room) {
    const { dtype: code, shape, data_offsets: offsets } = entry ?? {};
    const dtype = Object.hasOwn(SAFETENSORS, code) ? SAFETENSORS[code] : null;
    if (dtype === null)
      return { why: `expected one of ${Object.keys(SAFETENSORS).join(", ")}, got dtype ${shown(code)}` };
    if (!isShape(shape)) return { why: `expected a shape of sizes, got ${shown(shape)}` };
    const isRange = Array.isArray(offsets) && offsets.length === 2 && offsets.every(Number.isSafeInteger);
    const [start, stop] = isRange ? offsets : [0, -1];
    const size = count(shape) * SIZES[dtype];
    if (start < 0 || stop - start !== size || stop > room.length)
      return { why: `expected data_offsets of ${size} bytes in ${room.length}, got ${shown(offsets)}` };
    return { dtype, shape, data: room.subarray(start, stop) };
  }

  function shown(value) {
    const text = JSON.stringify(value) ?? "nothing";
    return text.length > 60 ? `${text.slice(0, 60)} ...` : text;
  }

  // -- npz ------------------------------------------------------------------------------------------------------------

  async function readNpz(bytes) {
    const tensors = new Map();
    for (const member of members(bytes)) {
      if (!member.name.endsWith(".npy")) refuse("have members that end in .npy", shown(member.name));
      const name = member.name.slice(0, -4);
      if (tensors.has(name)) refuse("name each tensor once", `${shown(name)} twice`);
      tensors.set(name, await tensorOf(member));
    }
    return tensors;
  }

  async function tensorOf(member) {
    try {
      return npy(await content(member));
    } catch (error) {
      return {
        why: error instanceof FileError ? error.message : "expected a whole member of a zip archive, got a damaged one",
      };
    }
  }

  // { name, method, size, packed, crc } of each member, as the central directory at the end of the archive has them
  function members(bytes) {
    const data = view(bytes);
    let end = bytes.length - 22;
    while (end >= 0 && end > bytes.length - 65_557 && data.getUint32(end, true) !== 0x06054b50) end--;
    if (end < 0 || data.getUint32(end, true) !== 0x06054b50) refuse("be a whole zip archive", "one that is cut");
    const entries = [];
    try {
      let at = data.getUint32(end + 16, true);
      for (let left = data.getUint16(end + 10, true); left > 0; left--) {
        if (data.getUint32(at, true) !== 0x02014b50) throw new RangeError();
        const [nameLength, extra, comment] = [28, 30, 32].map((k) => data.getUint16(at + k, true));
        const head = data.getUint32(at + 42, true);
        const start = head + 30 + data.getUint16(head + 26, true) + data.getUint16(head + 28, true);
        const packedSize = data.getUint32(at + 20, true);
        if (data.getUint32(head, true) !== 0x04034b50 || start + packedSize > bytes.length) throw new RangeError();
        entries.push({
          name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)),
          isEncrypted: (data.getUint16(at + 8, true) & 1) === 1,
          method: data.getUint16(at + 10, true),
          crc: data.getUint32(at + 16, true),
          size: data.getUint32(at + 24, true),
          packed: bytes.subarray(start, start + packedSize),
        });
        at += 46 + nameLength + extra + comment;
      }
    } catch {
      refuse("be a whole zip archive", "one that is damaged");
    }
    return entries;
  }

  // the bytes of a member; no more than it says it has are made of what is packed
  async function content({ isEncrypted, method, size, packed, crc }) {
    if (isEncrypted || (method !== 0 && method !== 8)) refuse("be stored or deflated", `method ${method}`);
    if (size > LARGEST_TENSOR) refuse(`have members of at most ${LARGEST_TENSOR} bytes`, size);
    const made = method === 0 ? packed : await inflated(packed, size);
    if (made.length !== size || checksum(made) !== crc)
      refuse("have members as long as it says, with their checksum", "others");
    return made;
  }

  async function inflated(packed, size) {
    const made = new Uint8Array(size);
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    let at = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (at + part.value.length > size) {
        await reader.cancel();
        refuse(`have ${size} bytes in a member, as it says`, "more");
      }
      made.set(part.value, at);
      at += part.value.length;
    }
    return made.subarray(0, at);
  }

  // CRC-32 of ISO 3309, which zip stores
  function checksum(bytes) {
    let crc = -1;
    for (const byte of bytes) {
      crc ^= byte;
      for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc >>> 0;
  }

  // -- npy ------------------------------------------------------------------------------------------------------------

  const FIELD = /\s*'(descr|fortran_order|shape)'\s*:\s*('[^'\\]*'|\([0-9,\s]*\)|\w+)\s*(?:,|(?=\}))/g;

  function npy(bytes) {
    const isNpy = bytes.length > 12 && String.fromCharCode(...bytes.subarray(0, 6)) === "\x93NUMPY";
    const width = isNpy ? { 1: 2, 2: 4, 3: 4 }[bytes[6]] : undefined;
    if (width === undefined) refuse("hold npy of version 1, 2 or 3", "other bytes");
    const length = width === 2 ? view(bytes).getUint16(8, true) : view(bytes).getUint32(8, true);
    const start = 8 + width + length;
    const { dtype, isBig, isFortran, shape } = npyHeader(new TextDecoder().decode(bytes.subarray(8 + width, start)));
    const data = bytes.slice(start);
    const size = count(shape) * SIZES[dtype];
    if (data.length !== size) refuse(`hold ${size} bytes for the shape (${shape}) and dtype ${dtype}`, data.length);
    if (isBig) for (let at = 0; at < size; at += SIZES[dtype]) data.subarray(at, at + SIZES[dtype]).reverse();
    return { dtype, shape, data: isFortran ? inCOrder(data, shape, SIZES[dtype]) : data };
  }

  function npyHeader(text) {
    const fields = Object.fromEntries([...text.matchAll(FIELD)].map((match) => [match[1], match[2]]));
    const [, order, code] = /^'([<>|])(\w+)'$/.exec(fields.descr ?? "") ?? [];
    const dtype = Object.hasOwn(NPY, code ?? "") ? NPY[code] : null;
    const sizes = /^\((.*)\)$/s
      .exec(fields.shape ?? "")?.[1]
      .split(",")
      .map((size) => size.trim())
      .filter(Boolean);
    const shape = sizes?.map(Number);
    if (dtype === null) refuse("hold numbers (pickles are never loaded)", `dtype ${fields.descr ?? "of none"}`);
    if (!isShape(shape)) refuse("have a header with descr, fortran_order and shape", shown(text.slice(0, 60)));
    return { dtype, isBig: order === ">", isFortran: fields.fortran_order === "True", shape };
  }

  // elements whose first axis runs fastest, in C order
  function inCOrder(data, shape, size) {
    const made = new Uint8Array(data.length);
    const index = shape.map(() => 0);
    const strides = shape.map((_, axis) => count(shape.slice(0, axis)));
    for (let at = 0; at < data.length; at += size) {
      const from = size * index.reduce((sum, i, axis) => sum + i * strides[axis], 0);
      made.set(data.subarray(from, from + size), at);
      for (let axis = shape.length - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) index[axis] = 0;
    }
    return made;
  }

  // -- both -----------------------------------------------------------------------------------------------------------

  async function readTensors(bytes) {
    return bytes[0] === 0x50 && bytes[1] === 0x4b ? readNpz(bytes) : readSafetensors(bytes);
  }

  // a safetensors file of { name: { dtype, shape, data } }
  function writeSafetensors(tensors) {
    const codes = Object.fromEntries(Object.entries(SAFETENSORS).map(([code, dtype]) => [dtype, code]));
    const header = {};
    let end = 0;
    for (const [name, { dtype, shape, data }] of Object.entries(tensors))
      header[name] = { dtype: codes[dtype], shape, data_offsets: [end, (end += data.length)] };
    const text = new TextEncoder().encode(JSON.stringify(header));
    const start = 8 + text.length + (-text.length & 7); // the data begins at a multiple of 8
    const made = new Uint8Array(start + end).fill(0x20, 0, start);
    view(made).setBigUint64(0, BigInt(start - 8), true);
    made.set(text, 8);
    let at = start;
    for (const { data } of Object.values(tensors)) {
      made.set(data, at);
      at += data.length;
    }
    return made;
  }

  global.refposTensors = { FileError, SIZES, count, isShape, readTensors, writeSafetensors };
})(globalThis);

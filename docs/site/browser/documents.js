// Cases of documents that `refpos generate` wrote, such as rope.json with rope.safetensors beside it, in the form of
// starter cases. A document has the largest bound of each class, not that of each element. So what meets `correct`
// or `faithful` is right, what exceeds the largest bound of every class is wrong, and `refpos verify` decides the rest.

(function (global) {
  "use strict";

  const { FileError, count, isShape, SIZES, readTensors } = global.refposTensors;
  const FORMAT = "1.1";
  const EXACT = ["correct", "faithful"]; // whose bounds are the same for every element, in ulps

  function refuse(name, expected, received) {
    throw new FileError(`${name} must ${expected}, got ${received}`);
  }

  async function sha256(...parts) {
    const digest = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // the text without the spaces between its words, and without its digest: what the digest is of
  function digested(text) {
    const compact = text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (word) => (word[0] === '"' ? word : ""));
    return compact.replace(/,"digest":"[0-9a-f]{64}"/, "");
  }

  async function parsed(name, text) {
    let held = null;
    try {
      held = JSON.parse(text);
    } catch {
      refuse(name, "be a JSON document", "something else");
    }
    if (!Array.isArray(held?.cases)) refuse(name, "be the document of a suite, such as rope.json", "none");
    if (held.format_version !== FORMAT) refuse(name, `have the format_version ${FORMAT}`, held.format_version);
    if (held.digest !== (await sha256(digested(text)))) refuse(name, "have the digest that it says", "another");
    if (held.prompt) refuse(name, "have outputs", "a prompt");
    return held;
  }

  // little-endian bytes of patterns in hexadecimal digits, the most significant first
  function bytesOf(patterns, size) {
    const made = new Uint8Array(size * patterns.length);
    patterns.forEach((digits, at) => {
      for (let k = 0; k < size; k++) made[(at + 1) * size - 1 - k] = parseInt(digits.slice(2 * k, 2 * k + 2), 16);
    });
    return made;
  }

  async function tensorOf(name, { dtype, shape, bits, payload, sha256: digest }, payloads) {
    if (!isShape(shape)) refuse(name, "have tensors of a shape that a page has room for", String(shape));
    const data = bits ? bytesOf(bits, SIZES[dtype]) : payloads.get(payload)?.data;
    if (!data) refuse(name, `be given together with ${name.replace(/json$/, "safetensors")}`, `no tensor ${payload}`);
    if (digest !== (await sha256(`${dtype}\0${shape.join(",")}\0`, data)))
      refuse(name, "have tensors with the digest that it says", `another one of ${payload ?? "its bits"}`);
    return { dtype, shape, data };
  }

  function boundsOf({ classes, resolved }, output, size) {
    const bounds = {};
    for (const [kind, limits] of Object.entries(classes)) {
      const held = Object.hasOwn(limits, output) ? output : "output";
      const [largest] = new Float64Array(bytesOf([limits[held]], 8).buffer);
      const limit = new Float64Array(size).fill(Math.min(largest, Number.MAX_VALUE));
      const isExact = EXACT.includes(kind);
      bounds[kind] = { unit: isExact ? "ulp" : "absolute", limit, resolved: isExact ? resolved[kind][held] : 0 };
    }
    return bounds;
  }

  async function caseOf(name, one, payloads) {
    const { id, about, arguments: given } = one;
    const made = { id, about, arguments: given, inputs: {}, outputs: {}, isOfDocument: true };
    for (const [label, tensor] of Object.entries(one.inputs))
      made.inputs[label] = await tensorOf(name, tensor, payloads);
    for (const [label, tensor] of Object.entries(one.outputs)) {
      const held = await tensorOf(name, tensor, payloads);
      made.outputs[label] = { ...held, bounds: boundsOf(one, label, count(tensor.shape)) };
    }
    const beside = [...Object.keys(one.inputs), ...Object.keys(one.evaluated ?? {})];
    return { ...made, beside: beside.filter((label) => !Object.hasOwn(made.outputs, label)) };
  }

  // { cases, leftOut }: without those that are refused, or of whose outputs the document has a sample
  async function readDocument(name, text, payload) {
    const held = await parsed(name, text);
    const payloads = payload ? await readTensors(payload) : new Map();
    const isWhole = ({ outputs }) => outputs && !Object.values(outputs).some(({ sample }) => sample);
    const whole = held.cases.filter(isWhole);
    const cases = [];
    for (const one of whole) cases.push(await caseOf(name, one, payloads));
    return { cases, leftOut: held.cases.length - whole.length };
  }

  // the documents among files of a folder, their cases, and the other files
  async function readFiles(files) {
    const named = new Map(files.map((file) => [file.name, file]));
    const isDocument = ({ name }) => name.endsWith(".json") && (name !== "MANIFEST.json" || files.length === 1);
    const documents = files.filter(isDocument);
    const payloads = documents.map(({ name }) => named.get(name.replace(/json$/, "safetensors")));
    const read = { cases: [], leftOut: 0 };
    for (const [k, file] of documents.entries()) {
      const bytes = payloads[k] && new Uint8Array(await payloads[k].arrayBuffer());
      const { cases, leftOut } = await readDocument(file.name, await file.text(), bytes);
      read.cases.push(...cases);
      read.leftOut += leftOut;
    }
    const others = files.filter((file) => ![...documents, ...payloads].includes(file) && file.name !== "MANIFEST.json");
    return { ...read, documents: documents.map(({ name }) => name), answers: others };
  }

  global.refposDocuments = { readDocument, readFiles };
})(globalThis);

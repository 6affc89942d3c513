// Whether answers are right, as `refpos verify` says it: units in the last place, absolute errors, and the conformance
// class that is met. docs/conformance.md explains the classes; their bounds come with the cases.

(function (global) {
  "use strict";

  const { SIZES, count } = global.refposTensors;
  // bits of a number, of its significand with the leading one, and the exponents of the smallest and largest number
  const FORMATS = {
    float64: { width: 64, precision: 53, lowest: -1074, largest: 1023 },
    float32: { width: 32, precision: 24, lowest: -149, largest: 127 },
    float16: { width: 16, precision: 11, lowest: -24, largest: 15 },
    bfloat16: { width: 16, precision: 8, lowest: -133, largest: 127 },
  };
  const FIRST = 5; // differing elements that are listed

  // -- numbers and bit patterns ---------------------------------------------------------------------------------------

  function patternsOf({ dtype, data }) {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const size = SIZES[dtype];
    const read = {
      1: (at) => BigInt(view.getUint8(at)),
      2: (at) => BigInt(view.getUint16(at, true)),
      4: (at) => BigInt(view.getUint32(at, true)),
      8: (at) => view.getBigUint64(at, true),
    }[size];
    return Array.from({ length: data.length / size }, (_, k) => read(k * size));
  }

  function infinityOf(format) {
    return (1n << BigInt(format.width - 1)) - (1n << BigInt(format.precision - 1));
  }

  function magnitudeOf(pattern, format) {
    return pattern & ((1n << BigInt(format.width - 1)) - 1n);
  }

  // the number of a pattern, as a double
  function numberOf(pattern, format) {
    const magnitude = magnitudeOf(pattern, format);
    const sign = magnitude === pattern ? 1 : -1;
    if (magnitude >= infinityOf(format)) return magnitude > infinityOf(format) ? NaN : sign * Infinity;
    const bits = BigInt(format.precision - 1);
    const exponent = Number(magnitude >> bits);
    const fraction = Number(magnitude & ((1n << bits) - 1n)) + (exponent > 0 ? 2 ** Number(bits) : 0);
    const scale = format.lowest + Math.max(exponent, 1) - 1;
    return scale < -1022 ? sign * fraction * 2 ** -1022 * 2 ** (scale + 1022) : sign * fraction * 2 ** scale; // exact
  }

  // pattern of the nearest value of the format, ties to even; and of the other neighbour of a double that lies halfway
  function narrowed(value, format) {
    const negative = Object.is(value, -0) || value < 0 ? 1n << BigInt(format.width - 1) : 0n;
    const size = Math.abs(value);
    if (Number.isNaN(value)) return [infinityOf(format) + 1n, infinityOf(format) + 1n];
    if (size === Infinity) return [negative | infinityOf(format), negative | infinityOf(format)];
    const top =
      size < 2 ** format.largest * 2 ? Math.max(exponentOf(size) - format.precision + 1, format.lowest) : Infinity;
    if (top === Infinity) return [negative | infinityOf(format), negative | infinityOf(format)];
    const quotient = size * 2 ** -top; // exact: every format that is rounded to is far from the ends of doubles
    const [below, rest] = [Math.floor(quotient), quotient - Math.floor(quotient)];
    const isUp = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
    const pattern = (steps) => BigInt(top - format.lowest) * (1n << BigInt(format.precision - 1)) + BigInt(steps);
    const nearest = negative | pattern(below + (isUp ? 1 : 0));
    return [nearest, rest === 0.5 ? negative | pattern(below + (isUp ? 0 : 1)) : nearest];
  }

  // floor(log2(size)) of a double
  function exponentOf(size) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, size);
    return Math.max((view.getUint32(0) >>> 20) - 1023, -1022);
  }

  // integers in the order of the values, both zeros on one
  function orderOf(pattern, format) {
    const magnitude = magnitudeOf(pattern, format);
    return magnitude === pattern ? magnitude : -magnitude;
  }

  function stepsBetween(one, other, format) {
    const [isNaN1, isNaN2] = [one, other].map((pattern) => magnitudeOf(pattern, format) > infinityOf(format));
    if (isNaN1 || isNaN2) return isNaN1 && isNaN2 ? 0n : null;
    const distance = orderOf(one, format) - orderOf(other, format);
    return distance < 0n ? -distance : distance;
  }

  // the decimal of fewest digits that reads back as the pattern
  function decimalOf(pattern, format) {
    const value = numberOf(pattern, format);
    if (!Number.isFinite(value) || value === 0) return Object.is(value, -0) ? "-0" : String(value);
    for (let digits = 1; digits < 17; digits++) {
      const text = Math.abs(value) < 1e-4 ? value.toExponential(digits - 1) : value.toPrecision(digits);
      const again = format.width === 64 ? (Number(text) === value ? pattern : null) : narrowed(Number(text), format)[0];
      if (again === pattern) return Math.abs(value) < 1e-4 ? text : String(Number(text));
    }
    return String(value);
  }

  // -- one output -----------------------------------------------------------------------------------------------------

  // why an answer cannot be compared with what is expected, or nothing
  function unusable(answer, expected) {
    if (answer.why) return answer.why;
    if (String(answer.shape) !== String(expected.shape) || answer.shape.length !== expected.shape.length)
      return `expected the shape (${expected.shape.join(", ")}), got (${answer.shape.join(", ")})`;
    const [have, want] = [FORMATS[answer.dtype], FORMATS[expected.dtype]];
    if (want === undefined) return /^u?int/.test(answer.dtype) ? "" : `expected integers, got ${answer.dtype}`;
    const isPattern = answer.dtype === "uint16" && want.width === 16;
    const isWider =
      have && have.precision > want.precision && have.lowest <= want.lowest && have.largest >= want.largest;
    if (isPattern || have === want || isWider) return "";
    return `expected ${expected.dtype} or a format that holds its values, got ${answer.dtype}`;
  }

  // [{ index, steps, error, actual, expected, isBeyond }] of the elements that differ; steps null for a NaN on one side
  function differences(answer, expected) {
    return FORMATS[expected.dtype] === undefined ? ofIntegers(answer, expected) : ofFloats(answer, expected);
  }

  function ofIntegers(answer, expected) {
    const values = ({ dtype, data }) => {
      const patterns = patternsOf({ dtype, data });
      return dtype.startsWith("u") ? patterns : patterns.map((one) => BigInt.asIntN(8 * SIZES[dtype], one));
    };
    const [mine, right] = [values(answer), values(expected)];
    const off = [];
    mine.forEach((value, index) => {
      if (value === right[index]) return;
      const steps = value > right[index] ? value - right[index] : right[index] - value;
      off.push({
        index,
        steps,
        error: Number(steps),
        actual: String(value),
        expected: String(right[index]),
        isBeyond: false,
      });
    });
    return off;
  }

  function ofFloats(answer, expected) {
    const format = FORMATS[expected.dtype];
    const isSame = answer.dtype === expected.dtype || answer.dtype === "uint16";
    const [mine, right] = [patternsOf(answer), patternsOf(expected)];
    const off = [];
    mine.forEach((wide, index) => {
      const [nearest, other] = isSame ? [wide, wide] : narrowed(numberOf(wide, FORMATS[answer.dtype]), format);
      const expect = right[index];
      let [pattern, steps] = [nearest, stepsBetween(nearest, expect, format)];
      const again = stepsBetween(other, expect, format);
      if (steps !== null && again !== null && again < steps) [pattern, steps] = [other, again];
      if (steps === 0n) return;
      const isInfinite = (one) => magnitudeOf(one, format) === infinityOf(format);
      const isBeyond = steps === null || isInfinite(pattern) !== isInfinite(expect);
      const error = steps === null ? Infinity : Math.abs(numberOf(pattern, format) - numberOf(expect, format));
      const [actual, right_] = [decimalOf(pattern, format), decimalOf(expect, format)];
      off.push({ index, steps, error, actual, expected: right_, isBeyond });
    });
    return off;
  }

  // { class: whether it is met } of an output; `limit` has a bound for each element, in ulps or absolute
  function classesMet(off, bounds) {
    const met = { correct: off.length === 0 };
    for (const [name, { unit, limit }] of Object.entries(bounds))
      met[name] = off.every(({ index, steps, error, isBeyond }) => {
        if (isBeyond) return false;
        if (unit === "ulp") return Number(steps) <= limit[index];
        return error <= (Number.isFinite(limit[index]) ? limit[index] : 0); // an infinite bound bounds nothing
      });
    return met;
  }

  // -- one case -------------------------------------------------------------------------------------------------------

  // { state, met, silent, elements, output, why, worst, first } of a case; answers: { output: tensor }
  function judge(one, answers, order) {
    const names = Object.keys(one.outputs);
    const missing = names.filter((name) => answers[name] === undefined);
    if (missing.length)
      return { state: "missing", why: `no tensor ${missing.map((name) => `${one.id}/${name}`).join(", ")}` };
    for (const name of names) {
      const why = unusable(answers[name], one.outputs[name]);
      if (why) return { state: "unusable", why: `${name}: ${why}` };
    }
    const judged = names.map((name) => judgeOutput(name, one.outputs[name], answers[name], order));
    // the output that meets the weakest class, or none; among equals the largest error
    const rank = ({ first }) => (first === null ? order.length : order.indexOf(first));
    const worst = judged.reduce((a, b) =>
      rank(b) > rank(a) || (rank(b) === rank(a) && b.largest > a.largest) ? b : a,
    );
    const admitted = order.filter(
      (kind) => judged.some(({ met }) => kind in met) && judged.every(({ met }) => met[kind] || met.correct),
    );
    const weakest = judged.some(({ told }) => told === null)
      ? Infinity
      : Math.max(...judged.map(({ told }) => order.indexOf(told)));
    const classes = admitted.filter((kind) => order.indexOf(kind) >= weakest);
    const shared = { output: worst.name, off: worst.off, elements: sum(judged.map(({ size }) => size)) };
    if (classes.length)
      return { ...shared, state: "met", met: classes[0], silent: sum(judged.map(({ silent }) => silent)) };
    if (admitted.length) return { ...shared, state: "untold", met: admitted[0] };
    return { ...shared, state: "differs", met: null };
  }

  function judgeOutput(name, expected, answer, order) {
    const off = differences(answer, expected);
    const met = classesMet(off, expected.bounds);
    const kinds = order.filter((kind) => met[kind]);
    // a class whose bounds would admit a wrong tensor as well is not told
    const told = kinds.find((kind) => kind === "correct" || expected.bounds[kind].resolved > 0) ?? null;
    const size = count(expected.shape);
    const silent = told === null || told === "correct" ? 0 : size - expected.bounds[told].resolved;
    const largest = off.reduce((most, { error }) => Math.max(most, error), 0);
    return { name, off, met, first: kinds[0] ?? null, told, size, silent, largest };
  }

  function sum(numbers) {
    return numbers.reduce((total, number) => total + number, 0);
  }

  // the element that is most units in the last place off; a NaN beside a number is farther than any
  function worstOf(off) {
    const steps = ({ steps: one }) => (one === null ? Infinity : Number(one));
    return off.reduce((worst, one) => (worst === null || steps(one) > steps(worst) ? one : worst), null);
  }

  function placeOf(index, shape) {
    const place = [];
    for (const size of [...shape].reverse()) {
      place.unshift(index % size);
      index = Math.floor(index / size);
    }
    return `(${place.join(", ")}${place.length === 1 ? "," : ""})`;
  }

  // { findings: [{ id, ... }], unknown: [names that belong to no case] } of all cases
  function verify(cases, order, tensors) {
    const known = new Set();
    const findings = cases.map((one) => {
      const outputs = Object.keys(one.outputs);
      const answers = {};
      for (const name of outputs) {
        const short = outputs.length === 1 ? tensors.get(one.id) : undefined;
        answers[name] = tensors.get(`${one.id}/${name}`) ?? short;
      }
      for (const name of [...outputs, ...one.beside]) known.add(`${one.id}/${name}`);
      known.add(one.id);
      return { id: one.id, ...judge(one, answers, order) };
    });
    return { findings, unknown: [...tensors.keys()].filter((name) => !known.has(name)).sort() };
  }

  global.refposCompare = { FIRST, verify, worstOf, placeOf };
})(globalThis);

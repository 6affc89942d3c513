// The page: cases and their inputs, a place to drop a file of answers, and the result of each case. Nothing leaves
// the machine.

(function (global) {
  "use strict";

  const { FileError, readTensors, writeSafetensors } = global.refposTensors;
  const { FIRST, verify, worstOf, placeOf } = global.refposCompare;
  const { readFiles } = global.refposDocuments;
  const WORDS = {
    met: "met",
    differs: "differs",
    untold: "cannot be told",
    missing: "not answered",
    unusable: "unusable",
  };

  // -- data -----------------------------------------------------------------------------------------------------------

  function bytesOf(text) {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  }

  function decoded(tensor) {
    const bounds = {};
    for (const [kind, { unit, limit, resolved }] of Object.entries(tensor.bounds ?? {}))
      bounds[kind] = { unit, resolved, limit: new Float64Array(bytesOf(limit).buffer) };
    return { ...tensor, data: bytesOf(tensor.data), bounds };
  }

  function decodedCase(one) {
    const all = (tensors) =>
      Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, decoded(tensor)]));
    return { ...one, inputs: all(one.inputs), outputs: all(one.outputs) };
  }

  function inputsOf(cases) {
    return Object.fromEntries(
      cases.flatMap(({ id, inputs }) => Object.entries(inputs).map(([name, one]) => [`${id}/${name}`, one])),
    );
  }

  // -- elements -------------------------------------------------------------------------------------------------------

  function make(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function table(head, rows) {
    const line = (cells, tag) =>
      make("tr", {}, ...cells.map((cell) => make(tag, tag === "th" ? { scope: "col" } : {}, cell)));
    return make(
      "table",
      { class: "table" },
      make("thead", {}, line(head, "th")),
      make("tbody", {}, ...rows.map((row) => line(row, "td"))),
    );
  }

  function number(value) {
    return value === null ? "NaN" : Number(value) < 1e6 ? String(value) : Number(value).toPrecision(3);
  }

  // the elements that differ, the worst one first
  function details(finding, one) {
    const shape = one.outputs[finding.output].shape;
    const worst = worstOf(finding.off);
    const first = finding.off.filter((off) => off !== worst).slice(0, FIRST);
    const row = (off) => [
      placeOf(off.index, shape),
      off.actual,
      off.expected,
      number(off.steps),
      off.error.toPrecision(3),
    ];
    const size = shape.reduce((a, b) => a * b, 1);
    const off = `${finding.off.length} of ${size} elements of ${finding.output} differ`;
    const count = `${off}; the worst one, then the first`;
    return make(
      "details",
      {},
      make("summary", {}, count),
      table(["at", "yours", "expected", "ULP", "absolute"], [worst, ...first].map(row)),
    );
  }

  function verdict(finding, one) {
    const silent = finding.silent ? `, which says nothing of ${finding.silent} of ${finding.elements} elements` : "";
    const text = {
      met: `meets ${finding.met}${silent}`,
      untold: one.isOfDocument
        ? `is within the largest bound of ${finding.met}; refpos verify has the bound of each element`
        : `meets ${finding.met}, whose bounds would admit wrong numbers as well`,
      differs: "meets no class",
      missing: finding.why,
      unusable: finding.why,
    }[finding.state];
    return make("div", {}, text, ...(finding.off?.length ? [details(finding, one)] : []));
  }

  // the id of a case, which may be broken behind the name of its suite
  function idOf({ id }) {
    const [suite, slug] = id.split("/");
    return make("code", {}, `${suite}/`, make("wbr", {}), slug);
  }

  function callOf({ id, arguments: given }) {
    return `${id.split("/")[0]}: ${JSON.stringify(given)}`;
  }

  // -- results --------------------------------------------------------------------------------------------------------

  function summary({ findings, unknown }) {
    const counts = Object.keys(WORDS).map((state) => [
      findings.filter((one) => one.state === state).length,
      WORDS[state],
    ]);
    const told = counts.filter(([count]) => count).map(([count, word]) => `${word}: ${count}`);
    if (unknown.length)
      told.push(`tensors of no case here: ${unknown.length}, such as ${unknown.slice(0, FIRST).join(", ")}`);
    return `${told.join("; ")}.`;
  }

  // right, wrong or neither, as the exit status of refpos verify has it, but for cases that are not answered
  function statusOf({ findings, unknown }) {
    const has = (...states) => findings.some(({ state }) => states.includes(state));
    if (has("differs")) return "differs";
    return has("unusable") || unknown.length || !has("met") ? "unusable" : "met";
  }

  const HEADLINES = {
    met: "Every case that is answered is right.",
    differs: "Some numbers are wrong.",
    unusable: "Not everything could be compared.",
  };

  function show(result, cases) {
    const rows = result.findings
      .map((finding, at) => [finding, cases[at]])
      .filter(([{ state }]) => state !== "missing")
      .map(([finding, one]) => [idOf(finding), WORDS[finding.state], verdict(finding, one)]);
    const failing = result.findings.some(({ state }) => state === "differs");
    const tier = cases.some((one) => one.isOfDocument) ? "" : " --tier starter";
    const command = make("code", {}, `refpos verify answers.npz${tier} --only-answered`);
    return [
      make("p", { class: "headline", "data-status": statusOf(result) }, HEADLINES[statusOf(result)]),
      make("p", {}, summary(result)),
      ...(failing ? [make("p", {}, command, " tries which mistake gives these numbers.")] : []),
      ...(rows.length ? [table(["case", "state", "class"], rows)] : []),
    ];
  }

  function refused(error) {
    const known = error instanceof FileError ? error.message : "the file must be an npz or a safetensors file";
    return [
      make("p", { class: "headline", "data-status": "unusable" }, "The file cannot be read."),
      make("p", {}, known),
    ];
  }

  async function judge(file, cases, classes) {
    const result = verify(cases, classes, await readTensors(new Uint8Array(await file.arrayBuffer())));
    return show(result, cases);
  }

  // -- the page -------------------------------------------------------------------------------------------------------

  // the cases that answers are held against, and a file of their inputs
  function listed(cases, title) {
    const save = make("a", { download: "inputs.safetensors", class: "save" }, "Save the inputs as inputs.safetensors");
    save.href = URL.createObjectURL(new Blob([writeSafetensors(inputsOf(cases))]));
    const rows = cases.map((one) => [idOf(one), one.about, make("code", {}, callOf(one)), outputsOf(one)]);
    const all = make("details", {}, make("summary", {}, title), table(["case", "about", "call", "answers"], rows));
    return [make("p", {}, save), all];
  }

  // what the page does with files: documents give the cases, another file the answers
  function taker(starter, list) {
    let held = starter.cases.map(decodedCase);
    list.replaceChildren(...listed(held, `The ${held.length} starter cases (values ${starter.values})`));
    return async (files) => {
      const { cases, leftOut, documents, answers } = await readFiles(files);
      if (answers.length > 1) throw new FileError(`one file of answers must be given, got ${answers.length}`);
      const names = documents.join(", ");
      if (documents.length) held = cases;
      if (documents.length) list.replaceChildren(...listed(held, `The ${held.length} cases of ${names}`));
      if (answers.length) return judge(answers[0], held, starter.classes);
      const more = leftOut ? ` ${leftOut} are refusals or too large for a document: refpos verify knows them.` : "";
      return [make("p", { class: "headline", "data-status": "read" }, `${held.length} cases of ${names}.${more}`)];
    };
  }

  function start(place, starter) {
    const accept = ".npz,.safetensors,.json";
    const input = make("input", { type: "file", accept, id: "answers", multiple: "" });
    const words = "Drop answers.npz or answers.safetensors here, or choose a file: ";
    const label = make("label", { for: "answers", class: "drop" }, words, input);
    const [result, list] = [make("div", { "aria-live": "polite", id: "result" }), make("div", { id: "cases" })];
    const judged = taker(starter, list);
    const take = async (files) => {
      if (!files.length) return;
      result.replaceChildren(make("p", {}, `Reading ${files.map(({ name }) => name).join(", ")} ...`));
      result.replaceChildren(...(await judged(files).catch(refused)));
    };
    input.addEventListener("click", () => (input.value = "")); // so that a file that was written again is read again
    input.addEventListener("change", () => take([...input.files]));
    for (const kind of ["dragenter", "dragover", "drop"])
      label.addEventListener(kind, (event) => event.preventDefault());
    label.addEventListener("drop", (event) => take([...event.dataTransfer.files]));
    place.replaceChildren(label, result, list);
  }

  function outputsOf({ id, outputs }) {
    const lines = Object.entries(outputs).map(
      ([name, { dtype, shape }]) => `${id}/${name}: ${dtype} (${shape.join(", ")})`,
    );
    return make("code", {}, lines.join("; "));
  }

  global.refposPage = { decodedCase, start };
  if (global.document) start(document.getElementById("refpos-verify"), global.refposStarter);
})(globalThis);

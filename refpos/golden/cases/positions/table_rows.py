"""Golden cases of the rows of a table that tokens read."""

from ...case import listed, paper, project, suite

SOURCE = project("transformers", "5.23.0", "models/roberta/modeling_roberta.py", "create_position_ids_from_input_ids")
RANDOMIZED = paper("Ruoss et al. 2023, Randomized Positional Encodings, arXiv:2305.16843, section 3")
value, refused = suite("table_rows", SOURCE)
FLAGS = ("OffByOne",)


def _hf(name, function=None):
    return project("transformers", "5.23.0", f"models/{name}/modeling_{name}.py", function)


def _lines(words):
    """A digit for each token."""
    return {"tokens": listed(tuple(map(int, "".join(words))), shape=(len(words), len(words[0])))}


#: ids of which 1 pads: none, left, right, inside, all
IDS = ("57964", "11579", "57911", "51719", "11111")
#: masks of the same kinds
MASKS = ("11111", "00111", "11100", "10101", "00000")

CASES = [
    # count
    *[
        value(slug, about, rule="count", tokens=n, flags=FLAGS, source=_hf(name), **options)
        for slug, about, name, n, options in (
            ("bert", "BERT: from 0, as long as the table", "bert", 512, {"num_rows": 512}),
            ("gpt2-past", "GPT-2: behind 5 tokens", "gpt2", 4, {"past": 5, "num_rows": 1024}),
            ("clip", "CLIP, text", "clip", 77, {"num_rows": 77}),
            ("led", "LED: the class of BART without its offset", "led", 7, {"past": 3}),
            ("blenderbot", "Blenderbot: the class of BART without its offset", "blenderbot", 6, {"num_rows": 128}),
            ("bart", "BART: two rows before the first", "bart", 7, {"offset": 2, "num_rows": 1026}),
            ("bart-past", "BART: behind 5 tokens", "bart", 3, {"offset": 2, "past": 5, "num_rows": 1026}),
            ("mbart-last", "mBART: the last row", "mbart", 1, {"offset": 2, "past": 1023, "num_rows": 1026}),
            ("yoso", "YOSO: two rows before the first, in a buffer", "yoso", 5, {"offset": 2}),
            ("xglm", "XGLM: two rows before the first of a sinusoidal table", "xglm", 6, {"offset": 2}),
            ("pegasus-x-past", "Pegasus-X: behind 3 tokens", "pegasus_x", 4, {"past": 3}),
            ("roberta-embeddings", "RoBERTa, of embeddings: from padding_idx + 1", "roberta", 5, {"offset": 2}),
            ("m2m100-embeddings", "M2M100, of embeddings, behind 3 tokens", "m2m_100", 4, {"offset": 2, "past": 3}),
            ("none", "no tokens, and a table of one row", "bert", 0, {"num_rows": 1}),
            ("far", "behind 2**53 - 3 tokens", "gpt2", 2, {"past": 2**53 - 3}),
        )
    ],
    # tokens
    *[
        value(slug, about, rule="tokens", padding_idx=padding, past=past, inputs=_lines(words), flags=FLAGS,
              source=_hf(name))
        for slug, about, name, words, padding, past in (
            ("roberta", "RoBERTa: no padding, left, right, inside, all", "roberta", IDS, 1, 0),
            ("roberta-past", "RoBERTa behind 3 tokens: padding stays at padding_idx", "roberta", IDS, 1, 3),
            ("camembert", "CamemBERT", "camembert", ("5791", "1157"), 1, 0),
            ("longformer", "Longformer", "longformer", ("5719", "9111"), 1, 0),
            ("esm", "ESM", "esm", ("05921", "11059"), 1, 0),
            ("mpnet", "MPNet", "mpnet", ("05121", "00591"), 1, 0),
            ("m2m100-past", "M2M100: behind 7 tokens", "m2m_100", ("15", "59"), 1, 7),
            ("speech-to-text", "Speech2Text", "speech_to_text", IDS, 1, 2),
            ("trocr", "TrOCR: rows of the table without its offset", "trocr", IDS, 1, 0),
            ("kosmos2", "Kosmos-2", "kosmos2", IDS, 1, 0),
            ("padding-0", "id 0 pads", "roberta", ("00579", "50709"), 0, 4),
        )
    ],
    value("tokens-flat", "one sequence without a batch", rule="tokens", padding_idx=1, flags=FLAGS,
          inputs={"tokens": listed((7, 1, 8, 9))}),
    value("tokens-batches", "ids of shape (2, 1, 3)", rule="tokens", padding_idx=2, flags=FLAGS,
          inputs={"tokens": listed((2, 7, 2, 5, 2, 9), shape=(2, 1, 3))}),
    value("tokens-full", "the last row of the table", rule="tokens", padding_idx=1, num_rows=6, flags=FLAGS,
          inputs=_lines(("5796",))),
    value("tokens-none", "no tokens", rule="tokens", padding_idx=1, inputs={"tokens": listed((), shape=(2, 0))}),
    value("tokens-large", "ids and padding of 53 bits", rule="tokens", padding_idx=2**53, flags=FLAGS,
          inputs={"tokens": listed((2**53, 2**53 - 1, -(2**63), 2**63 - 1))}),
    # mask
    *[
        value(slug, about, rule="mask", offset=2, past=past, inputs=_lines(words), flags=FLAGS, source=_hf(name))
        for slug, about, name, words, past in (
            ("opt", "OPT: masked tokens read row 1", "opt", MASKS, 0),
            ("opt-past", "OPT: counted with the cache, and cut then", "opt", MASKS, 3),
            ("opt-step", "OPT: one new token", "opt", ("00111", "11111"), 4),
            ("biogpt", "BioGPT", "biogpt", ("0111", "1101"), 1),
            ("opt-cut", "OPT: nothing new", "opt", ("01",), 2),
        )
    ],
    value("mask-no-offset", "no offset, and nothing left out", rule="mask", flags=FLAGS, inputs=_lines(("111",))),
    # clipped
    *[
        value(slug, about, rule="clipped", padding_idx=padding, num_rows=rows, past=past, inputs=_lines(words),
              flags=FLAGS, source=_hf("prophetnet", "ProphetNetPositionalEmbeddings"))
        for slug, about, words, padding, rows, past in (
            ("prophetnet", "ProphetNet: far from the end of the table", MASKS, 0, 512, 0),
            ("prophetnet-full", "ProphetNet: as many tokens as rows, so that the last is clipped", MASKS, 0, 5, 0),
            ("prophetnet-clipped", "ProphetNet: three tokens share the last row", MASKS, 1, 4, 0),
            ("prophetnet-one-row", "a table of one row", MASKS, 1, 1, 0),
            ("prophetnet-step", "ProphetNet: a step of decoding, padding_idx + length", ("1", "1"), 0, 512, 6),
            ("prophetnet-steps", "ProphetNet: several tokens in one step read one row", ("111", "011"), 2, 512, 6),
        )
    ],
    # fsmt
    *[
        value(slug, about, rule="fsmt", padding_idx=1, past=past, inputs=_lines(words), flags=FLAGS,
              source=_hf("fsmt", "SinusoidalPositionalEmbedding"))
        for slug, about, words, past in (
            ("fsmt", "FSMT", IDS, 0), ("fsmt-past", "FSMT behind 3 tokens: padding moves too", IDS, 3),
        )
    ],
    # sample
    value("sample", "rows drawn from a table of 2048", rule="sample", num_rows=2048, source=RANDOMIZED, flags=FLAGS,
          inputs={"tokens": listed((0, 3, 4, 700, 2047))}),
    value("sample-offset", "rows drawn from 1", rule="sample", offset=1, source=RANDOMIZED, flags=FLAGS,
          inputs={"tokens": listed((0, 1, 5, 9, 2, 4, 6, 8), shape=(2, 4))}),
    value("sample-all", "every row", rule="sample", num_rows=4, source=RANDOMIZED, inputs=_lines(("0123",))),
    # refusals
    refused("beyond-count", "a token more than the table has rows", "E_POSITION", "tokens", rule="count", tokens=513,
            num_rows=512),
    refused("beyond-bart", "two rows are not tokens", "E_POSITION", "tokens", rule="count", tokens=1025, offset=2,
            num_rows=1026),
    refused("beyond-past", "a step beyond the table", "E_POSITION", "tokens", rule="count", tokens=1, past=512,
            num_rows=512),
    refused("beyond-tokens", "512 rows are 510 tokens with padding_idx 1", "E_POSITION", "tokens", rule="tokens",
            padding_idx=1, num_rows=5, inputs=_lines(("5796",))),
    refused("beyond-step", "a step is not clipped", "E_POSITION", "tokens", rule="clipped", padding_idx=0, num_rows=6,
            past=5, inputs=_lines(("1",))),
    refused("beyond-sample", "a row that the table lacks", "E_POSITION", "tokens", rule="sample", num_rows=4,
            inputs={"tokens": listed((0, 4))}),
    refused("sample-order", "a sample that is not sorted", "E_POSITION", "tokens", rule="sample",
            inputs={"tokens": listed((0, 3, 2))}),
    refused("sample-repeat", "a row drawn twice", "E_POSITION", "tokens", rule="sample",
            inputs={"tokens": listed((0, 3, 3))}),
    refused("sample-negative", "a row before the table", "E_POSITION", "tokens", rule="sample",
            inputs={"tokens": listed((-1, 3))}),
    refused("mask-no-offset", "a masked token without a row", "E_POSITION", "offset", rule="mask",
            inputs=_lines(("011",))),
    refused("rule", "an unknown rule", "E_CHOICE", "rule", rule="roberta", tokens=3),
    refused("padding-none", "ids without the one that pads", "E_SIZE", "padding_idx", rule="tokens",
            inputs=_lines(("57",))),
    refused("padding-unread", "a count has no padding", "E_CHOICE", "padding_idx", rule="count", tokens=3,
            padding_idx=1),
    refused("offset-unread", "padding_idx is the offset of ids", "E_CHOICE", "offset", rule="tokens", padding_idx=1,
            offset=2, inputs=_lines(("57",))),
    refused("past-unread", "a sample has no past", "E_CHOICE", "past", rule="sample", past=2, inputs=_lines(("57",))),
    refused("past-beyond", "more in the cache than the mask has", "E_SIZE", "past", rule="mask", offset=2, past=3,
            inputs=_lines(("11",))),
    refused("rows-none", "clipped to no size", "E_SIZE", "num_rows", rule="clipped", padding_idx=0,
            inputs=_lines(("11",))),
    refused("rows-zero", "a table of no rows", "E_SIZE", "num_rows", rule="count", tokens=0, num_rows=0),
    refused("mask-values", "a mask with a 2", "E_CHOICE", "tokens", rule="mask", offset=2, inputs=_lines(("012",))),
    refused("floats", "ids that are floats", "E_DTYPE", "tokens", rule="tokens", padding_idx=1,
            inputs={"tokens": listed((1.0, 2.0), "float32")}),
    refused("count-negative", "a negative length", "E_SIZE", "tokens", rule="count", tokens=-1),
    refused("scalar", "one id without an axis", "E_SHAPE", "tokens", rule="tokens", padding_idx=1,
            inputs={"tokens": listed((7,), shape=())}),
]

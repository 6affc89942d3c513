"""What each command accepts, and the help a person reads."""

import argparse

from .._version import __version__
from . import bench, check, config, corpus, diagnose, find, listing, plot, read, show, tensors

TIERS = ("starter", "core", "extended", "full")
ENDS = "exit status: 0 all is well; 1 numbers differ; 2 something is missing or cannot be used"
ENDS_WITHOUT_NUMBERS = ENDS.replace(" 1 numbers differ;", "")


def parser():
    """The parser of the command line; every command sets `run`."""
    top = argparse.ArgumentParser(
        prog="refpos",
        description="The numerical ground truth for positional encodings: list them, write golden vectors, and verify"
        " the numbers of other code against them.",
        epilog=ENDS,
    )
    top.add_argument("--version", action="version", version=f"refpos {__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for add in (_list, _show, _find, _config, _check, _generate, _verify, _compare, _diagnose, _read, _plot, _bench):
        command = add(commands)
        command.add_argument("--json", action="store_true", help="print the result as JSON")
        command.epilog = ENDS if add in (_config, _check, _verify, _compare, _diagnose, _read) else ENDS_WITHOUT_NUMBERS
    return top


def _command(commands, name, run, summary):
    sentence = summary[0].upper() + summary[1:] + "."
    command = commands.add_parser(name, help=summary, description=sentence, allow_abbrev=False)
    command.set_defaults(run=run)
    return command


def _list(commands):
    command = _command(commands, "list", listing.list_names, "list every encoding, named model or emulation")
    kinds = ("encodings", "models", "emulations")
    what = "encodings (default), models or emulations"
    command.add_argument("what", metavar="WHAT", nargs="?", choices=kinds, default=kinds[0], help=what)
    command.add_argument("--family", metavar="NAME", help="only this family, such as rotary; of models, such as vision")
    command.add_argument("--all", action="store_true", help="describe all functions, not only those of most models")
    command.add_argument("--markdown", action="store_true", help="print it as a table in Markdown")
    return command


def _show(commands):
    what = "show one function, named model, model type, emulation, golden case, flag or class"
    command = _command(commands, "show", show.show, what)
    names = "such as rope, flux or mistral, in any case, or as people call it: 'position interpolation'; rope/ lists"
    command.add_argument("name", metavar="NAME", help=f"{names} golden cases")
    return command


def _find(commands):
    command = _command(commands, "find", find.find, "find functions, models and all else by words, best match first")
    command.add_argument(
        "words", metavar="WORDS", nargs="+", help="such as relative position bias, swin or long context"
    )
    return command


def _config(commands):
    summary = "say which encoding a model's config.json means, or whether two mean the same"
    command = _command(commands, "config", config.config, summary)
    command.add_argument("file", metavar="FILE", help="a config.json or GGUF file, or a folder that holds one")
    both = "a second one: compare their encodings part by part and layer by layer"
    command.add_argument("other", metavar="OTHER", nargs="?", help=both)
    command.add_argument("--seq-len", metavar="N", type=int, help="length of the sequence, where scalings depend on it")
    command.add_argument("--part", metavar="NAME", help="only this part, such as text or vision")
    command.add_argument("--layer-type", metavar="T", help="only this layer type, such as sliding_attention")
    command.add_argument("--layers", metavar="N", help="of two files: compare only these layers, such as 0-3,7")
    command.add_argument("--model-type", metavar="NAME", help="read the file as one of this type")
    value = "another value of a key, as rope_scaling.factor=4; the value is JSON, or text (repeatable)"
    command.add_argument("--override", metavar="KEY=VALUE", action="append", help=value)
    for name, which in (("a", "first"), ("b", "second")):
        only = f"the same for the {which} of two files"
        command.add_argument(f"--override-{name}", metavar="KEY=VALUE", action="append", help=only)
    return command


def _check(commands):
    summary = "check that a checkpoint holds the positions that its configuration says"
    command = _command(commands, "check", check.check_model, summary)
    what = "a folder with config.json and safetensors files, or a safetensors, npz, GGUF or ONNX file"
    command.add_argument("model", metavar="MODEL", help=what)
    other = "the configuration (default: config.json beside the file, or the metadata of a GGUF file)"
    command.add_argument("--config", metavar="FILE", help=other)
    command.add_argument("--model-type", metavar="NAME", help="read the configuration as one of this type")
    return _reports(command)


def _generate(commands):
    command = _command(commands, "generate", corpus.generate, "write the golden corpus into a folder")
    command.add_argument("folder", metavar="DIR", help="where to write; files that are complete are kept")
    command.add_argument(
        "--tier", choices=TIERS, default="core", help="how many cases (default: core); starter has some twenty"
    )
    command.add_argument("--suite", metavar="NAME", action="append", help="only this encoding (repeatable)")
    only = "only this case, or those of a form, as 'rope/gpt-*' (repeatable)"
    command.add_argument("--case", metavar="ID", action="append", help=only)
    command.add_argument("--dtype", metavar="NAME", help="only outputs of this format, such as float32")
    command.add_argument("--prompt", action="store_true", help="leave the outputs out: a blind exchange")
    what = (
        "json (default), npz, csv, c (a header), onnx (a model and its test data for each rotation), or the tests of"
        " operators for torch (samples of rotary_embedding), webnn (graphs) or ort-web (jsonc files)"
    )
    formats = ("json", "npz", "csv", "c", "onnx", "torch", "webnn", "ort-web")
    command.add_argument("--format", choices=formats, default="json", metavar="NAME", help=what)
    command.add_argument("--threads", metavar="N", type=int, help="how many threads (default: every core)")
    what = "compute on a Dask cluster: the address of its scheduler, or a number of processes to start here"
    command.add_argument("--dask", metavar="WHERE", help=what)
    return command


def _verify(commands):
    command = _command(commands, "verify", corpus.verify, "verify a golden folder, or the answers of other code")
    command.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a folder that generate wrote, or answers: npz, npy or safetensors, or folders of them; with --live the"
        " words of a command, best after --",
    )
    live = (
        "start PATH as a command, and verify its answers: a case a line of JSON on its input, an answer on its output"
    )
    command.add_argument("--live", action="store_true", help=live)
    command.add_argument("--timeout", metavar="S", type=float, help="with --live: seconds for an answer (default: 30)")
    command.add_argument("--suite", metavar="NAME", action="append", help="expect only this encoding (repeatable)")
    only = "expect only this case, or those of a form, as 'rope/gpt-*' (repeatable)"
    command.add_argument("--case", metavar="ID", action="append", help=only)
    command.add_argument("--dtype", metavar="NAME", help="expect only outputs of this format, such as float32")
    command.add_argument("--tier", choices=TIERS, help="expect only the cases up to this tier (default: all there are)")
    command.add_argument(
        "--conformance",
        metavar="CLASS",
        help="the class every case must meet, or a stricter one (default: any of the case)",
    )
    only = "leave out the cases that nothing answers, and say how many; one must be answered"
    command.add_argument("--only-answered", action="store_true", help=only)
    command.add_argument("--golden", metavar="DIR", help="corpus that generate wrote (default: the one in the package)")
    return _reports(command)


def _compare(commands):
    command = _command(commands, "compare", tensors.compare, "compare two files of tensors, bit by bit")
    command.add_argument("actual", metavar="A", help="what was computed: npz, npy or safetensors")
    command.add_argument("expected", metavar="B", help="what it should be")
    command.add_argument("--dtype", metavar="NAME", help="format to compare in: float64, float32, float16 or bfloat16")
    return _reports(command)


def _reports(command):
    formats = {"html": "one page with maps of the errors", "junit": "JUnit XML", "markdown": "a summary in Markdown"}
    group = command.add_argument_group("reports, written beside what is printed")
    for name, what in formats.items():
        group.add_argument(f"--{name}", metavar="FILE", help=f"write the report as {what}")
    return command


def _diagnose(commands):
    summary = "say which wrong call gives the numbers in a file"
    command = _command(commands, "diagnose", diagnose.diagnose, summary)
    command.add_argument("actual", metavar="FILE", help="what was computed: npz, npy or safetensors")
    meant = "the call that was meant, as \"rope_table(4096, inverse_frequencies(128), dtype='float32')\""
    command.add_argument("call", metavar="CALL", help=meant)
    more = "arrays that the call names: a file of tensors, or NAME=FILE (repeatable)"
    command.add_argument("--arrays", metavar="FILE", action="append", help=more)
    return _reports(command)


def _read(commands):
    summary = "measure what the numbers in a file are, and print the call that gives them"
    command = _command(commands, "read", read.read, summary)
    command.add_argument("file", metavar="FILE", help="the numbers: npz, npy or safetensors; of tables cos and sin")
    names = (
        "rope, rope_table, sinusoidal, timestep_embedding, sincos_2d, sincos_3d, sincos_grid, t5_bias, relative_bias, "
        "window_bias, t5_buckets, log_buckets, relative_rows, window_rows, irpe_rows, learned, tile_table, alibi, "
        "alibi_slopes, kerple, decay, packed_positions, table_rows, attention_mask_positions, grid_positions, "
        "attention, xl_scores, deberta_scores, relative_scores, resize_table, resize_bias or mean_of_rows"
    )
    command.add_argument("--of", metavar="NAME", required=True, help=f"what they are of: {names}")
    command.add_argument("--x", metavar="FILE", help="of rope what was rotated, of copies the table")
    more = "of scores and resized tables: what they are made of, a file of tensors, or NAME=FILE (repeatable)"
    command.add_argument("--arrays", metavar="FILE", action="append", help=more)
    more = "another input, as scale=0.125, causal=lower-right or grid=14,14 (repeatable)"
    command.add_argument("--set", metavar="NAME=VALUE", action="append", help=more)
    return command


def _plot(commands):
    command = _command(
        commands, "plot", plot.plot, "draw an encoding, a named model or a comparison (needs matplotlib)"
    )
    command.add_argument("name", metavar="NAME", help="such as rope, whisper, swin, or a picture such as scalings")
    what = "keywords of the call, as dim=64, or names, such as those of decays"
    command.add_argument("arguments", metavar="KEY=VALUE", nargs="*", default=[], help=what)
    command.add_argument("--out", metavar="FILE", help="an svg, png or pdf (default: NAME.svg)")
    command.add_argument("--theme", choices=("light", "dark"), default="light", help="ground (default: light)")
    return command


def _bench(commands):
    command = _command(commands, "bench", bench.bench, "measure how fast refpos is here, and the limit beside it")
    sizes = "small takes seconds, full minutes and 4 GB (default: small)"
    command.add_argument("--size", choices=("small", "full"), default="small", help=sizes)
    command.add_argument("--work", metavar="NAME", action="append", help="only this encoding (repeatable)")
    command.add_argument("--runs", metavar="N", type=int, help="timings of each line (default: 5 small, 9 full)")
    command.add_argument("--plot", metavar="FILE", help="draw the table into a picture too (needs matplotlib)")
    return command

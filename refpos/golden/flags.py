"""What a failure means: the mistakes a golden case can show, each with threads in which people met it."""

from typing import NamedTuple

_ISSUES = "https://github.com/{}/issues/{}"


class Flag(NamedTuple):
    """A kind of mistake."""

    kind: str
    description: str
    links: tuple


def _threads(*names):
    """owner/name#number, as an address."""
    return tuple(_ISSUES.format(*name.split("#")) for name in names)


FLAGS = {
    "NarrowAngle": Flag(
        "precision",
        "The frequency, the position or the angle was held in too few bits (a cast of inv_freq to bfloat16 or"
        " float16, an angle in"
        " TF32): right near position 0, wrong by up to 2 further on.",
        _threads(
            "huggingface/transformers#25681",
            "huggingface/transformers#29285",
            "EleutherAI/gpt-neox#1003",
            "huggingface/transformers#48428",
            "sgl-project/sglang-jax#1472",
        ),
    ),
    "LongContextInteger": Flag(
        "precision",
        "A position that the type which carried it cannot hold: above 256 in bfloat16, 2048 in float16, 2**24 in"
        " float32.",
        _threads("huggingface/transformers#26602", "huggingface/diffusers#13922", "ml-explore/mlx-lm#1076"),
    ),
    "LargeArgument": Flag(
        "precision",
        "Sine and cosine without full range reduction: fast-math or native functions that fail for large angles.",
        _threads("kekzl/imp#1325", "lablup/mlxcel#1049", "tenstorrent/tt-metal#33971", "ml-explore/mlx#4157"),
    ),
    "DoubleRounding": Flag(
        "precision",
        "A result rounded twice, as float64 to float32 to bfloat16: off by one unit where the first rounding met a"
        " tie.",
        _threads("tenstorrent/tt-metal#54528", "vllm-project/vllm#863"),
    ),
    "Cancellation": Flag(
        "precision",
        "Two products that nearly cancel: sines and cosines rounded before the subtraction leave only their rounding"
        " errors.",
        _threads("NVIDIA/TransformerEngine#1245", "KellerJordan/modded-nanogpt#39"),
    ),
    "FmaContraction": Flag(
        "precision",
        "A compiler fused x1 * c - x2 * s: the same source gives other last bits on another machine.",
        _threads("pytorch/pytorch#155423", "numpy/numpy#23523"),
    ),
    "Subnormal": Flag(
        "precision",
        "Results below the normal range, which flush-to-zero modes and native functions turn into 0.",
        _threads("intel/intel-xpu-backend-for-triton#7118"),
    ),
    "InterleavedVsHalf": Flag(
        "convention",
        "The pairs (2j, 2j+1) where (j, j + dim/2) are meant, or the reverse; or sines and cosines in the other order.",
        _threads(
            "huggingface/transformers#25199",
            "huggingface/transformers#31859",
            "huggingface/nanotron#427",
            "tensorflow/tensor2tensor#1925",
            "allenai/allennlp#2993",
        ),
    ),
    "SineCosineOrder": Flag(
        "convention",
        "Blocks of sines and cosines in the other order.",
        _threads(
            "huggingface/diffusers#1369", "tatp22/multidim-positional-encoding#20", "flashinfer-ai/flashinfer#3819"
        ),
    ),
    "Endpoint": Flag(
        "convention",
        "The frequencies base**(-i/half) where base**(-i/(half-1)) is meant, or the reverse.",
        _threads("hojonathanho/diffusion#15", "huggingface/diffusers#12791"),
    ),
    "Base": Flag(
        "convention",
        "Another base than 10000, as longer contexts use, left out or rounded.",
        _threads("paiml/aprender#2161", "osaurus-ai/vmlx-swift#225"),
    ),
    "AxisOrder": Flag(
        "convention",
        "Row and column exchanged, which a square grid does not show in its shape.",
        _threads("facebookresearch/mae#18", "facebookresearch/mae#67", "huggingface/diffusers#10877"),
    ),
    "AxisSections": Flag(
        "convention",
        "The frequencies divided among the axes in another way: in runs where the axes take turns, in sections"
        " of another order, or all by one axis. Text does not show it.",
        _threads(
            "alibaba/MNN#4133",
            "ollama/ollama#12807",
            "vllm-project/vllm-gaudi#1437",
            "sgl-project/sglang#34446",
        ),
    ),
    "NonSquare": Flag(
        "convention",
        "A rectangle read with height and width exchanged: right for squares only.",
        _threads("huggingface/transformers#41380", "pytorch/torchtitan#4244", "NVIDIA/physicsnemo#1096"),
    ),
    "HeadAxis": Flag(
        "convention",
        "The head axis read as the sequence axis, or positions of one batch row used for all.",
        _threads("ml-explore/mlx-lm#1553", "huggingface/transformers#40490"),
    ),
    "OffByOne": Flag(
        "index",
        "Positions, offsets or rows counted from the wrong start: a shift by one, a query offset left out, a"
        " forgotten leading row.",
        _threads("huggingface/transformers#19240", "huggingface/transformers#5285", "paiml/aprender#2143"),
    ),
    "Centring": Flag(
        "index",
        "Positions around another middle: floor or ceil of half an odd size, the corners of cells where their middles"
        " are meant, or no centre at all.",
        _threads("huggingface/pytorch-image-models#2692"),
    ),
    "TextResumes": Flag(
        "index",
        "Text after an image goes on from another number: after its tokens, after the larger of its sides, or after the"
        " largest position on any axis.",
        _threads("kekzl/imp#1173", "huggingface/transformers#40490", "Blaizzy/mlx-vlm#1282"),
    ),
    "PackedSequence": Flag(
        "index",
        "Positions that run on where each packed sequence starts anew, or the reverse; boundaries read from the wrong"
        " marks.",
        _threads("pytorch/torchtitan#2559", "allenai/OLMo-core#654", "tenstorrent/tt-metal#36808"),
    ),
    "ContextParallel": Flag(
        "index",
        "A rank of context parallelism with the positions of other tokens than its own, or shards put together in the"
        " order of the ranks.",
        _threads("NVIDIA/Megatron-LM#5243", "PrimeIntellect-ai/prime-rl#2392"),
    ),
    "CacheOffset": Flag(
        "index",
        "New tokens counted without those of the cache, or from another number: a second chunk or a decoded token at 0,"
        " nodes of a tree by their order, the slot for the position.",
        _threads("Blaizzy/mlx-vlm#1621", "vllm-project/vllm-ascend#5664"),
    ),
    "CompressedRow": Flag(
        "index",
        "A row that stands for a window of tokens at its number, or at another token of the window than the first; a"
        " row seen before its window is full.",
        _threads("ml-explore/mlx-lm#1189"),
    ),
    "OddDimension": Flag(
        "shape",
        "An odd width, for which code crashes or disagrees about the last channel.",
        _threads("codertimo/BERT-pytorch#78", "gc-os-ai/pyaptamer#607", "lucidrains/rotary-embedding-torch#45"),
    ),
    "PartialRotary": Flag(
        "convention",
        "rotary_dim smaller than the width: the wrong channels are rotated, or the width in place of rotary_dim in the"
        " exponent.",
        _threads("ml-explore/mlx-lm#1698", "huggingface/transformers#48652", "apple/coreai-models#66"),
    ),
    "Inverse": Flag(
        "convention",
        "The inverse rotation: the sign of the sines.",
        _threads("BrianPulfer/PapersReimplementations#9"),
    ),
    "FractionalPosition": Flag(
        "index",
        "Positions that are negative or not integers, truncated to integers or looked up in a table.",
        _threads("rasbt/LLMs-from-scratch#940", "huggingface/diffusers#13922"),
    ),
    "BucketEdge": Flag(
        "index",
        "A distance at the edge of a bucket, which a logarithm in few bits puts into the neighbour.",
        _threads("mindspore-lab/mindone#670", "huggingface/candle#727", "ml-explore/mlx-examples#113"),
    ),
    "BucketDirection": Flag(
        "convention",
        "Query minus key where key minus query is meant, or one direction where both have buckets.",
        _threads("NVIDIA/TensorRT-LLM#1343", "lucidrains/x-transformers#10"),
    ),
    "SlopeNonPowerOfTwo": Flag(
        "convention",
        "A number of heads that is not a power of two, where slopes are put together from two series or from one.",
        _threads("ml-explore/mlx#343", "huggingface/transformers#28380", "NVIDIA/TensorRT-LLM#1611"),
    ),
    "UnequalLengths": Flag(
        "index",
        "Fewer queries than keys, as in decoding with a cache: distances counted from the wrong end.",
        _threads("baichuan-inc/Baichuan2#225", "kimiyoung/transformer-xl#132"),
    ),
    "Scaling": Flag(
        "convention",
        "A scaling of the rotary frequencies left out, applied twice, or that of another rule: short sequences hide"
        " it.",
        _threads("unslothai/unsloth#6197", "NVIDIA/TensorRT-Model-Connect#399", "ggml-org/llama.cpp#8676"),
    ),
    "ScalingBoundary": Flag(
        "index",
        "A length or a frequency at the edge where a scaling changes its rule: rounded ends of a ramp or not, another"
        " largest end, long factors or a temperature from one token too early or too late.",
        _threads("vllm-project/vllm#27722", "keras-team/keras-hub#2981", "unslothai/unsloth#10681"),
    ),
    "AttentionFactor": Flag(
        "convention",
        "The factor of a scaling on cosine and sine, or on the scores, left out, applied in both places or taken from"
        " the wrong parameters.",
        _threads("vllm-project/vllm#46280", "vllm-project/vllm#48621", "ml-explore/mlx-lm#1507"),
    ),
    "QueryKeyScale": Flag(
        "convention",
        "A factor of the queries alone, or whose inverse is for the keys, given to the wrong one, to both or to none; a"
        " factor of the scores on the rotated channels only.",
        _threads("vllm-project/vllm#36880", "DAMO-NLP-SG/CLEX#1", "onnxruntime/mobius#548"),
    ),
    "AttentionScale": Flag(
        "convention",
        "Scores divided by the root of the model's width and not of a head's, not at all or twice; a bias that is"
        " scaled with them.",
        _threads(
            "aladdinpersson/Machine-Learning-Collection#65",
            "FrancescoSaverioZuppichini/ViT#1",
            "tenstorrent/tt-metal#56406",
            "mlc-ai/mlc-llm#3426",
        ),
    ),
    "AttentionMask": Flag(
        "convention",
        "A key that does not count takes part: NaN or infinity leaks through a weight of 0, a soft cap comes after the"
        " mask, a causal mask starts at the other corner; or a query without keys is NaN and not 0.",
        _threads(
            "pytorch/pytorch#101967",
            "pytorch/pytorch#103963",
            "onnx/onnx#7865",
            "ml-explore/mlx#2835",
            "Dao-AILab/flash-attention#517",
        ),
    ),
    "SequenceLength": Flag(
        "index",
        "A scaling that depends on the length of the sequence, computed for the model's length, for the longest"
        " sequence so far or for the wrong axis.",
        _threads("huggingface/transformers#25104", "vllm-project/vllm#5093", "apache/tvm#18422"),
    ),
    "Resampling": Flag(
        "convention",
        "A learned table resized by another rule: corners aligned or centres of pixels, a cubic of -1/2 or -3/4,"
        " antialiased or not, the scale as given or new / old, borders clamped or renormalised.",
        _threads(
            "ggml-org/llama.cpp#25781", "facebookresearch/dinov2#468", "jax-ml/jax#11206", "facebookresearch/dino#8"
        ),
    ),
    "EndianSwap": Flag(
        "file",
        "Bytes in the order of another machine: numbers whose two ends differ show it.",
        _threads("numpy/numpy#15179"),
    ),
}

"""Encodings one by one, as surveys of model code number them: which function or named model computes each.

docs/coverage.md counts them. A row is done where all that it names exists and `why` is empty, which says what is left,
or the reason why nothing is to be done.
"""

from typing import NamedTuple


class Listed(NamedTuple):
    """One row. ids: its numbers in the surveys, "seed" for the papers. tag: CORE, COMMON, NICHE or RESEARCH, "-" for
    the papers. names: functions of the catalogue, named models, or paths below refpos, with spaces between them."""

    ids: str
    tag: str
    what: str
    names: str
    why: str = ""


ONE_AXIS = [
    Listed("sD1 vA14", "C", "sines and cosines in turn, any base",
           "sinusoidal xlm distilbert florence2 animatediff"),
    Listed("sD2", "C", "sines, then cosines", "marian pegasus roformer informer ctrl"),
    Listed("vA15", "M", "odd widths cut off", "time_series_transformer informer"),
    Listed("sD1", "M", "normalised tables of PatchTST", "normalised_sinusoidal"),
    Listed("sD3", "C", "frequencies that end at 1/base, odd widths padded, a row of zeros", "m2m_100 nllb_moe kosmos2"),
    Listed("sD3", "C", "rows by tokens, with tokens before: fairseq", "table_rows speech_to_text"),
    Listed("sD3", "M", "rows of XGLM, FSMT, TrOCR, PEGASUS-X", "table_rows xglm fsmt trocr pegasus_x"),
    Listed("sD3", "M", "cosines first, frequencies that end at 1/base", "musicgen musicgen_melody"),
    Listed("vA13", "C", "tables of audio encoders", "whisper qwen3_omni_audio tipsv2 canary"),
    Listed("vA13", "N", "tables that begin at 1, or count backwards", "fun_asr_nano timesfm gemma4_audio"),
    Listed("sE1 sE2", "C", "rows by their number, from 0 or 2", "table_rows"),
    Listed("sE3", "C", "rows by tokens: RoBERTa", "table_rows"),
    Listed("sE4", "M", "rows by the mask: OPT, BioGPT", "table_rows"),
    Listed("sE5", "N", "rows clipped to the table: ProphetNet", "table_rows"),
    Listed("sE6", "N", "means of rows: LUKE", "mean_of_rows"),
    Listed("sE8 sE10", "N", "rows of cells and of hashed ids: TAPAS, CANINE", "cell_rows hash_rows"),
    Listed("seed", "-", "the matrix of a shift, and the binary code", "shift_matrix binary_code"),
    Listed("vM6", "R", "CAPE, of sequences and of images", "sinusoidal cape_2d"),
    Listed("vM7 vM8", "R", "drawn and skipped positions", "table_rows skipped_positions"),
]  # fmt: skip

GRIDS = [
    Listed("vA1", "C", "columns first: MAE, DiT, ViT-MAE, Granite Docling", "sincos_2d sincos_grid"),
    Listed("vA2", "C", "base size, scale and crops: DiT, PixArt, SD 3, CogView3 Plus",
           "sincos_grid coordinates.cropped"),
    Listed("vA3 sD4", "C", "rows first: V-JEPA, RT-DETR of transformers", "sincos_2d sincos_grid"),
    Listed("vA4", "M", "V-JEPA in three dimensions, uniform power", "sincos_3d"),
    Listed("vA5", "M", "CogVideoX", "sincos_3d sincos_grid"),
    Listed("vA6", "C", "frequencies that end at 1/base: big_vision, simple ViT", "sincos_2d sincos_grid"),
    Listed("vA7", "N", "sines of both axes, then cosines: timm", "sincos_grid"),
    Listed("vA8", "M", "columns outside: RT-DETR of its authors, OmDet-Turbo, MoCo v3", "sincos_grid"),
    Listed("vA9", "M", "positional-encodings in one to three dimensions", "sincos_grid"),
    Listed("vA10", "M", "VideoMAE", "sincos_grid sinusoidal"),
    Listed("vA11 vA12", "N", "Scale-MAE; the time of Kimi K2.5", "sincos_grid"),
    Listed("vJ9 vJ1", "N", "SatMAE; Audio-MAE", "joined sincos_grid"),
]  # fmt: skip

COORDINATES = [
    Listed("vC1", "C", "counts of masks: DETR, MaskFormer, OneFormer, XCiT, DAB-DETR", "masked_sine_2d"),
    Listed("vC2", "C", "half a pixel less: Deformable-DETR; boxes of proposals", "masked_sine_2d coordinate_sine"),
    Listed("vC3", "M", "SAM 2", "masked_sine_2d coordinate_sine"),
    Listed("vA16", "M", "object pointers of SAM 2", "coordinate_sine"),
    Listed("vA17", "M", "PETR, DAB-DETR, Grounding DINO", "coordinate_sine"),
    Listed("vA18", "N", "3DETR, sine and Fourier", "coordinate_sine fourier_projection"),
    Listed("sD6 sG3", "N", "BROS; relations of boxes in PP-DocLayoutV2", "coordinate_sine box_relation"),
    Listed("vD2", "M", "Gaussian features of noise levels; ESMFold2", "fourier_projection"),
    Listed("vD3", "C", "NeRF in four orders and with three factors", "fourier_bands bands"),
    Listed("vD3", "M", "the decoder of Mochi; GLIGEN", "fourier_bands"),
    Listed("vD3", "M", "mip-NeRF", "fourier_bands integrated_fourier"),
    Listed("vC4 vD4", "C", "points, boxes and grids of SAM", "fourier_projection"),
    Listed("vD5 sD5", "M", "Perceiver", "fourier_bands bands"),
    Listed("vD6", "M", "FourierEmbed and pixel bands of timm", "fourier_bands bands"),
    Listed("vD7", "N", "Aurora", "fourier_bands bands"),
    Listed("vD9 vL4", "M", "spherical harmonics", "spherical_harmonics"),
    Listed("vL1 vL2 vL3 vL5", "N", "codes of longitude and latitude", "sphere_code"),
    Listed("vL6", "N", "the equal-earth projection of GeoCLIP", "equal_earth"),
    Listed("vD11", "N", "slot attention; keypoints of SuperGlue", "soft_grid centred_points"),
]

TIMESTEPS = [
    Listed("vD1", "C", "shift 1, sines first", "timestep_embedding"),
    Listed("vD1", "C", "shift 0, cosines first", "timestep_embedding"),
    Listed("vD1", "C", "times 1000", "timestep_embedding"),
    Listed("vD1", "N", "a shift between; from one period to another", "timestep_embedding timestep_fourier"),
]

LEARNED = [
    Listed("vB1", "C", "prefix rows: ViT, DeiT, DINOv2, SigLIP; the gate of Mllama", "learned gated_table"),
    Listed("seed sD7", "N", "tables as they are; an MLP of positions", "learned mlp_positions"),
    Listed("seed", "-", "past its length", "resize_table"),
    Listed("vB2", "C", "cubic -3/4: DeiT, MAE, CLIP, BLIP",
           "vit_resize deit_resize vit_mae_resize clip_resize blip_resize"),
    Listed("vB2", "M", "linear: DPT, PVT, RADIO; corners of ViLT", "dpt_resize pvt_resize radio_resize vilt_resize"),
    Listed("vB3 vB12", "C", "antialiased, -1/2: timm, RF-DETR, FlexiViT, JAX",
           "timm_resize rf_detr_resize flexivit_resize jax_image_resize"),
    Listed("vB4", "M", "by a scale: DINO, DINOv2, TVP, V-JEPA",
           "dino_resize dinov2_original_resize dinov2_resize tvp_resize vjepa_resize"),
    Listed("vB5", "C", "linear, corners: ViT of JAX, big_vision", "jax_vit_resize big_vision_resize scipy_zoom"),
    Listed("vB6", "M", "Qwen3-VL, GLM-4V, Kimi K2.5, PaddleOCR-VL",
           "qwen3_vl_resize glm4v_resize kimi_k25_resize paddleocr_vl_resize"),
    Listed("vB7", "M", "SigLIP2, TIPSv2, Cosmos3 Edge", "siglip2_resize tipsv2_resize cosmos3_edge_resize"),
    Listed("vB8", "N", "timm NaFlexViT", "timm_naflex_resize timm_naflex_factorized_resize"),
    Listed("vB9", "M", "Hiera, SAM 2, SAM 3", "hiera_resize sam2_resize sam3_resize tile_table"),
    Listed("vB10", "M", "fractions of an image: Idefics2, SmolVLM, MiniCPM-V, NaViT", "fraction_rows"),
    Listed("vB11", "C", "rows and columns, side by side or added", "learned_axes"),
    Listed("vB11", "M", "TimeSformer; the learnable table of Cosmos",
           "timesformer_resize timesformer_time_resize cosmos_learnable"),
    Listed("sE7", "M", "boxes: LayoutLM, v2, v3, LiLT", "box_rows learned_boxes"),
    Listed("sE9", "N", "axial tables of Reformer", "learned_axes"),
    Listed("vB13", "M", "Audio Spectrogram Transformer", "ast_resize"),
    Listed("sE11", "M", "convolutions: Wav2Vec2, HuBERT, WavLM, Data2Vec", "conv_positions"),
    Listed("vB14", "N", "convolutions of images: CPVT, Twins, CoaT", "conv_positions"),
]  # fmt: skip

GRAPHS = [
    Listed("vK1", "C", "eigenvectors of Laplacians: Benchmarking GNNs", "laplacian_positions benchmarking_gnns"),
    Listed("vK2", "C", "eigenvectors of Laplacians, their eigenvalues and six normalisers: GraphGPS",
           "laplacian_positions laplacian_values graphgps"),
    Listed("vK3", "C", "random walks that return", "random_walk_positions"),
    Listed("vK4 vK5", "N", "heat kernels; electrostatics", "heat_kernel electrostatic_positions"),
    Listed("vK7 vI14", "M", "Graphormer: distances, degrees, edges on paths, the virtual node",
           "spatial_rows degree_rows path_edge_rows graphormer_bias"),
    Listed("vK8", "R", "steps to the nodes of a tree", "tree_positions"),
]  # fmt: skip

ADDING = [
    Listed("seed", "-", "x + PE, with a prefix", "add"),
    Listed("sD1", "M", "factors and roots on either side: SpeechT5, Marian, CTRL, ScaledSinusoidal", "add"),
]

DISTANCES = [
    Listed("seed", "-", "a number for each clipped distance", "relative_bias"),
    Listed("seed", "-", "Shaw's vectors on keys and values; skewing of Music Transformer",
           "relative_rows relative_scores relative_values"),
    Listed("sF1 sF3", "M", "relative keys of BERT; MCTCT", "relative_rows relative_scores"),
    Listed("sF2 sF5", "M", "Wav2Vec2-BERT, SeamlessM4T v2, SpeechT5", "relative_rows relative_scores"),
    Listed("sF4", "N", "Nezha", "relative_rows relative_scores relative_values"),
    Listed("sF6 sG10", "M", "VITS", "relative_rows relative_scores relative_values"),
    Listed("sF7", "M", "Transformer-XL", "xl_scores project_table relative_rows"),
    Listed("sF8 sG11", "M", "XLNet", "xl_scores project_table segment_rows"),
    Listed("sF9", "N", "Funnel Transformer", "xl_scores funnel_positions segment_rows"),
    Listed("sF10 vI13", "C", "Conformer", "xl_scores project_table relative_rows"),
    Listed("sF11", "M", "audio of Gemma 3n and Gemma 4", "xl_scores context_rows per_dim_scale"),
    Listed("sF12", "N", "Inkling", "relative_rows relative_scores"),
    Listed("sF14", "N", "residues of ESMFold", "relative_rows"),
]  # fmt: skip

BUCKETS = [
    Listed("sG1", "M", "LongT5, local and global; UDOP", "log_buckets global_block_ids"),
    Listed("sG1", "C", "T5 and its kin", "t5_buckets t5_bias"),
    Listed("sG2", "M", "WavLM, gated", "gated_bias"),
    Listed("sG3 vI11", "M", "LayoutLM v2 and v3, one and two dimensions", "log_buckets layout_bias"),
    Listed("sG4", "C", "DeBERTa", "deberta_scores"),
    Listed("sG5", "C", "DeBERTa v2 and v3, SEW-D", "log_buckets deberta_scores"),
    Listed("sG6", "N", "CPM-Ant", "log_buckets"),
    Listed("sG7 sG8", "N", "audio of Phi-4; Mega", "relative_bias rotary_bias"),
    Listed("sF13", "N", "ProphetNet: a bias of the hidden state, in two streams", "t5_buckets bucket_scores"),
]  # fmt: skip

DECAYS = [
    Listed("sH2 sH4", "C", "BLOOM, MPT", "alibi"),
    Listed("seed", "-", "ALiBi of lessons: clipped, slopes from 1", "alibi alibi_slopes"),
    Listed("sH3", "M", "Falcon", "alibi"),
    Listed("sH5", "N", "decays of lightning attention and RetNet", "decay decay_rates"),
    Listed("vI12", "N", "ALiBi of images: CROMA, TITAN", "alibi_2d"),
    Listed("vM2", "R", "KERPLE", "kerple"),
    Listed("vM4", "R", "Sandwich", "sandwich"),
    Listed("vM3", "R", "FIRE", "fire"),
    Listed("vM5", "R", "CoPE", "cope"),
    Listed("vM15", "N", "MLPs of distances", "distance_mlp"),
    Listed("vM14", "R", "decays by the data: ALiBi, FoX, Cable; DAPE; Abacus", "forget_gate dape abacus_positions"),
    Listed("vM13", "R", "HoPE: high frequencies alone", "high_frequencies"),
]

WINDOWS = [
    Listed("vI1", "C", "Swin, CLAP, Donut, MaskFormer", "window_rows window_bias"),
    Listed("vI2", "C", "BEiT, Data2Vec: three class rows", "window_rows window_bias"),
    Listed("vI1 vI2", "M", "their tables at another size", "resize_bias"),
    Listed("vI3", "C", "Swin v2: coordinates as logarithms, and their network", "log_coordinates distance_mlp"),
    Listed("vI4 vI5", "M", "MaxViT, CoAtNet, LeViT, TinyViT", "window_rows window_bias"),
    Listed("vI6", "C", "decomposed: MViT v2, ViTDet, SAM", "decomposed_rows decomposed_scores"),
    Listed("vI7", "N", "BoTNet, HaloNet, lambda layers", "relative_rows decomposed_scores window_rows"),
    Listed("vI8", "N", "ConViT", "convit_attention convit_start"),
    Listed("vI9", "N", "iRPE on queries, keys and values", "irpe_rows relative_scores relative_values"),
    Listed("vI10", "N", "CrossFormer", "distance_mlp window_bias"),
]

ATTENTION = [
    Listed("seed", "-", "attention with each encoding", "attention"),
    Listed("seed", "-", "what papers claim", "claims"),
    Listed("seed", "-", "pictures of it", "plots"),
    Listed("vM10 vM11", "M", "two or three scores in one: ReRoPE, self-extend, dual chunks",
           "rerope_positions self_extend_positions dual_chunk_positions merge_scores merge_outputs"),
]  # fmt: skip

GENOMICS = [
    Listed("sF15", "M", "Enformer: exponentials, masks, gamma", "distance_features"),
    Listed("sF16 sF17", "N", "masks of Borzoi and AlphaGenome", "distance_features"),
    Listed("sA16", "N", "frequencies of AlphaGenome", "offset_geometric"),
    Listed("sF18", "N", "Hyena", "hyena_features exponential_modulation"),
]

TIME = [
    Listed("vJ3 vJ4", "C", "features of the calendar: GluonTS, Informer", "calendar_features calendar_rows"),
    Listed("vJ5", "M", "fixed temporal tables: Informer", "fixed_temporal calendar_rows"),
    Listed("vJ6", "M", "sine and cosine of a period", "periodic"),
    Listed("vJ7 vJ8", "M", "Time2Vec; TGAT", "time2vec functional_time"),
    Listed("seed", "-", "frames of a signal, patches of a spectrogram: AST", "frames audio_patches"),
]

#: part, heading, how many rows it has, rows
LISTS = [
    ("absolute", "Positions of one axis", 19, ONE_AXIS),
    ("absolute", "Grids", 12, GRIDS),
    ("absolute", "Coordinates", 19, COORDINATES),
    ("absolute", "Timesteps", 4, TIMESTEPS),
    ("absolute", "Learned tables and their sizes", 20, LEARNED),
    ("absolute", "Graphs and trees", 6, GRAPHS),
    ("absolute", "Adding", 2, ADDING),
    ("absolute", "Time and sound", 5, TIME),
    ("relative", "Vectors of distances", 13, DISTANCES),
    ("relative", "Buckets", 9, BUCKETS),
    ("relative", "ALiBi and decays", 12, DECAYS),
    ("relative", "Windows and images", 10, WINDOWS),
    ("relative", "Attention", 4, ATTENTION),
    ("relative", "Genomics and long convolutions", 4, GENOMICS),
]

"""Golden cases of the positions of VideoRoPE."""

from ....case import paper, project, suite
from ._multimodal import FLAGS, STILL, VIDEO, inputs, resumes, wrong

PAPER = paper("Wei et al. 2025, VideoRoPE, arXiv:2502.05173, section 4")
REPOSITORY = project(
    "Wiselnn570/VideoRoPE", "309f5c8", "videorope-transformer/modeling_videorope.py", "get_t_scale_rope_index"
)
value, refused = suite("videorope_positions", REPOSITORY)
SQUARE = ("tvvvvvvvvt",), (), ((2, 4, 4),)

CASES = [
    *[
        value(slug, about, scale_factor=2, inputs=inputs(words, images, videos),
              flags=(*FLAGS, *resumes(words), *(("Centring",) if images or videos else ())))
        for slug, about, words, images, videos in STILL + VIDEO
    ],
    *[
        value(f"scale-{slug}", f"frames {scale} apart, 2 x 2 tokens each", scale_factor=scale, inputs=inputs(*SQUARE),
              flags=(*FLAGS, "Centring", "TextResumes"), source=PAPER)
        for slug, scale in (("zero", 0), ("half", 0.5), ("third", 1 / 3), ("large", 100000.1))
    ],
    *wrong(refused, scale_factor=2),
    refused("scale", "a negative scale", "E_NUMBER", "scale_factor", scale_factor=-2, inputs=inputs(("tt",))),
]

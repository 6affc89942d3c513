"""Timestep embeddings of diffusers and transformers beside refpos: each module in float32 (one in float64) meets its
derived class, and with another shift, order or scale none."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from diffusers.models import embeddings
from diffusers.models.transformers import transformer_skyreels_v2 as skyreels
from real_code import df, hf
from transformers import PI0Config
from transformers.models.pocket_tts.configuration_pocket_tts import PocketTTSFlowHeadConfig

import refpos
from refpos import compare, conformance

STEPS = np.array([0, 1, 2, 250, 501, 998, 999], np.float32)
FLOW = np.array([0, 0.001, 1 / 3, 0.5, 0.999, 1], np.float32)


class Reached(Exception):
    """The layer was reached."""


class Seen(torch.nn.Module):
    """Stands for the first layer of a module, keeps what comes in, and ends the call."""

    def forward(self, x):
        self.x = x
        raise Reached


def seen_by(module, layer, *arguments):
    """What the layer of that name is given when the module is called."""
    seen = Seen()
    setattr(module, layer, seen)
    with pytest.raises(Reached):
        module(*arguments)
    return seen.x


def krea2(times):
    module = df("krea2").Krea2TimestepEmbedding(256, 256)
    return seen_by(module, "linear_1", times, torch.float32)[:, 0]


def prx(times):
    seen = Seen()
    itself = SimpleNamespace(time_in=seen, time_max_period=10000, time_factor=1000.0)
    with pytest.raises(Reached):
        df("prx").PRXTransformer2DModel._compute_timestep_embedding(itself, times, torch.float32)
    return seen.x


def pocket_tts(times):
    module = hf("pocket_tts").PocketTTSTimestepEmbedding(PocketTTSFlowHeadConfig())
    return seen_by(module, "fc1", times[:, None])


def vibevoice(times):
    config = SimpleNamespace(frequency_embedding_size=256, diffusion_max_period=10000)
    return hf("vibevoice").VibeVoiceDiffusionHeadSinusoidalEmbedding(config)(times)


def ideogram4(times):
    return seen_by(df("ideogram4").Ideogram4EmbedScalar(256, (0.0, 1.0)), "mlp_in", times)


def dit(times):
    return embeddings.CombinedTimestepLabelEmbeddings(10, 64).time_proj(times)


def module(*arguments, **more):
    return embeddings.Timesteps(*arguments, **more)


#: name: real code, timesteps, and the arguments (flip, shift, scale, max_period, dim)
MODELS = {
    "ddpm": (module(128, False, 1), STEPS, (False, 1, 1, 10000, 128)),
    "sd": (module(320, True, 0), STEPS, (True, 0, 1, 10000, 320)),
    "dit": (dit, STEPS, (True, 1, 1, 10000, 256)),
    "flux": (lambda t: module(256, True, 0)(t * 1000), FLOW, (True, 0, 1000, 10000, 256)),
    "auraflow": (module(256, True, 0, 1000), FLOW, (True, 0, 1000, 10000, 256)),
    "krea2": (krea2, FLOW, (True, 0, 1000, 10000, 256)),
    "prx": (prx, FLOW, (True, 0, 1000, 10000, 256)),
    "z_image": (lambda t: df("z_image").TimestepEmbedder.timestep_embedding(t, 256), FLOW, (True, 0, 1, 10000, 256)),
    "z_image-odd": (lambda t: df("z_image").TimestepEmbedder.timestep_embedding(t, 7), FLOW, (True, 0, 1, 10000, 7)),
    "ideogram4": (ideogram4, FLOW, (False, 1, 10000, 10000, 256)),
    "audio_dit": (lambda t: df("longcat_audio_dit").AudioDiTSinusPositionEmbedding(256)(t), FLOW,
                  (False, 1, 1000, 10000, 256)),
    "rfd4": (lambda t: df("rfd4_proteina").get_rfd4_time_embedding(t, 257), FLOW, (False, 1, 2000, 2000, 257)),
    "qwen_image": (lambda t: df("qwenimage").get_timestep_embedding(t, 256, True, 0, 1000), FLOW,
                   (True, 0, 1000, 10000, 256)),
    "qwen2_5_omni": (lambda t: hf("qwen2_5_omni").SinusPositionEmbedding(256)(t), FLOW, (False, 1, 1000, 10000, 256)),
    "vibevoice": (vibevoice, STEPS, (True, 0, 1, 10000, 256)),
    "pocket_tts": (pocket_tts, FLOW, (True, 0, 1, 10000, 256)),
}  # fmt: skip
NAMES = ("flip_sin_to_cos", "downscale_freq_shift", "scale", "max_period", "dim")


def judged(theirs, times, function, arguments):
    """The report on real code in its own dtype."""
    dtype = theirs.dtype.name
    ours = refpos.catalogue.find(function).function(times, **arguments, dtype=dtype)
    limits = conformance.bounds(function, arguments, {"timesteps": times}, dtype)
    return compare(theirs, ours, bounds={name: limit["output"] for name, limit in limits.items()})


def run(code, times):
    with torch.no_grad():
        return code(torch.from_numpy(times)).numpy()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_float32_meets_its_class(name):
    code, times, values = MODELS[name]
    arguments, theirs = dict(zip(NAMES, values, strict=True)), run(code, times)
    assert theirs.dtype == np.float32 and theirs.shape == (len(times), arguments["dim"])
    assert judged(theirs, times, "timestep_embedding", arguments).classes["float32-exp-angle"].met
    wrong = {"flip_sin_to_cos": not values[0], "downscale_freq_shift": 1 - values[1], "scale": 2 * values[2],
             "max_period": 9000}  # fmt: skip
    for argument, value in wrong.items():
        assert judged(theirs, times, "timestep_embedding", {**arguments, argument: value}).met is None, argument


@pytest.mark.parametrize("dim", [2, 3, 7, 64])
@pytest.mark.parametrize("shift", [0, 0.5, 0.1, -1, 5])
@pytest.mark.parametrize("flip", [False, True])
def test_get_timestep_embedding(dim, shift, flip):
    """Every argument of the function of diffusers, odd widths and shifts beyond half of the width too."""
    for scale, period in ((1, 10000), (1000, 10000), (0.001, 100)):
        values = (flip, shift, scale, period, dim)
        theirs = embeddings.get_timestep_embedding(torch.from_numpy(STEPS), dim, *values[:4]).numpy()
        report = judged(theirs, STEPS, "timestep_embedding", dict(zip(NAMES, values, strict=True)))
        assert report.classes["float32-exp-angle"].met, values


def test_one_frequency_and_shift_1_is_nan_in_diffusers_and_refused_here():
    theirs = embeddings.get_timestep_embedding(torch.from_numpy(STEPS), 2, True, 1)
    assert torch.isnan(theirs).all()
    with pytest.raises(refpos.InputError, match="downscale_freq_shift must not be dim // 2 = 1, got 1"):
        refpos.timestep_embedding(STEPS, 2, flip_sin_to_cos=True, downscale_freq_shift=1)


def test_the_defaults_of_diffusers_are_those_of_ddpm():
    theirs = embeddings.get_timestep_embedding(torch.from_numpy(STEPS), 128).numpy()
    assert judged(theirs, STEPS, "timestep_embedding", dict(zip(NAMES, MODELS["ddpm"][2], strict=True))).met


def test_wan_in_float64():
    times = np.array([0, 1, 500, 999, 999.5])
    theirs = run(skyreels.SkyReelsV2Timesteps(256, flip_sin_to_cos=True), times)
    report = judged(theirs, times, "timestep_embedding", dict(zip(NAMES, (True, 0, 1, 10000, 256), strict=True)))
    assert theirs.dtype == np.float64 and report.classes["float64-angle"].met


def test_scale_in_the_timestep_or_in_the_angle_is_one_exact_value():
    """In float32 the two differ, and both meet the class."""
    after = run(module(256, True, 0, 1000), FLOW)
    before = run(lambda t: module(256, True, 0)(t * 1000), FLOW)
    assert not np.array_equal(before, after)
    exact = refpos.timestep_embedding(FLOW, 256, flip_sin_to_cos=True, downscale_freq_shift=0, scale=1000)
    thousand = refpos.timestep_embedding(
        FLOW.astype(np.float64) * 1000, 256, flip_sin_to_cos=True, downscale_freq_shift=0
    )
    assert np.array_equal(exact, thousand)  # these products are exact in float64


# -- between two ends -------------------------------------------------------------------------------------------------

PI0 = {"ends": "periods", "first": 0.004, "last": 4.0, "flip_sin_to_cos": False}
STABLE_AUDIO = {"ends": "frequencies", "first": 0.5, "last": 10000.0, "flip_sin_to_cos": True}


def pi0(dim):
    config = SimpleNamespace(dit_config=SimpleNamespace(hidden_size=dim), min_period=0.004, max_period=4.0)
    return hf("pi0").PI0TimestepEmbeddings(config)


def test_the_ends_are_those_of_the_configuration():
    config = PI0Config()
    assert (config.min_period, config.max_period) == (PI0["first"], PI0["last"])


@pytest.mark.parametrize("dim", [2, 4, 64, 1024])
def test_pi0_and_stable_audio(dim):
    module = df("stable_audio3").StableAudio3ExpoFourierFeatures(dim)
    for code, ends, kind in ((pi0(dim), PI0, "float32-angle"), (module, STABLE_AUDIO, "float32-exp-angle")):
        theirs, arguments = run(code, FLOW), {**ends, "dim": dim}
        assert judged(theirs, FLOW, "timestep_fourier", arguments).classes[kind].met
        other = "periods" if ends["ends"] == "frequencies" else "frequencies"
        wrong = {"ends": other, "flip_sin_to_cos": not ends["flip_sin_to_cos"], "first": 2 * ends["first"]}
        for argument, value in wrong.items():
            assert judged(theirs, FLOW, "timestep_fourier", {**arguments, argument: value}).met is None, argument

"""Calendars, Time2Vec, frames and patches beside the real code: GluonTS, pandas, AST, torch."""

import warnings
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
import torch
from gluonts import time_feature
from pandas.tseries.frequencies import to_offset
from torch import nn
from transformers import ASTConfig
from transformers.audio_utils import spectrogram as real_spectrogram
from transformers.models.audio_spectrogram_transformer.modeling_audio_spectrogram_transformer import (
    ASTEmbeddings,
    ASTPatchEmbeddings,
)

import refpos
from refpos import compare
from refpos.conformance import error_bounds
from refpos.steps.positions.calendar_features import BY_FREQUENCY, FEATURES, MEANING, read_frequency

FREQUENCIES = ("YE", "YS", "QE", "QS", "ME", "MS", "W-SUN", "W-WED", "D", "B", "h", "12h", "min", "15min", "s", "30s")
RNG = np.random.default_rng(20)
MANY = 200  # random configurations of each family


def moments(count, rng=RNG):
    """Random seconds of the years that pandas has, and the edges of years among them."""
    edges = pd.DatetimeIndex(["2020-12-31 23:59:59", "2021-01-03", "2024-02-29 23:59:59", "1999-12-31", "2000-02-29"])
    seconds = rng.integers(-5 * 10**9, 8 * 10**9, count).astype("M8[s]").astype("M8[ns]")
    return edges.append(pd.DatetimeIndex(seconds))


def quietly(make, *arguments, **named):
    """What pandas makes, without its warnings about names and types that it will drop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*arguments, **named)


def within(theirs, name, arguments, inputs=()):
    """The float64 results of others are within the bound of float64 code, and not always equal."""
    limits = error_bounds.bounds(name, arguments, dict(inputs), "float64")
    bounds = {kind: limit["output"] for kind, limit in limits.items()}
    ours = refpos.catalogue.find(name).function(**arguments, **dict(inputs))
    report = compare(np.ascontiguousarray(theirs, np.float64), ours, bounds=bounds)
    assert ours.size and report.classes["float64-angle"].met, str(report)
    return ours


# -- GluonTS and Informer ---------------------------------------------------------------------------------------------


def informer_columns(index, meaning):
    """The formula of Informer with timeenc 0, on the fields of pandas."""
    counts = {"year": 0, "month": 1, "week": 1, "day": 3, "business day": 3, "hour": 4, "minute": 5}
    columns = [index.month, index.day, index.weekday, index.hour, index.minute.map(lambda minute: minute // 15)]
    return np.stack([np.asarray(column, np.int64) for column in columns[: counts[meaning]]], -1)


def informer_features(index, meaning):
    """The formula of Informer with timeenc 1, on the fields of pandas: a quotient by the largest, and 1/2 less."""
    days = [index.dayofweek / 6.0 - 0.5, (index.day - 1) / 30.0 - 0.5, (index.dayofyear - 1) / 365.0 - 0.5]
    week = (index.isocalendar().week.to_numpy().astype(np.int64) - 1) / 52.0 - 0.5
    hour, minute = index.hour / 23.0 - 0.5, index.minute / 59.0 - 0.5
    month = [(index.month - 1) / 11.0 - 0.5]
    return np.stack({
        "quarter": month, "month": month, "week": [days[1], week], "day": days, "business day": days,
        "hour": [hour, *days], "minute": [minute, hour, *days],
        "second": [index.second / 59.0 - 0.5, minute, hour, *days],
    }[meaning], -1)  # fmt: skip


def test_gluonts_and_informer_on_random_indices():
    compared = 0
    for k in range(MANY + 40):
        frequency, rng = FREQUENCIES[k % len(FREQUENCIES)], np.random.default_rng(k)
        index = moments(int(rng.integers(1, 40)), rng)
        features = quietly(time_feature.time_features_from_frequency_str, frequency)
        meaning = read_frequency(frequency)
        names = BY_FREQUENCY[meaning]
        assert [feature.__name__ for feature in features] == list(names)
        arguments = {"times": index.to_numpy(), "frequency": frequency, "zone": None}
        if not features:
            assert refpos.absolute.calendar_features(**arguments).shape == (len(index), 0)
            continue
        theirs = np.stack([np.asarray(feature(index), np.float64) for feature in features], -1)
        within(theirs, "calendar_features", arguments)
        rows = np.stack([np.asarray(getattr(time_feature, f"{name}_index")(index), np.int64) for name in names], -1)
        assert np.array_equal(refpos.positions.calendar_rows(**arguments, rule="gluonts"), rows)
        assert np.array_equal(theirs, informer_features(index, meaning))
        if meaning not in ("quarter", "second"):
            columns = refpos.positions.calendar_rows(**arguments, rule="informer")
            assert np.array_equal(columns, informer_columns(index, meaning))
        compared += 1
    assert compared >= MANY


@pytest.mark.parametrize("frequency", ["W-SUN", "M", "Q", "D", "h", "min"])
def test_periods_of_pandas_are_read_on_their_last_day(frequency):
    index = quietly(pd.period_range, "2019-12-20", periods=60, freq=frequency)
    features = quietly(time_feature.time_features_from_frequency_str, index.freqstr)
    theirs = np.stack([np.asarray(feature(index), np.float64) for feature in features], -1)
    arguments = {"frequency": index.freqstr, "zone": None}
    ours = within(theirs, "calendar_features", {**arguments, "times": index.to_timestamp(how="end").to_numpy()})
    first = refpos.absolute.calendar_features(index.to_timestamp().to_numpy(), **arguments)
    assert np.array_equal(first, ours) == (frequency in ("D", "h", "min", "M"))


def test_every_value_of_every_feature_of_gluonts():
    """Every hour and day of eight years, and every second of an hour: all values of all features but a few days."""
    hours = pd.date_range("2019-01-01", "2026-12-31 23:00", freq="h")
    seconds = pd.date_range("2024-02-29 23:00", periods=3600, freq="s")
    for index, frequency in ((hours, "h"), (hours[::24], "W"), (hours[::24], "ME"), (seconds, "s")):
        for name in BY_FREQUENCY[read_frequency(frequency)]:
            rows = np.asarray(getattr(time_feature, f"{name}_index")(index), np.int64)
            count = FEATURES[name][2]
            if index is hours or name in ("second_of_minute", "minute_of_hour"):
                assert set(rows.tolist()) == set(range(count))
        arguments = {"times": index.to_numpy(), "frequency": frequency, "zone": None}
        features = quietly(time_feature.time_features_from_frequency_str, frequency)
        within(np.stack([np.asarray(f(index), np.float64) for f in features], -1), "calendar_features", arguments)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "+05:30", "UTC"])
def test_zones_of_pandas(zone):
    instants = pd.DatetimeIndex(RNG.integers(0, 2 * 10**9, 200).astype("M8[s]")).tz_localize("UTC")
    there = instants.tz_convert(zone)
    wanted = refpos.positions.calendar_rows(
        there.tz_localize(None).to_numpy(), rule="gluonts", frequency="s", zone=None
    )
    for times in (instants, there, instants.as_unit("s").asi8, [one.isoformat() for one in there]):
        assert np.array_equal(refpos.positions.calendar_rows(times, rule="gluonts", frequency="s", zone=zone), wanted)


def test_the_hour_that_comes_twice():
    for zone in ("Europe/Berlin", ZoneInfo("Europe/Berlin")):
        rows = refpos.positions.calendar_rows(
            ["2024-10-27T00:30Z", "2024-10-27T01:30Z"], rule="informer", frequency="h", zone=zone
        )
        assert rows[:, 3].tolist() == [2, 2]


def test_names_of_frequencies_mean_what_pandas_means():
    kinds = {"year": "Year", "quarter": "Quarter", "month": "Month", "week": "Week", "day": "Day",
             "business day": "Business", "hour": "Hour", "minute": "Minute", "second": "Second"}  # fmt: skip
    known = 0
    for alias, meaning in MEANING.items():
        try:
            offset = quietly(to_offset, alias)
        except ValueError:
            continue  # a name of an older pandas
        assert type(offset).__name__.startswith(kinds[meaning]), alias
        known += 1
    assert known >= 15


# -- sums of fixed tables ---------------------------------------------------------------------------------------------


class Fixed(nn.Module):
    """The formula of Informer's FixedEmbedding, in a dtype."""

    def __init__(self, rows, dim, dtype):
        super().__init__()
        places = torch.arange(rows, dtype=dtype)[:, None]
        steps = torch.exp(torch.arange(0, dim, 2, dtype=dtype) * -(np.log(10000.0) / dim))
        table = torch.zeros(rows, dim, dtype=dtype)
        table[:, 0::2], table[:, 1::2] = torch.sin(places * steps), torch.cos(places * steps)
        self.table = nn.Embedding(rows, dim, _weight=table)

    def forward(self, x):
        return self.table(x).detach()


@pytest.mark.parametrize(("columns", "dim"), [(4, 512), (5, 64), (5, 6)])
def test_fixed_temporal_embedding(columns, dim):
    sizes = (13, 32, 7, 24, 4)[:columns]
    first = (1, 1, 0, 0, 0)[:columns]
    rows = np.stack([RNG.integers(*ends, 300) for ends in zip(first, sizes, strict=True)], -1)
    x = torch.from_numpy(rows)
    theirs = sum(Fixed(size, dim, torch.float32)(x[:, k]) for k, size in enumerate(sizes)).numpy()
    arguments = {"dim": dim}
    ours = refpos.absolute.fixed_temporal(rows, dim, dtype="float32")
    limits = error_bounds.bounds("fixed_temporal", arguments, {"rows": rows}, "float32")
    bounds = {kind: limit["output"] for kind, limit in limits.items()}
    assert limits["float32-exp-angle"]["output"].max() < 1e-3
    assert compare(theirs, ours, bounds=bounds).classes["float32-exp-angle"].met
    month_last = refpos.absolute.fixed_temporal(np.roll(rows, 1, 1).clip(first, np.array(sizes) - 1), dim)
    assert np.abs(month_last - theirs).max() > 0.5


# -- sines of times ---------------------------------------------------------------------------------------------------


class TimeEncode(nn.Module):
    """The formula of TGAT: cosines of times at 10**-linspace(0, 9) and a phase."""

    def __init__(self, dim):
        super().__init__()
        self.frequencies = nn.Parameter(torch.from_numpy(1 / 10 ** np.linspace(0, 9, dim)).float())
        self.phase = nn.Parameter(torch.zeros(dim))

    def forward(self, times):
        return torch.cos(times[..., None] * self.frequencies + self.phase)


def meets(theirs, ours, name, arguments, inputs):
    limits = error_bounds.bounds(name, arguments, inputs, "float32")
    report = compare(theirs, ours, bounds={kind: limit["output"] for kind, limit in limits.items()})
    return report.classes["float32-angle"].met


@pytest.mark.parametrize("dim", [1, 2, 10, 100, 172])
def test_functional_time(dim):
    times = RNG.integers(0, 3000, (4, 20)).astype(np.float32)
    theirs = TimeEncode(dim)(torch.from_numpy(times)).detach().numpy()
    ours = refpos.absolute.functional_time(times, dim, dtype="float32")
    assert meets(theirs, ours, "functional_time", {"dim": dim}, {"times": times})


@pytest.mark.parametrize("kind", ["sin", "cos"])
@pytest.mark.parametrize("linear", ["first", "last", None])
def test_time2vec(linear, kind):
    weight, phase = (RNG.normal(size=9).astype(np.float32) for _ in range(2))
    t = RNG.integers(-500, 500, (3, 7)).astype(np.float32)
    sums = torch.from_numpy(t)[..., None] * torch.from_numpy(weight) + torch.from_numpy(phase)
    theirs = getattr(torch, kind)(sums)
    if linear:
        column = 0 if linear == "first" else -1
        theirs[..., column] = sums[..., column]
    arguments, inputs = {"linear": linear, "kind": kind}, {"t": t, "weight": weight, "phase": phase}
    ours = refpos.absolute.time2vec(**inputs, **arguments, dtype="float32")
    assert meets(theirs.numpy(), ours, "time2vec", arguments, inputs)


def test_time2vec_is_tgat_after_training():
    module, times = TimeEncode(16), RNG.integers(0, 300, 50).astype(np.float32)
    with torch.no_grad():
        module.phase += torch.from_numpy(RNG.normal(size=16).astype(np.float32))
    inputs = {"t": times, "weight": module.frequencies.detach().numpy(), "phase": module.phase.detach().numpy()}
    arguments = {"linear": None, "kind": "cos"}
    theirs = module(torch.from_numpy(times)).detach().numpy()
    assert meets(
        theirs, refpos.absolute.time2vec(**inputs, **arguments, dtype="float32"), "time2vec", arguments, inputs
    )


def test_periodic_beside_float32_code():
    for period in (24, 7, 12, 365.25, 60):
        x = RNG.integers(0, 1000, 100).astype(np.float32)
        angle = torch.from_numpy(x) * (2 * np.pi / period)
        theirs = torch.stack([torch.sin(angle), torch.cos(angle)], -1).numpy()
        ours = refpos.absolute.periodic(x, period, dtype="float32")
        assert meets(theirs, ours, "periodic", {"period": period}, {"x": x})


# -- frames and patches -----------------------------------------------------------------------------------------------


def test_frames_of_torch_on_random_sizes():
    """unfold, behind the padding that torch.stft and tf.signal.frame put around a signal."""
    compared = 0
    while compared < MANY:
        n, size, hop = (int(one) for one in RNG.integers(1, (60, 20, 15)))
        x = RNG.normal(size=(2, n)).astype(np.float32)
        for padding in ("none", "end", "zeros", "reflect"):
            half = size // 2
            if padding == "reflect" and half >= n:
                continue
            signal = torch.from_numpy(x)
            if padding == "end":
                signal = nn.functional.pad(signal, (0, max(0, hop * (-(-n // hop) - 1) + size - n)))
            elif padding != "none":
                mode = {"zeros": "constant", "reflect": "reflect"}[padding]
                signal = nn.functional.pad(signal[None], (half, half), mode=mode)[0]
            if signal.shape[-1] < size:
                assert refpos.absolute.frames(x, size=size, hop=hop, padding=padding).shape == (2, 0, size)
                continue
            theirs = signal.unfold(-1, size, hop)[:, : -(-n // hop) if padding == "end" else None].numpy()
            assert np.array_equal(refpos.absolute.frames(x, size=size, hop=hop, padding=padding), theirs)
            compared += 1
    assert compared >= MANY


@pytest.mark.parametrize(("center", "mode", "padding"), [(True, "reflect", "reflect"), (True, "constant", "zeros"),
                                                         (False, "reflect", "none")])  # fmt: skip
@pytest.mark.parametrize(("n", "size", "hop"), [(640, 400, 160), (999, 400, 160), (123, 25, 10)])
def test_frames_of_the_spectrogram_of_transformers(center, mode, padding, n, size, hop):
    """Sums of integers, which the first channel of a spectrum is, are exact: windowed frames, added up."""
    x, window = RNG.integers(-99, 100, n).astype(np.float64), RNG.integers(-9, 10, size).astype(np.float64)
    theirs = real_spectrogram(x, window, size, hop, fft_length=512, power=1, center=center, pad_mode=mode)
    ours = refpos.absolute.frames(x, size=size, hop=hop, padding=padding)
    assert ours.size and np.array_equal(theirs[0], np.abs(ours @ window))


def test_stft_of_torch_has_the_same_frames():
    for n, size, hop in ((160, 16, 10), (161, 16, 10), (169, 16, 10), (170, 15, 4)):
        x, window = (torch.from_numpy(RNG.integers(-99, 100, count).astype(np.float64)) for count in (n, size))
        theirs = torch.stft(x, size, hop, window=window, center=True, return_complex=True)[0].real.numpy()
        ours = refpos.absolute.frames(x.numpy(), size=size, hop=hop, padding="reflect")
        assert ours.size and np.array_equal(theirs, ours @ window.numpy())


def test_patches_of_the_audio_spectrogram_transformer_on_random_sizes():
    """Integers as inputs and weights, of which every sum is exact: the tokens of the real module, bit for bit."""
    config = ASTConfig(hidden_size=4, num_attention_heads=2)
    for k in range(MANY):
        rng = np.random.default_rng(k)
        patch, stride_f, stride_t = (int(one) for one in rng.integers(1, (6, 5, 5)))
        times, bins = (int(one) for one in patch + rng.integers(0, 14, 2))
        config.patch_size, config.frequency_stride, config.time_stride = patch, stride_f, stride_t
        config.max_length, config.num_mel_bins = times, bins
        module = ASTPatchEmbeddings(config)
        weight = rng.integers(-4, 5, (4, 1, patch, patch)).astype(np.float32)
        module.projection.weight.data, module.projection.bias.data = torch.from_numpy(weight), torch.zeros(4)
        x = rng.integers(-9, 10, (2, times, bins)).astype(np.float32)
        theirs = module(torch.from_numpy(x)).detach().numpy()
        patches = refpos.absolute.audio_patches(x, outer="frequency", size=patch, stride=(stride_f, stride_t))
        assert np.array_equal(patches @ weight.reshape(4, -1).T, theirs)
        high, wide = ASTEmbeddings.get_shape(None, config)
        assert high * wide == len(patches[0]) == theirs.shape[1]


def test_time_outer_is_the_convolution_of_the_spectrogram_as_it_is():
    """As Audio-MAE embeds it: (times, frequencies) without a turn."""
    x, weight = RNG.integers(-9, 10, (1, 1, 40, 24)), RNG.integers(-4, 5, (3, 1, 8, 8))
    theirs = nn.functional.conv2d(torch.from_numpy(x), torch.from_numpy(weight), stride=8).flatten(2).transpose(1, 2)
    patches = refpos.absolute.audio_patches(x[0].astype(np.float64), outer="time", size=8, stride=8)
    assert np.array_equal(patches @ weight.reshape(3, -1).T, theirs.numpy())
    turned = refpos.absolute.audio_patches(x[0].astype(np.float64), outer="frequency", size=8, stride=8)
    assert not np.array_equal(turned @ weight.reshape(3, -1).T, theirs.numpy())

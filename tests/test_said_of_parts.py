"""What is said of numbers of which a part is right: the wrong output, head, query, axis or term alone, and nothing that
is not true of each element.

The numbers are those of NumPy programs of the papers' formulas, which import nothing of refpos."""

import numpy as np
import pytest

import refpos

RNG = np.random.default_rng(25)
POSITIONS = np.arange(60)[:, None]
INV_FREQ = 1e4 ** (-np.arange(0, 64, 2) / 64)
FREQUENCIES = refpos.inverse_frequencies(64)


def said(y, function, *given, **named):
    """The first explanation of numbers that are wrong."""
    found = refpos.diagnose(y, function, *given, **named)
    assert found.met is None
    return found.explanations[0]


def table(angles):
    return np.cos(angles).astype("f4"), np.sin(angles).astype("f4")


# -- frequencies and positions ----------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_frequencies_a_little_off_are_measured():
    learned = INV_FREQ * (1 + 0.01 * RNG.random(32))
    found = said(table(POSITIONS * learned), refpos.rope_table, 60, FREQUENCIES)
    assert found.computed.startswith(f"frequencies {learned[0]:.6g}, {learned[1]:.6g}, ") and not found.met


def test_frequencies_of_powers_in_bfloat16_are_measured():
    exponents = np.arange(0, 64, 2) / 64
    powers = (np.float32(1e4**exponents).view("u4") + 0x8000 & 0xFFFF0000).view("f4")
    found = said(table(POSITIONS * (1 / powers.astype("f8"))), refpos.rope_table, 60, FREQUENCIES)
    assert "asked for, with larger errors" not in found.computed and found.computed.startswith("frequenc")


def test_frequencies_of_some_pairs_are_said_with_these_pairs():
    proportional = refpos.proportional(64, partial_rotary_factor=0.25)
    found = said(table(POSITIONS * (INV_FREQ * (np.arange(32) >= 24))), refpos.rope_table, 60, proportional)
    assert "frequency 0 of pairs 0..7 (asked frequencies 1, 0.749894" in found.computed
    assert "of pairs 24..31 (asked frequency 0)" in found.computed and "not rotated" not in found.computed


# -- one of two outputs -----------------------------------------------------------------------------------------------

COS, SIN = table(POSITIONS * INV_FREQ)
ONE_OUTPUT = {
    "cos times 1.2": (np.float32(1.2) * COS, SIN),
    "sin times 0.5": (COS, SIN / 2),
    "cos: positions + 1": (table((POSITIONS + 1) * INV_FREQ)[0], SIN),
    "sin: base=500000": (COS, table(POSITIONS * 5e5 ** (-np.arange(0, 64, 2) / 64))[1]),
}


@pytest.mark.parametrize("words", ONE_OUTPUT)
def test_the_output_that_is_wrong_is_said_alone(words):
    found = said(ONE_OUTPUT[words], refpos.rope_table, 60, FREQUENCIES)
    assert found.computed.startswith(words) and found.met


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_cosines_of_another_position_are_said_alone(dtype):
    y = np.stack([np.sin(POSITIONS * INV_FREQ), np.cos((POSITIONS + 1) * INV_FREQ)], -1).reshape(60, 64)
    found = said(y.astype(dtype), refpos.sinusoidal, 60, 64)
    assert found.computed == "the cosines alone: positions + 1" and found.met


@pytest.mark.exhaustive
def test_heads_of_a_part_keep_their_numbers():
    x = RNG.normal(size=(1, 3, 40, 64)).astype("f4")
    first, second = x[..., :32], x[..., 32:]
    inv_freq = np.array([1e4, 1e5, 1e6])[:, None] ** (-np.arange(32) / 32)
    angles = np.arange(40)[:, None] * inv_freq[None, :, None]
    y = np.concatenate([first * np.cos(angles) - second * np.sin(angles),
                        second * np.cos(angles) + first * np.sin(angles)], -1)  # fmt: skip
    found = said(y.astype("f4"), refpos.rope, x, 40, pairing="half")
    assert found.met and "head 1: base=100000" in found.computed and "head 2: base=1000000" in found.computed


# -- rows of a table --------------------------------------------------------------------------------------------------


def t5_rows(distances):
    """Buckets of T5, both directions, 32 buckets, max_distance 128."""
    size = np.abs(distances)
    far = 8 + np.floor(np.log(np.maximum(size, 1) / 8) / np.log(16) * 8 + 1e-9).astype(int)
    return 16 * (distances > 0) + np.where(size < 8, size, np.minimum(far, 15))


WEIGHT = RNG.normal(size=(32, 6)).astype("f4")
AWAY = np.arange(30) - np.arange(30)[:, None]


def test_a_rule_that_leaves_out_more_than_differs_is_not_said():
    rows = t5_rows(AWAY)
    rows[29] = t5_rows(-AWAY[29])
    found = said(WEIGHT[rows].transpose(2, 0, 1), refpos.t5_bias, WEIGHT, 30, 30, bidirectional=True)
    assert found.computed.startswith("query 29 alone: the sides exchanged: query - key") and not found.met


def test_the_row_of_one_key_is_said():
    rows = t5_rows(AWAY)
    rows[:, 0] = 31
    found = said(WEIGHT[rows].transpose(2, 0, 1), refpos.t5_bias, WEIGHT, 30, 30, bidirectional=True)
    assert found.computed == "key 0 alone: row 31"


# -- parts of scores --------------------------------------------------------------------------------------------------

Q, K = RNG.normal(size=(2, 1, 4, 20, 32))
KEYS, QUERIES = RNG.normal(size=(2, 4, 16, 32))
ROWS = np.clip(np.arange(20)[:, None] - np.arange(20) + 8, 0, 15)
U, V = RNG.normal(size=(2, 4, 32))
PROJECTED = RNG.normal(size=(4, 39, 32))
OF_XL = np.arange(20)[:, None] - np.arange(20) + 19


def deberta(content=1.0, p2c=1.0):
    c2p = np.take_along_axis(Q @ KEYS.swapaxes(-1, -2), ROWS[None, None], -1)
    of_keys = np.take_along_axis(K @ QUERIES.swapaxes(-1, -2), ROWS.T[None, None], -1).swapaxes(-1, -2)
    return (content * Q @ K.swapaxes(-1, -2) + c2p + p2c * of_keys) / 96**0.5


def xl(content=1.0, of_u=1.0, u=U, v=V):
    places = np.take_along_axis((Q + v[:, None]) @ PROJECTED.swapaxes(-1, -2), OF_XL[None, None], -1)
    return (content * (Q @ K.swapaxes(-1, -2)) + of_u * u[:, None] @ K.swapaxes(-1, -2) + places) / 32**0.5


DEBERTA = {
    "no content, positions only, without q.k": deberta(0.0),
    "q.k times 1/2": deberta(0.5),
    "no content, positions only, without q.k, without p2c (query_table)": deberta(0.0, 0.0),
}
XL = {
    "without q.k": xl(0.0),
    "no content, positions only, without q.k, without u": xl(0.0, 0.0),
    "q.k subtracted: the other sign, u subtracted: the other sign": xl(-1.0, -1.0),
    "u and v exchanged": xl(u=V, v=U),
    "u in the place of v (u.p)": xl(v=U),
}


@pytest.mark.parametrize("words", DEBERTA)
def test_parts_of_deberta_are_measured_beside_those_as_asked(words):
    given = [one.astype("f4") for one in (Q, K, KEYS, QUERIES)]
    found = said(DEBERTA[words].astype("f4"), refpos.scores.deberta_scores, *given, ROWS, scaling="products")
    assert found.computed.startswith(words + ":")


@pytest.mark.parametrize("words", XL)
def test_parts_of_transformer_xl_are_measured_beside_those_as_asked(words):
    q, k, projected, u, v = (one.astype("f4") for one in (Q, K, PROJECTED, U, V))
    computed = said(XL[words].astype("f4"), refpos.scores.xl_scores, q, k, projected, OF_XL, u=u, v=v).computed
    assert computed.startswith(words + ":")


def test_weights_without_the_products_have_no_scale():
    bias = RNG.normal(size=(4, 20, 20)).astype("f4")
    y = np.exp(bias.astype("f8"))[None]
    q, k = Q.astype("f4"), K.astype("f4")
    computed = said((y / y.sum(-1, keepdims=True)).astype("f4"), refpos.attention, q, k, None, bias=bias,
                    outputs="weights").computed  # fmt: skip
    assert computed.startswith("no content, the bias only, without q.k:")


# -- axes -------------------------------------------------------------------------------------------------------------

X = RNG.normal(size=(1, 2, 50, 64)).astype("f4")
IDS = np.tile(np.arange(50), (3, 1))
IDS[:, 10:34] = 10
IDS[1, 10:34] += np.arange(24) // 6
IDS[2, 10:34] += np.arange(24) % 6
IDS[:, 34:] = 16 + np.arange(16)
SECTIONS = (8, 12, 12)


def mrope(ids, sections=SECTIONS):
    """The rotation of X by ids of three axes, pairs (i, i + 32), base 1e6; the angles of the second channels may have
    sections of their own."""
    inv_freq = 1e6 ** (-np.arange(32) / 32)
    angles = ids[np.repeat(np.arange(3), sections)] * inv_freq[:, None]
    first, second, angles = X[..., :32], X[..., 32:], angles.T
    return np.concatenate([first * np.cos(angles) - second * np.sin(angles),
                           second * np.cos(angles) + first * np.sin(angles)], -1).astype("f4")  # fmt: skip


def of_mrope(y):
    given = dict(pairing="half", sections=SECTIONS, arrangement="chunked", base=1e6)
    return refpos.diagnose(y, refpos.mrope, X, IDS[:, None], **given)


@pytest.mark.exhaustive
def test_axes_are_measured_at_the_position_ids_of_the_call():
    (found,) = of_mrope(mrope(np.tile(np.arange(50), (3, 1)))).explanations
    assert found.computed.count("positions 0 .. 49") == 3 and "frequencies" not in found.computed + found.asked
    assert "0.888" not in found.asked and found.asked.startswith("positions 0 .. 10, 10 (23 rows), 16 .. 31; ")


@pytest.mark.exhaustive
def test_the_axis_of_each_pair_is_said():
    (found,) = of_mrope(mrope(IDS, (16, 12, 4))).explanations
    assert found.computed.startswith("sections=(16, 12, 4): ")
    assert "position_ids of axis 0 in channels 8..15, 40..47" in found.computed
    assert "position_ids of axis 1 in channels 20..27, 52..59" in found.computed


@pytest.mark.exhaustive
def test_what_is_no_rotation_has_no_positions():
    wide = np.repeat(np.arange(3), (16, 24, 24))
    angles = (IDS[wide] * np.tile(1e6 ** (-np.arange(32) / 32), 2)[:, None]).T
    turned = np.concatenate([-X[..., 32:], X[..., :32]], -1)
    found = of_mrope((X * np.cos(angles) + turned * np.sin(angles)).astype("f4"))
    assert found.met is None and not any("positions" in one.computed for one in found.explanations)


@pytest.mark.parametrize("order, axis", [("wh", 0), ("hw", 0)])
def test_axes_of_a_grid_have_the_numbers_of_their_cells(order, axis):
    inv_freq = 1e4 ** (-np.arange(24) / 24)
    rows, columns = (np.repeat(2 * np.arange(7), 10), np.tile(np.arange(10), 7))
    blocks = [np.concatenate([np.sin(p[:, None] * inv_freq), np.cos(p[:, None] * inv_freq)], -1)
              for p in ((columns, rows) if order == "wh" else (rows, columns))]  # fmt: skip
    y = np.concatenate(blocks, -1).reshape(7, 10, 96).astype("f4")
    assert f"positions times 2 of axis {axis}:" in said(y, refpos.sincos_2d, 7, 10, 96, axis_order=order).computed


# -- windows ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [10, 30])
def test_a_window_of_a_decay_is_said(window):
    back = np.arange(40)[:, None] - np.arange(40)
    gammas = 1 - 2.0 ** (-5 - np.arange(6))
    y = np.where((back >= 0) & (back <= window), gammas[:, None, None] ** np.maximum(back, 0), 0)
    found = said(y.astype("f4"), refpos.relative.decay, 6, 40, 40, rule="retnet")
    assert found.computed == f"0 at distances beyond {window} (a window)"


# -- words that say which ---------------------------------------------------------------------------------------------


def rotated(x, inv_freq, positions=None):
    """x (.., rows, dim) rotated, pairs (i, i + dim/2)."""
    positions = np.arange(x.shape[-2]) if positions is None else positions
    angles = (positions[..., None] * inv_freq).astype("f4").astype("f8")
    first, second = np.split(x.astype("f8"), 2, axis=-1)
    return np.concatenate([first * np.cos(angles) - second * np.sin(angles),
                           second * np.cos(angles) + first * np.sin(angles)], -1).astype("f4")  # fmt: skip


@pytest.mark.exhaustive
def test_rows_outside_of_the_bounds_have_no_frequencies_of_their_own():
    x, inv_freq = RNG.normal(size=(1, 2, 2048, 64)).astype("f4"), 1e4 ** (-np.arange(1, 33) / 32)
    rounded = inv_freq.astype("f4").astype("f8")
    computed = said(rotated(x, rounded), refpos.rope, x, 2048, pairing="half", base=1e4).computed
    assert computed.startswith("exponents from 1 (first frequency 0.749894, that of pair 1)")
    assert "frequencies divided" not in computed


@pytest.mark.exhaustive
def test_a_pair_of_another_frequency_is_said_by_its_number():
    x, inv_freq = RNG.normal(size=(1, 1, 48, 32)).astype("f4"), 1e4 ** (-np.arange(16) / 16)
    inv_freq[5] = 0
    computed = said(rotated(x, inv_freq), refpos.rope, x, 48, pairing="half").computed
    assert "frequency 0 of pair 5 (asked frequency 0.0562341)" in computed


COPIED = {"channels 16..31 are not those of x, but all numbers are 0": 0.0, "channels 16..31 are x times 1.2": 1.2}


@pytest.mark.parametrize("words", COPIED)
def test_channels_that_should_be_those_of_x_are_said(words):
    x = RNG.normal(size=(1, 2, 24, 32)).astype("f4")
    turned = rotated(x[..., :16], 1e4 ** (-np.arange(8) / 8))
    y = np.concatenate([turned, np.float32(COPIED[words]) * x[..., 16:]], -1)
    assert said(y, refpos.rope, x, 24, pairing="half", rotary_dim=16).computed == words


def test_positions_of_one_batch_row_are_not_those_of_an_axis():
    x, inv_freq = RNG.normal(size=(2, 1, 24, 16)).astype("f4"), 1e4 ** (-np.arange(8) / 8)
    ids = np.stack([np.arange(24), np.maximum(np.arange(24) - 7, 0)])
    y = rotated(x, inv_freq)
    assert said(y, refpos.rope, x, ids, pairing="half").computed == "positions of batch row 0 for every batch row"


def test_slopes_are_said_with_the_heads_that_have_others():
    away = -np.abs(np.arange(24)[:, None] - np.arange(24))
    y = (2.0 ** -np.arange(1, 13))[:, None, None] * away
    found = said(y.astype("f4"), refpos.alibi, 12, 24, 24, mode="symmetric")
    assert found.computed.startswith("the slopes 0.00195312, 0.000976562, 0.000488281, ... of heads 8..11")
    assert "(0.707107, 0.353553, 0.176777, ...)" in found.asked and found.met


def test_rows_of_the_other_sign_have_their_plain_name():
    q, weight = RNG.normal(size=(1, 4, 20, 32)).astype("f4"), RNG.normal(size=(17, 32)).astype("f4")
    away = np.clip(np.arange(20) - np.arange(20)[:, None], -8, 8)
    products = (q.astype("f8") @ weight.T.astype("f8")) / 32**0.5
    y = np.take_along_axis(products, np.broadcast_to(8 - away, (1, 4, 20, 20)), -1).astype("f4")
    given = dict(by="query", scale=1 / 32**0.5)
    found = said(y, refpos.scores.relative_scores, q, weight, 8 + away, **given)
    assert found.computed == "rows of query - key in the place of key - query (the other sign)"

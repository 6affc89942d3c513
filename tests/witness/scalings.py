"""The scalings of rotary frequencies, from the papers, as balls.

A scaling is a rule that gives its frequencies as balls at the current precision, and a rule for its factor on cosine
and sine. Comparisons are made on balls that decide them; whoever asks for too little precision gets an error.
"""

from fractions import Fraction

from flint import arb, ctx, fmpq

from .balls import at_each_precision, leading
from .formulas import flatten, power

DECIDE = 1024  # bits at which comparisons, floors and ceilings are made


def ball(number):
    """A fraction, an int or a float as a ball."""
    number = Fraction(number)
    return arb(fmpq(number.numerator, number.denominator))


def whole_floor(compute):
    """floor of an irrational number."""
    before, ctx.prec = ctx.prec, DECIDE
    try:
        found = compute().floor().unique_fmpz()
    finally:
        ctx.prec = before
    assert found is not None, "a floor is undecided"
    return int(found)


def less(one, other):
    """Whether one number is less than another, both functions that give balls."""
    before, ctx.prec = ctx.prec, DECIDE
    try:
        a, b = one(), other()
        assert bool(a < b) or bool(a >= b), "a comparison is undecided"
        return bool(a < b)
    finally:
        ctx.prec = before


def plain(given, count=None):
    """base**(-2i / width)."""
    width = given.get("exponent_dim") or given["dim"]
    base, count = Fraction(given.get("base", 10000)), given["dim"] // 2 if count is None else count
    return lambda: [power(base, Fraction(-2 * i, width)) for i in range(count)]


def one():
    """No factor."""
    return arb(1)


def linear(given):
    rule, factor = (plain(given), one) if given.get("frequencies") is None else scaling(given["frequencies"])
    return lambda: [w / ball(given["factor"]) for w in rule()], factor


def of_base(given, base):
    """The frequencies of a base that is itself a rule."""
    dim = given["dim"]
    return lambda: [(base().log() * ball(Fraction(-2 * i, dim))).exp() for i in range(dim // 2)]


def ntk(given):
    factor = Fraction(given["factor"])
    exponent = Fraction(given["dim"], given["dim"] - 2) if given.get("rule", "power") == "power" else 1
    return of_base(given, lambda: ball(given.get("base", 10000)) * power(factor, Fraction(exponent))), one


def ntk_alpha(given):
    return ntk({**given, "factor": given["alpha"]})


def dynamic_ntk(given):
    trained = given["max_position_embeddings"]
    length = max(given.get("seq_len") or trained, trained)
    factor = Fraction(given["factor"])
    return ntk({**given, "factor": factor * Fraction(length, trained) - factor + 1})


def ntk_by_parts(given):
    """Peng et al. 2023, section 3.2, with the ramp over indices of their code."""
    dim, base, trained = given["dim"], Fraction(given.get("base", 10000)), given["original_max_position_embeddings"]
    factor = ratio_of(given)

    def turned(beta):
        # dim ln(trained / (2 pi beta)) / (2 ln base)
        return lambda: ball(dim) * (ball(trained / Fraction(beta)) / (2 * arb.pi())).log() / (2 * ball(base).log())

    low, high = turned(given.get("beta_fast", 32)), turned(given.get("beta_slow", 1))
    if given.get("truncate", True):
        low, high = number(whole_floor(low)), number(whole_floor(high) + 1)
    low = number(0) if less(low, number(0)) else low
    most = number(dim - 1 if given.get("clamp", "dim-1") == "dim-1" else dim // 2 - 1)
    high = most if less(most, high) else high
    if given.get("beta_fast", 32) == given.get("beta_slow", 1) or not less(low, high):
        high = above(low)
    ramp = []
    for i in range(dim // 2):
        if not less(low, number(i)):
            ramp.append(lambda: arb(0))
        elif not less(number(i), high):
            ramp.append(lambda: arb(1))
        else:
            ramp.append(lambda i=i: (i - low()) / (high() - low()))
    rule = plain(given)
    return lambda: [w * (1 - g()) + w / ball(factor) * g() for w, g in zip(rule(), ramp, strict=True)], one


def above(end):
    """1/1000 more, which keeps a ramp without width from a division by 0."""
    return lambda: end() + ball(Fraction(1, 1000))


def number(value):
    """A fraction as a function that gives its ball."""
    return lambda: ball(value)


def ratio_of(given):
    if given.get("factor") is not None:
        return Fraction(given["factor"])
    return Fraction(given["max_position_embeddings"], given["original_max_position_embeddings"])


def magnitude(factor, scale):
    """1 + scale ln(factor) / 10 of Peng et al. 2023, equation 22, and 1 for what is not stretched."""
    return ball(scale) * ball(factor).log() / 10 + 1 if factor > 1 else arb(1)


def yarn(given):
    rule, _ = ntk_by_parts(given)
    factor = ratio_of(given)
    scales = [given.get("mscale") or 0, given.get("mscale_all_dim") or 0]
    if given.get("attention_factor") is not None:
        return rule, number(given["attention_factor"])
    if given.get("mscale_rule") == "ratio":  # of DeepSeek's code: mscale=1, mscale_all_dim=0 where none is given
        scales[0] = 1 if given.get("mscale") is None else given["mscale"]
    elif not all(scales):
        return rule, lambda: magnitude(factor, 1)
    if scales[0] == scales[1]:
        return rule, one
    if not scales[1]:
        return rule, lambda: magnitude(factor, scales[0]) if scales[0] else arb(1)
    return rule, lambda: magnitude(factor, scales[0]) / magnitude(factor, scales[1])


def _exact(value):
    return value if isinstance(value, Fraction) else float(value)


def longrope(given):
    trained = given["original_max_position_embeddings"]
    side = "long" if (given.get("seq_len") or 0) > trained else "short"
    rule, divisors = plain(given), [_exact(value) for value in given[f"{side}_factor"]]
    given_factor = given.get(f"{side}_mscale") or given.get("attention_factor")
    factor = None if given_factor else ratio_of(given)

    def root():
        return (1 + ball(factor).log() / ball(trained).log()).sqrt() if factor > 1 else arb(1)

    return lambda: [w / ball(d) for w, d in zip(rule(), divisors, strict=True)], number(
        given_factor
    ) if given_factor else root


def llama3(given):
    """The code of Llama 3.1, in wavelengths."""
    low, high = Fraction(given["low_freq_factor"]), Fraction(given["high_freq_factor"])
    trained, factor, rule = given["original_max_position_embeddings"], Fraction(given["factor"]), plain(given)

    def wavelength(i):
        return lambda: 2 * arb.pi() / rule()[i]

    kinds = []
    for i in range(given["dim"] // 2):
        if less(number(trained / low), wavelength(i)):
            kinds.append("long")
        else:
            kinds.append("short" if less(wavelength(i), number(trained / high)) else "between")

    def scaled():
        found = []
        for kind, w in zip(kinds, rule(), strict=True):
            smooth = (ball(trained) * w / (2 * arb.pi()) - ball(low)) / ball(high - low)
            between = (1 - smooth) * w / ball(factor) + smooth * w
            found.append({"long": w / ball(factor), "short": w, "between": between}[kind])
        return found

    return scaled, one


def proportional(given):
    dim, share = given["dim"], given["partial_rotary_factor"]
    turning = int(float(share) * dim // 2)
    rule = plain(given, turning)
    rest = dim // 2 - turning
    return lambda: [w / ball(given.get("factor", 1)) for w in rule()] + [arb(0)] * rest, one


def learned_log_scale(given):
    rule, factor = scaling(given["frequencies"])
    return lambda: [w * ball(float(a)).exp() for w, a in zip(rule(), given["alpha"], strict=True)], factor


def wavelengths(given):
    """The whole wavelengths of `resonance`; 0 where nothing turns."""
    rule, _ = scaling(given["frequencies"])
    count = dim_of(given["frequencies"]) // 2
    still = [w == 0 for w in rule()]
    return [0 if still[i] else whole_floor(lambda i=i: 2 * arb.pi() / rule()[i] + arb("0.5")) for i in range(count)]


def resonance(given):
    lengths = wavelengths(given)
    return lambda: [2 * arb.pi() / n if n else arb(0) for n in lengths], scaling(given["frequencies"])[1]


def high_frequencies(given):
    rule, factor = scaling(given["frequencies"])
    length, count = given["length"], dim_of(given["frequencies"]) // 2
    if given["frequencies"]["function"] == "resonance":  # whole wavelengths are compared as they are
        kept = [0 < n <= length for n in wavelengths(given["frequencies"]["arguments"])]
    else:
        kept = [not less(lambda i=i: rule()[i] * length, lambda: 2 * arb.pi()) for i in range(count)]
    return lambda: [w if keep else arb(0) for w, keep in zip(rule(), kept, strict=True)], factor


def inverse_frequencies(given):
    return plain(given), one


RULES = {
    "high_frequencies": high_frequencies,
    "inverse_frequencies": inverse_frequencies,
    "linear": linear,
    "ntk": ntk,
    "ntk_alpha": ntk_alpha,
    "dynamic_ntk": dynamic_ntk,
    "ntk_by_parts": ntk_by_parts,
    "yarn": yarn,
    "longrope": longrope,
    "llama3": llama3,
    "proportional": proportional,
    "learned_log_scale": learned_log_scale,
    "resonance": resonance,
}
#: {suite: what its function was written from}, as `witness` of witness/suites.py takes it
SOURCES = {
    "high_frequencies": "paper: Chen et al. 2024, arXiv:2410.21216, section 4",
    "inverse_frequencies": "paper: Su et al. 2021, arXiv:2104.09864, section 3.2.2",
    "linear": "paper: Chen et al. 2023, arXiv:2306.15595, section 2.3",
    "ntk": "paper: Peng et al. 2023, arXiv:2309.00071, section 3.1",
    "ntk_alpha": "code: transformers 5.23.0, models/hunyuan_v1_dense/modeling_hunyuan_v1_dense.py",
    "dynamic_ntk": (
        "paper: Peng et al. 2023, arXiv:2309.00071, section 3.3",
        "code: transformers 5.23.0, modeling_rope_utils.py, _compute_dynamic_ntk_parameters",
    ),
    "ntk_by_parts": (
        "paper: Peng et al. 2023, arXiv:2309.00071, section 3.2",
        "code: transformers 5.23.0, modeling_rope_utils.py",
    ),
    "yarn": (
        "paper: Peng et al. 2023, arXiv:2309.00071, sections 3.2 and 3.4",
        "code: transformers 5.23.0, modeling_rope_utils.py",
    ),
    "longrope": "paper: Ding et al. 2024, arXiv:2402.13753, section 3",
    "llama3": "code: transformers 5.23.0, modeling_rope_utils.py, _compute_llama3_parameters",
    "proportional": "paper: Barbero et al. 2024, arXiv:2410.06205, section 6.1",
    "learned_log_scale": "code: transformers 5.23.0, models/mistral_large4/modeling_mistral_large4.py",
    "resonance": "paper: Wang et al. 2024, arXiv:2403.00071, section 4.1",
}


def scaling(call):
    """(rule of the frequencies, rule of the factor) of {"function": name, "arguments": arguments}."""
    name = call["function"]
    if name not in RULES:
        raise LookupError(f"{name} must have a witness: add its rule below @scaling in tests/proofs/{name}.py")
    return RULES[name](call["arguments"])


def dim_of(call):
    """The rotary width behind a call."""
    given = call["arguments"]
    return given["dim"] if "dim" in given else dim_of(given["frequencies"])


def _likely(values):
    """What balls of 8192 bits and more are when they are no irrational numbers: fractions of 1500 bits at most."""
    found = []
    for value in values:
        middle = Fraction(int((value.mid() * arb(2) ** 8000).floor().unique_fmpz()), 2**8000)
        simple = middle.limit_denominator(2**1500)
        found.append(simple if value.contains(ball(simple)) else middle)
    return found


def scaling_digits(call):
    """Digits of the frequencies (dim/2,) and of the factor ()."""
    rule, factor = map(at_each_precision, scaling(call))
    count = dim_of(call) // 2

    def of(compute, count):
        def evaluate(rows, bits):
            balls = compute()
            return [(balls[k],) for k in (range(count) if rows is None else rows)]

        return leading(count, 1, evaluate, exact=lambda row: _likely([compute()[row]])).reshape(count)

    return of(rule, count), of(lambda: [factor()], 1).reshape(())


def scaled_table(positions, call):
    """Digits (cos, sin), each (*positions.shape, dim/2), times the factor."""
    rule, factor = map(at_each_precision, scaling(call))
    shape, places = flatten(positions)
    count = dim_of(call) // 2

    def evaluate(rows, bits):
        thetas, a = rule(), factor()
        chosen = [divmod(k, count) for k in (range(len(places) * count) if rows is None else rows)]
        found = []
        for row, i in chosen:
            sine, cosine = (thetas[i] * ball(places[row])).sin_cos()
            found.append((cosine * a, sine * a))
        return found

    def exact(row):
        return _likely(evaluate([row], ctx.prec)[0])

    both = leading(len(places) * count, 2, evaluate, exact=exact).reshape(*shape, count, 2)
    return both[..., 0], both[..., 1]


def temperature(positions, *, attn_scale, floor_scale, shift):
    """Digits of 1 + attn_scale ln(1 + floor((p + shift) / floor_scale))."""
    shape, places = flatten(positions)
    numbers = [1 + int((Fraction(p) + Fraction(shift)) // Fraction(floor_scale)) for p in places]

    def evaluate(rows, bits):
        chosen = numbers if rows is None else [numbers[row] for row in rows]
        return [(1 + ball(attn_scale) * ball(n).log(),) for n in chosen]

    return leading(len(numbers), 1, evaluate).reshape(*shape)


def softmax_scale(factor, mscale):
    """Digits of (1 + mscale ln(factor) / 10)**2."""
    return leading(1, 1, lambda rows, bits: [(magnitude(Fraction(factor), mscale) ** 2,)]).reshape(())

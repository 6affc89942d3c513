"""The frequencies that a call makes, as formulas: (thetas, the axis of each, the factor on cosine and sine)."""

import intervals
from formulas import less, power, text, times, times_pi
from intervals import need
from positions import number
from words import argument, known

ARGUMENTS = {
    "linear": "dim base factor frequencies exponent_dim",
    "axial_frequencies": "widths base axes arrangement endpoint times_pi frequencies allocation",
    "mrope_frequencies": "dim base sections arrangement frequencies",
    "inverse_frequencies": "dim base exponent_dim",
    "ntk": "dim base factor rule",
    "ntk_alpha": "dim base alpha",
    "dynamic_ntk": "dim base factor max_position_embeddings seq_len",
    "ntk_by_parts": "dim base factor original_max_position_embeddings beta_fast beta_slow truncate clamp",
    "yarn": "dim base factor original_max_position_embeddings max_position_embeddings beta_fast beta_slow truncate"
    " clamp mscale mscale_all_dim mscale_rule attention_factor",
    "llama3": "dim base factor low_freq_factor high_freq_factor original_max_position_embeddings",
    "proportional": "dim base factor partial_rotary_factor",
    "longrope": "dim base long_factor short_factor long_mscale short_mscale factor attention_factor seq_len"
    " max_position_embeddings original_max_position_embeddings",
    "given_frequencies": "inv_freq",
    "bands": "n rule low high endpoint",
    "offset_geometric": "dim max_position",
    "resonance": "frequencies",
    "learned_log_scale": "frequencies alpha",
    "high_frequencies": "frequencies length",
}


def plain(a, count=None):
    """base**(-2i / width)."""
    width, base = argument(a, "exponent_dim", a["dim"]), number(a.get("base", 10000))
    return [power(base, -2 * i, width) for i in range(a["dim"] // 2 if count is None else count)]


def over(w, factor):
    """w divided by a fraction."""
    n, d = factor
    return times(w, text(d, n))


def rescaled(a, factor):
    """Of the base times factor**(dim / (dim - 2)), or times the factor itself."""
    width = a["dim"] if a.get("rule", "power") == "product" else a["dim"] - 2
    return [times(w, power(factor, -2 * i, width)) if i else w for i, w in enumerate(plain(a))]


def dynamic(a):
    trained = a["max_position_embeddings"]
    (n, d), length = number(a["factor"]), max(argument(a, "seq_len", trained), trained)
    return n * length - n * trained + d * trained, d * trained


def stretch(a):
    if a.get("factor") is not None:
        return number(a["factor"])
    return a["max_position_embeddings"], a["original_max_position_embeddings"]


def turns(a, beta):
    """The index with so many turns in the length: dim ln(length / (2 pi beta)) / (2 ln base), as a formula."""
    n, d = beta
    length = text(a["original_max_position_embeddings"] * d, 2 * n)
    return f"{length} pi / ln {a['dim']} * {text(*number(a.get('base', 10000)))} ln 2 * /"


def floor(formula):
    low, high = intervals.formula(formula)
    bits = intervals.PRECISIONS[-1]
    need(low >> bits == high >> bits, "a floor that is not decided")
    return low >> bits


def by_parts(a):
    """NTK by parts (YaRN, section 3.2), with the ramp over indices of its code."""
    fast, slow = number(a.get("beta_fast", 32)), number(a.get("beta_slow", 1))
    low, high = turns(a, fast), turns(a, slow)
    if a.get("truncate", True):
        low, high = str(floor(low)), str(floor(high) + 1)
    most = a["dim"] - 1 if a.get("clamp", "dim-1") == "dim-1" else a["dim"] // 2 - 1
    low = "0" if less(low, "0") else low
    high = str(most) if less(str(most), high) else high
    if fast[0] * slow[1] == slow[0] * fast[1] or not less(low, high):
        high = f"{low} 1/1000 +"
    found = []
    for i, w in enumerate(plain(a)):
        slowed = over(w, stretch(a))
        if not less(low, str(i)):
            found.append(w)
        elif not less(str(i), high):
            found.append(slowed)
        else:
            ramp = f"{i} {low} - {high} {low} - /"
            found.append(f"{w} 1 {ramp} - * {slowed} {ramp} * +")
    return found


def magnitude(factor, scale):
    """1 + scale ln(factor) / 10, and 1 of what is not stretched."""
    return f"{text(*factor)} ln {text(scale[0], 10 * scale[1])} * 1 +" if factor[0] > factor[1] else "1"


def yarn_factor(a):
    factor, both = stretch(a), [number(a.get(name) or 0) for name in ("mscale", "mscale_all_dim")]
    if a.get("attention_factor") is not None:
        return text(*number(a["attention_factor"]))
    if a.get("mscale_rule") == "ratio":  # of DeepSeek's code
        both[0] = (1, 1) if a.get("mscale") is None else both[0]
    elif not (both[0][0] and both[1][0]):
        return magnitude(factor, (1, 1))
    if both[0] == both[1]:
        return "1"
    above = magnitude(factor, both[0]) if both[0][0] else "1"
    below = magnitude(factor, both[1]) if both[1][0] else "1"
    return above if below == "1" else f"{above} {below} /"


def longrope(a):
    """A divisor for each frequency, and sqrt(1 + ln(factor) / ln(length)) where no factor is given."""
    trained = a["original_max_position_embeddings"]
    side = "long" if argument(a, "seq_len", 0) > trained else "short"
    divisors = a[f"{side}_factor"]
    divisors = divisors["values"] if "values" in divisors else [number(one) for one in divisors]
    thetas = [over(w, divisor) for w, divisor in zip(plain(a), divisors, strict=True)]
    factor = argument(a, f"{side}_mscale", a.get("attention_factor"))
    if factor is not None:
        return thetas, text(*number(factor))
    n, d = stretch(a)
    if n <= d:
        return thetas, "1"
    for whole in range(2, 10):  # 1 + ln(factor) / ln(length) is a square where factor = length**(square - 1)
        if n == d * trained ** (whole**2 - 1):
            return thetas, str(whole)
    return thetas, f"{text(n, d)} ln {trained} ln / 1 + sqrt"


def llama3(a):
    """Slowed where the wavelength is beyond length / low, as it is below length / high, and between by a ramp."""
    (low, ld), (high, hd) = number(a["low_freq_factor"]), number(a["high_freq_factor"])
    length, found = a["original_max_position_embeddings"], []
    for w in plain(a):
        wavelength, slowed = f"2 pi * {w} /", over(w, number(a["factor"]))
        if less(text(length * ld, low), wavelength):
            found.append(slowed)
        elif less(wavelength, text(length * hd, high)):
            found.append(w)
        else:
            smooth = f"{length} {w} * 2 pi * / {text(low, ld)} - {text(ld * hd, high * ld - low * hd)} *"
            found.append(f"1 {smooth} - {slowed} * {smooth} {w} * +")
    return found


def proportional(a):
    """The first int(share * dim // 2) turn, with the product of doubles that Python makes: 53 bits, ties to even."""
    n, d = number(a["partial_rotary_factor"])
    n *= a["dim"]
    cut = max(n.bit_length() - 53, 0)
    kept, rest = n >> cut, n & (1 << cut) - 1
    kept += cut > 0 and (rest > 1 << cut - 1 or (rest == 1 << cut - 1 and kept % 2))
    count = (kept << cut) // (2 * d)
    return [over(w, number(a.get("factor", 1))) for w in plain(a, count)] + ["0"] * (a["dim"] // 2 - count)


def axial(a):
    """Blocks of channels, each with the frequencies of its own axis."""
    halves, allocation = [width // 2 for width in a["widths"]], a.get("allocation", "separate")
    bases = a.get("base", 10000)
    bases = bases if isinstance(bases, list) else [bases] * len(halves)

    def steps(count, base):
        step = max(count - 1, 1) if a.get("endpoint") else count
        return [power(number(base), -i, step) for i in range(count)]

    if a.get("frequencies") is not None:
        blocks = [frequencies(call)[0] for call in a["frequencies"]]
    elif allocation == "separate":
        blocks = [steps(half, base) for half, base in zip(halves, bases, strict=True)]
    else:
        whole = steps(sum(halves), bases[0])
        ends = [sum(halves[:k]) for k in range(len(halves) + 1)]
        strided = [whole[k :: len(halves)] for k in range(len(halves))]
        blocks = strided if allocation == "strided" else [whole[ends[k] : ends[k + 1]] for k in range(len(halves))]
    axes = argument(a, "axes", list(range(len(halves))))
    found = [[(theta, axis) for theta in block] for block, axis in zip(blocks, axes, strict=True)]
    if a.get("arrangement", "blocks") == "interleaved":
        found = [[block[i] for block in found] for i in range(halves[0])]
    pairs = [one for block in found for one in block]
    thetas = [times_pi(theta, number(a["times_pi"])) if "times_pi" in a else theta for theta, _ in pairs]
    return thetas, [axis for _, axis in pairs], "1"


def sections_of(a):
    """The axis of each pair of M-RoPE: time 0, row 1, column 2."""
    first, second, third = a["sections"]
    if a["arrangement"] == "chunked":
        return [0] * first + [1] * second + [2] * third
    if a["arrangement"] == "alternating":
        return [1 + i % 2 if i < first + second else 0 for i in range(sum(a["sections"]))]
    ends = {1: 3 * second, 2: 3 * third}
    return [i % 3 if i < ends.get(i % 3, 0) else 0 for i in range(sum(a["sections"]))]


def listed(given):
    return given["values"] if isinstance(given, dict) else [number(one) for one in given]


def bands(a):
    """From low to high, in steps that are even, even in the logarithm, or in the power of two."""
    (n, d), (m, e) = number(a["low"]), number(a["high"])
    steps = max(a["n"] - 1, 1) if a.get("endpoint", True) else a["n"]
    between = [(n * e * (steps - i) + m * d * i, d * e * steps) for i in range(a["n"])]
    return {
        "linear": lambda: [text(*one) for one in between],
        "powers": lambda: [power((2, 1), *one) for one in between],
        "geometric": lambda: [times(power((m * d, e * n), i, steps), text(n, d)) for i in range(a["n"])],
    }[a["rule"]]()


def offset_geometric(a):
    """Of the periods i + (longest - n + 1)**(i / (n - 1))."""
    n, longest = a["dim"] // 2, a.get("max_position", 8192)
    periods = [power((longest - n + 1, 1), i, max(n - 1, 1)) for i in range(n)]
    return [text(1, i + int(p)) if p.isdigit() else f"1 {p} {i} + /" for i, p in enumerate(periods)]


def changed(a, change):
    thetas, _, factor = frequencies(a["frequencies"])
    return [w if w == "0" else change(w) for w in thetas], factor


def slower(w, length):
    """Whether a turn takes more than a length; that of a fraction of pi is a fraction."""
    share = w.removesuffix(" pi *")
    if share != w and " " not in share:
        n, d = intervals.fraction(share)
        return 2 * d > length * n
    return less(str(length), f"2 pi * {w} /")


def resonant(w):
    """Of the wavelength rounded to an integer."""
    return f"{text(2, floor(f'2 pi * {w} / 1/2 +'))} pi *"


def learned(a):
    """Of numbers that are learned, times exp(alpha)."""
    thetas, _, factor = frequencies(a["frequencies"])
    return [times(w, exp_of(*alpha)) for w, alpha in zip(thetas, listed(a["alpha"]), strict=True)], factor


def exp_of(n, d):
    return f"{text(n, d)} exp" if n else "1"


SCALINGS = {
    "inverse_frequencies": lambda a: (plain(a), "1"),
    "ntk": lambda a: (rescaled(a, number(a["factor"])), "1"),
    "ntk_alpha": lambda a: (rescaled(a, number(a["alpha"])), "1"),
    "dynamic_ntk": lambda a: (rescaled(a, dynamic(a)), "1"),
    "ntk_by_parts": lambda a: (by_parts(a), "1"),
    "yarn": lambda a: (by_parts(a), yarn_factor(a)),
    "llama3": lambda a: (llama3(a), "1"),
    "proportional": lambda a: (proportional(a), "1"),
    "longrope": longrope,
    "given_frequencies": lambda a: ([text(*one) for one in listed(a["inv_freq"])], "1"),
    "bands": lambda a: (bands(a), "1"),
    "offset_geometric": lambda a: (offset_geometric(a), "1"),
    "learned_log_scale": learned,
    "resonance": lambda a: changed(a, resonant),
    "high_frequencies": lambda a: changed(a, lambda w: "0" if slower(w, a["length"]) else w),
}


def frequencies(call):
    """(thetas, axes, factor) of a call."""
    need("function" in call, "frequencies that are numbers")
    name, a = call["function"], call["arguments"]
    known(name, a, ARGUMENTS.get(name, ""))
    if name == "axial_frequencies":
        return axial(a)
    if name in ("linear", "mrope_frequencies"):
        inner = a.get("frequencies")
        thetas, _, factor = frequencies(inner) if inner is not None else (plain(a), None, "1")
        if name == "mrope_frequencies":
            return thetas, sections_of(a), factor
        return [over(w, number(a["factor"])) for w in thetas], [0] * len(thetas), factor
    need(name in SCALINGS, f"frequencies of {name}")
    thetas, factor = SCALINGS[name](a)
    return thetas, [0] * len(thetas), factor


def of_frequencies(name):
    """The claims of frequencies themselves, and of their factor."""

    def claims(a, output):
        thetas, _, factor = frequencies({"function": name, "arguments": a})
        return thetas, factor, lambda index: "f" if output == "attention_factor" else f"t{index}"

    return claims


FUNCTIONS = {name: (of_frequencies(name), arguments) for name, arguments in ARGUMENTS.items()}

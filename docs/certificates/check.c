/* Proves by integers alone, without libm, that each stored number is its formula rounded once (docs/certificates.md):
   cc -O2 -o check check.c && ./check claims/rope.txt ..., files of check.py --write. Exit status: 0 all are proved, 1
   one is not, 2 a file cannot be used, or none has a number. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 18, MOST = WHOLE + 55, SLOTS = 16384, DEEP = 32, LINE = 1 << 15, LARGEST = 1 << 28 };
static const int levels[] = {4, 55};            /* limbs behind the binary point: the second where 4 do not decide */
typedef struct { uint64_t n[MOST]; } Big;       /* two's complement, the least limb first, WHOLE before the point */
typedef struct { Big low, high; } Interval;     /* a real number: low = it = high, or low < it < high */
typedef struct { int64_t over, under; int twos; } Num; /* over / under * 2**twos */
static const struct { const char *words; int precision, width; } formats[] = {
    {"53 11", 53, 11}, {"24 8", 24, 8}, {"11 5", 11, 5}, {"8 8", 8, 8}, {"4 4", 4, 4}, {"3 5", 3, 5}};
static int level, fraction, limbs, slots;       /* limbs behind the point, and all; a unit is 2**(-64 fraction) */
static void need(int condition, const char *why) { if (!condition) fprintf(stderr, "%s\n", why), exit(2); }
static Big small(int64_t value) {
    Big x = {{(uint64_t)value}};
    return memset(x.n + 1, value < 0 ? 255 : 0, sizeof x.n - sizeof *x.n), x;
}
static int negative(Big x) { return x.n[limbs - 1] >> 63; }
static Big plus(Big x, Big y) {
    unsigned __int128 sum = 0;
    for (int i = 0; i < limbs; i++, sum >>= 64) sum += (unsigned __int128)x.n[i] + y.n[i], x.n[i] = (uint64_t)sum;
    return x;
}
static Big negated(Big x) {
    for (int i = 0; i < limbs; i++) x.n[i] = ~x.n[i];
    return plus(x, small(1));
}
static Big minus(Big x, Big y) { return plus(x, negated(y)); }
static int sign_of(Big x) { return negative(x) ? -1 : memcmp(x.n, small(0).n, sizeof *x.n * (size_t)limbs) != 0; }
static int compare(Big x, Big y) { return sign_of(minus(x, y)); }
static Big shifted(Big x, int bits) { /* x 2**bits, rounded down */
    Big y = x;
    int whole = bits >= 0 ? bits / 64 : -((63 - bits) / 64), rest = bits - 64 * whole;
    uint64_t beyond = negative(x) ? UINT64_MAX : 0;
    for (int i = 0, from = -whole; i < limbs; i++, from++) {
        uint64_t here = from < 0 ? 0 : from < limbs ? x.n[from] : beyond;
        uint64_t below = from < 1 ? 0 : from <= limbs ? x.n[from - 1] : beyond;
        y.n[i] = rest ? here << rest | below >> (64 - rest) : here;
    }
    return y;
}
static Big times(Big x, Big y, int *inexact) { /* x y in units, rounded down */
    uint64_t full[2 * MOST] = {0};
    int minus_sign = negative(x) != negative(y);
    if (negative(x)) x = negated(x);
    if (negative(y)) y = negated(y);
    for (int i = 0; i < limbs; i++) {
        unsigned __int128 carry = 0;
        for (int j = 0; x.n[i] && j < limbs; j++, carry >>= 64)
            carry += (unsigned __int128)x.n[i] * y.n[j] + full[i + j], full[i + j] = (uint64_t)carry;
        full[i + limbs] = (uint64_t)carry;
    }
    for (int i = *inexact = 0; i < fraction; i++) *inexact |= full[i] != 0;
    for (int i = fraction + limbs - 1, top = 62; i < 2 * limbs; i++, top = 0) need(!(full[i] >> top), "too many bits");
    memcpy(x.n, full + fraction, sizeof *full * (size_t)limbs);
    return minus_sign ? minus(negated(x), small(*inexact)) : x;
}
static Big over(Big x, uint64_t divisor, int *inexact) { /* rounded down */
    unsigned __int128 rest = 0;
    int minus_sign = negative(x);
    if (minus_sign) x = negated(x);
    for (int i = limbs; i--;) /* most leading limbs are 0, and a division is slow */
        if ((rest = rest << 64 | x.n[i])) x.n[i] = (uint64_t)(rest / divisor), rest %= divisor;
    *inexact = rest != 0;
    return minus_sign ? minus(negated(x), small(*inexact)) : x;
}
static Big quotient(Big x, Big y, int *inexact) { /* x / y in units, rounded down, of 0 < y: bit by bit */
    Big found = small(0), rest = small(0);
    int minus_sign = negative(x), i = 64 * limbs - 1;
    if (need(sign_of(y) > 0, "a divisor that may be 0 or below"), minus_sign) x = negated(x);
    while (i > 63 && !x.n[i / 64]) i -= 64;
    for (; i >= -64 * fraction; i--) {
        need(!(found.n[limbs - 1] >> 61), "too many bits"), rest = shifted(rest, 1), found = shifted(found, 1);
        if (i >= 0) rest.n[0] |= x.n[i / 64] >> i % 64 & 1;
        if (compare(rest, y) >= 0) rest = minus(rest, y), found.n[0] |= 1;
    }
    *inexact = sign_of(rest) != 0;
    return minus_sign ? minus(negated(found), small(*inexact)) : found;
}
static Interval around(Big x, Big error) { return (Interval){minus(x, error), plus(x, error)}; }
static Interval add(Interval x, Interval y) { return (Interval){plus(x.low, y.low), plus(x.high, y.high)}; }
static Interval neg(Interval x) { return (Interval){negated(x.high), negated(x.low)}; }
static Interval ends(Interval x, Interval y, Big (*of)(Big, Big, int *)) { /* from the least to the most of four */
    Interval made = x;
    int inexact, x_two = compare(x.low, x.high) != 0, last = compare(y.low, y.high) ? 3 : 1;
    for (int k = 0; k <= last; k += x_two ? 1 : 2) {
        Big low = of(k & 1 ? x.high : x.low, k & 2 ? y.high : y.low, &inexact), high = plus(low, small(inexact));
        if (!k || compare(low, made.low) < 0) made.low = low;
        if (!k || compare(high, made.high) > 0) made.high = high;
    }
    return made;
}
static Interval mul(Interval x, Interval y) { return ends(x, y, times); }
static Interval exact(Num x) {
    int inexact, bits = 64 * fraction + x.twos;
    Big low = over(shifted(small(x.over), bits), (uint64_t)x.under, &inexact);
    return (Interval){bits < 0 ? minus(low, small(1)) : low, plus(low, small(inexact || bits < 0))};
}
static Interval ratio(int64_t n, int64_t d) { return exact((Num){n, d, 0}); }
/* t + t factor / n + ..., each term divided by the next number (step 1) or the next two (step 2). Where |factor / n| is
   below 0.7, a term is off by 3 units and 0.7 of the error before: by less than 10, as are the terms left out. */
static Interval series(Big t, Big factor, uint64_t n, int step, Big width) {
    Big total = small(0);
    int count = 4, cut;
    for (; sign_of(t) && compare(t, small(-1)); n += (uint64_t)step, count++)
        total = plus(total, t), t = over(times(t, factor, &cut), step == 1 ? n : n * (n + 1), &cut);
    return around(total, plus(width, small(16 * count)));
}
static Interval arctangents(Big y, int alternating) { /* y + y**3 / 3 + ..., artanh, or arctan; |y| <= 1/3 */
    int k = 0, cut;
    Big total = small(0), square = times(y, y, &cut);
    for (; sign_of(y) && compare(y, small(-1)); k++, y = times(y, square, &cut))
        total = (alternating && k % 2 ? minus : plus)(total, over(y, (uint64_t)(2 * k + 1), &cut));
    return around(total, small(16 * (k + 4)));
}
static struct { int ready; Interval pi, ln2, two_over_pi, one_over_ln2; } at_level[2], *now;
static void use(int wanted) { /* pi = 16 arctan(1/5) - 4 arctan(1/239) (Machin), ln 2 = 2 artanh(1/3) */
    level = wanted, now = at_level + level, fraction = levels[level], limbs = fraction + WHOLE;
    if (now->ready++) return;
    now->ln2 = mul(ratio(2, 1), arctangents(ratio(1, 3).low, 0));
    now->pi = mul(ratio(16, 1), arctangents(ratio(1, 5).low, 1));
    now->pi = add(now->pi, mul(ratio(-4, 1), arctangents(ratio(1, 239).low, 1)));
    now->two_over_pi = ends(ratio(2, 1), now->pi, quotient), now->one_over_ln2 = ends(ratio(1, 1), now->ln2, quotient);
}
static Interval log_at(Big x) { /* ln(2**k m) = k ln 2 + 2 artanh((m - 1) / (m + 1)), 1 <= m < 2 */
    int top = 64 * limbs - 2, cut;
    for (need(sign_of(x) > 0, "a logarithm of 0"); !(x.n[top / 64] >> top % 64 & 1);) top--;
    Big one = shifted(small(1), top), y = quotient(minus(x, one), plus(x, one), &cut);
    return add(mul(now->ln2, ratio(top - 64 * fraction, 1)), mul(ratio(2, 1), arctangents(y, 0)));
}
static Interval log_of(Interval x) { return (Interval){log_at(x.low).low, log_at(x.high).high}; }
static Interval exp_at(Big x) { /* 2**k exp(r): k = x / ln 2 rounded down, r = 0 ... 0.7, off by its width at most */
    Interval at = {x, x}, r = mul(at, now->one_over_ln2);
    int64_t k = (int64_t)r.low.n[fraction];
    r = add(at, neg(mul(now->ln2, ratio(k, 1))));
    if (compare(x, ratio(-5000, 1).low) < 0) return (Interval){small(0), small(1)}; /* below a unit of both levels */
    need(k < 1100 && compare(r.low, ratio(-1, 8).low) > 0 && compare(r.high, ratio(3, 4).low) < 0, "a large power");
    r = series(ratio(1, 1).low, r.low, 1, 1, mul(ratio(3, 1), add(r, neg(r))).high);
    return (Interval){shifted(r.low, (int)k), plus(shifted(r.high, (int)k), small(1))};
}
static Interval exp_of(Interval x) { return (Interval){exp_at(x.low).low, exp_at(x.high).high}; }
static void cos_sin(Interval x, Interval *cos, Interval *sin) { /* r = x - k pi / 2, off by its width at most */
    Interval k = mul(x, now->two_over_pi), r, way[4];
    *cos = ratio(1, 1), *sin = ratio(0, 1);
    if (!sign_of(x.low) && !sign_of(x.high)) return;
    k.low = plus(k.low, ratio(1, 2).low), memset(k.low.n, 0, sizeof *k.low.n * (size_t)fraction);
    k.high = k.low, r = add(x, neg(mul(mul(now->pi, ratio(1, 2)), k)));
    *cos = *sin = around(small(1), plus(ratio(1, 1).low, small(2))); /* too few bits for a number of this size */
    if (compare(r.low, ratio(-9, 8).low) < 0 || compare(r.high, ratio(9, 8).low) > 0) return;
    Big square = negated(times(r.low, r.low, &(int){0})), width = minus(r.high, r.low);
    way[0] = series(ratio(1, 1).low, square, 1, 2, width), way[1] = series(r.low, square, 2, 2, width);
    way[2] = neg(way[0]), way[3] = neg(way[1]);
    *cos = way[(4 - k.low.n[fraction]) & 3], *sin = way[(5 - k.low.n[fraction]) & 3];
}
static Interval power(Num base, int64_t n, int64_t d) { /* base**(n/d), exact where both are powers of two */
    Num odd = base;
    for (; odd.over > 1 && odd.over % 2 == 0; odd.over /= 2) odd.twos++;
    for (; odd.under % 2 == 0; odd.under /= 2) odd.twos--;
    __int128 twos = (__int128)odd.twos * n;
    int is_two = odd.over == 1 && odd.under == 1 && twos % d == 0 && twos / d < 1029 && twos / d > -9999;
    return is_two ? exact((Num){1, 1, (int)(twos / d)}) : exp_of(mul(log_of(exact(base)), ratio(n, d)));
}
static char *word(char **at) { /* the next word of a line, which ends there */
    char *start = *at, *end = start + strcspn(start, " ");
    return *at = *end ? end + 1 : end, *end = 0, start;
}
static int64_t integer(char **at) { /* decimal digits, of which 19 are below 2**64; the first of several is not 0 */
    int minus_sign = **at == '-';
    uint64_t size = strspn(*at += minus_sign, "0123456789"), found = strtoull(*at, NULL, 10);
    need(size && size < 20 && (size == 1 || **at != '0') && found < INT64_MAX, "an integer that is none, or too large");
    return *at += size, minus_sign ? -(int64_t)found : (int64_t)found;
}
static Num number(char **at) { /* 3, -16/3, or 5@-2, which is 5 2**-2 */
    int minus_zero = !strncmp(*at, "-0", 2); /* is a value, but not part of a formula */
    int64_t n = integer(at), d = **at == '/' ? ++*at, integer(at) : 1, twos = **at == '@' ? ++*at, integer(at) : 0;
    return need(d > 0 && twos > -1200 && twos < 1030 && !minus_zero, "a number out of range"), (Num){n, d, (int)twos};
}
static Interval literal(char *at) { /* a number, one to the power of another as 10000^-2/64, or pi */
    if (!strcmp(at, "pi")) return now->pi;
    Num base = number(&at), exponent = {1, 1, 0};
    Interval found = exact(base);
    if (*at == '^') ++at, exponent = number(&at), found = power(base, exponent.over, exponent.under);
    return need(!*at && !exponent.twos, "an unknown word"), found;
}
static Interval formula(const char *given, Interval (*known)(char *)) { /* numbers, and operators behind them */
    static const char *const operators[] = {"+", "-", "*", "/", "ln", "sqrt", "exp", "cos", "sin"};
    Interval stack[DEEP], cosine;
    char text[LINE], *at = strcpy(text, given);
    int top = 0, k;
    for (char *one = word(&at); *one; one = word(&at)) {
        for (k = 0; k < 9 && strcmp(one, operators[k]);) k++;
        need(k < 9 ? top > (k < 4) : top < DEEP, "a formula with too few numbers or too many");
        Interval y = k < 9 ? stack[--top] : known && strchr("ft", *one) ? known(one) : literal(one);
        if (k == 4 || k == 5) y = k == 4 ? log_of(y) : mul(log_of(y), ratio(1, 2));
        if (k == 5 || k == 6) y = exp_of(y);
        if (k == 7 || k == 8) cos_sin(y, &cosine, &y), y = k == 7 ? cosine : y;
        if (k < 4) top--, y = k < 2 ? add(stack[top], k ? neg(y) : y) : ends(stack[top], y, k == 2 ? times : quotient);
        uint64_t low = y.low.n[limbs - 1] + (1ull << 61), high = y.high.n[limbs - 1] + (1ull << 61);
        need(!((low | high) >> 62), "too many bits"), stack[top++] = y; /* a sum of two has no more than there are */
    }
    return need(top == 1, "a formula that leaves no single number"), stack[0];
}
static struct slot { const char *text; int ready[2]; Interval found[2]; } slot[SLOTS]; /* factor, then numbers */
static Interval in_slot(int64_t i) {
    need(i >= 0 && i < slots && slot[i].text, "a number of the case that is not there");
    if (!slot[i].ready[level]++) slot[i].found[level] = formula(slot[i].text, NULL);
    return slot[i].found[level];
}
static Interval named(char *at) { /* f, or t and digits */
    int64_t i = !strcmp(at, "f") ? 0 : *at == 't' && at[1] != '-' ? ++at, integer(&at) + 1 : -1;
    return need(!i || !*at, "an unknown word"), in_slot(i);
}
static Interval value(char *at, int *minus_zero) { /* of a claim */
    char kind = *at && at[1] == ' ' ? *at : 0, *one;
    Interval x, y, cos, sin;
    if ((*minus_zero = !strcmp(at, "-0"))) return ratio(0, 1);
    if (!strcmp(at, "-inf")) return neg(exact((Num){1, 1, 1029}));
    if (!kind || !strchr("csr", kind)) return formula(at, named);
    word(&at), one = word(&at);
    if (kind == 'r') x = literal(one), y = literal(word(&at)), one = word(&at);
    need(*at == 't', "an unknown word"), cos_sin(mul(literal(one), named(at)), &cos, &sin);
    return mul(kind == 'r' ? add(mul(x, cos), mul(y, sin)) : kind == 'c' ? cos : sin, in_slot(0));
}
/* whether the digits enclose x, and nothing that they enclose rounds to other bits */
static int proved(uint64_t bits, int precision, int width, const char *digits, Interval x, int minus_zero) {
    int64_t bias = (1 << (width - 1)) - 1, exponent = (int64_t)(bits >> (precision - 1)) & (2 * bias + 1);
    int64_t largest = 2 * bias + 1 + (precision == 4); /* which is infinity or NaN; E4M3 has no infinity, one NaN */
    int64_t m = (int64_t)(bits & (((uint64_t)1 << (precision - 1)) - 1));
    int sign = bits >> (precision - 1 + width) & 1, k = (int)strlen(digits) - 1, closer = m == 0 && exponent > 1;
    need(k > 0 && k < 250 && strchr("+-=~", *digits) && strspn(digits + 1, "0123456789abcdef") == (size_t)k, "digits");
    need(strchr("+-", *digits) || digits[k] != '0' || !strcmp(digits, "=0"), "digits of which the last says nothing");
    need((exponent < largest || !m) && (precision != 4 || exponent < 15 || m < 7), "NaN");
    if (!sign_of(x.low) && !sign_of(x.high)) return !m && !exponent && sign == minus_zero && !strcmp(digits, "=0");
    if (sign) x = neg(x);
    if (exponent) m |= (int64_t)1 << (precision - 1); /* the number is m 2**q, a unit of the last digit 2**(q - 4 k) */
    int unit = 64 * fraction + (int)(exponent ? exponent : 1) - (int)bias + 1 - precision - 4 * k;
    if (unit < 0 || negative(x.low)) return 0; /* the number is above 0 where x.low is 0 and x.high is not */
    Big first = small(m), above = shifted(small(2 * m + 1), 4 * k - 1);
    Big below = closer ? shifted(small(4 * m - 1), 4 * k - 2) : shifted(small(2 * m - 1), 4 * k - 1);
    if (exponent == largest) return !strcmp(digits, "=0") && compare(x.low, shifted(below, unit)) >= 0;
    int down = strchr("-~", *digits) != NULL, equal = strchr("=~", *digits) != NULL;
    for (const char *one = digits + 1; *one; one++)
        first = plus(shifted(first, 4), small((down ? -1 : 1) * (*one <= '9' ? *one - '0' : *one - 'a' + 10)));
    Big last = plus(first = minus(first, small(!equal && down)), small(!equal));
    int low = compare(below, first), high = compare(last, above);
    if (low > 0 || high > 0 || (m % 2 && (!low || !high))) return 0;
    low = compare(shifted(first, unit), x.low), high = compare(x.high, shifted(last, unit));
    return equal ? !low && !high : low < !m && high < 0;
}
static char *read_file(const char *path) { /* without its last line, the FNV-1a hash of those before */
    FILE *file = fopen(path, "rb");
    char *text = calloc(LARGEST, 1), line[32];
    size_t size = file && text ? fread(text, 1, LARGEST - 1, file) : 0, hashed = size;
    uint64_t hash = 0xcbf29ce484222325;
    need(size > 0 && size < LARGEST - 1 && strlen(text) == size && !fclose(file), "a file that cannot be read");
    for (hashed--; hashed && text[hashed - 1] != '\n';) hashed--;
    for (size_t i = 0; i < hashed; hash = (hash ^ (unsigned char)text[i++]) * 0x100000001b3)
        need(strchr(" \n", text[i]) ? i && text[i - 1] > ' ' : text[i] > ' ' && text[i] < 127, "not words and spaces");
    snprintf(line, sizeof line, "end %016" PRIx64 "\n", hash);
    return need(!strcmp(text + hashed, line), "a damaged or truncated file"), text[hashed] = 0, text;
}
static int element(const char *line, int precision, int width) { /* BITS DIGITS CLAIM */
    for (int k = 0, minus_zero; k < 2; k++) {
        char text[LINE], *at = strcpy(text, line), *bits = word(&at), *digits = word(&at);
        uint64_t pattern = strtoull(bits, NULL, 16), size = strspn(bits, "0123456789abcdef");
        need(4 * (int)size == precision + width && !bits[size], "bits of another size");
        Interval x = value((use(k), at), &minus_zero);
        if (proved(pattern, precision, width, digits, x, minus_zero)) return 1;
    }
    return 0;
}
static long check(const char *path) { /* how many values are proved; ends the program at one that is not */
    static const char follows[] = ",first refpos,refpos case,case t,case f,t t,t f,f v,v v,v case,";
    char *text = read_file(path), *line = text, *before = "first", *kind, *end, *name = "", pair[32];
    long count = 0;
    for (int k = 0, i = 0; (end = strchr(line, '\n')); line = end + 1, before = kind) {
        need(end - line < LINE && slots < SLOTS, "a long line, or too many numbers of a case"), *end = 0;
        snprintf(pair, sizeof pair, ",%s %s,", before, kind = word(&line));
        need(strstr(follows, pair) != NULL, "a line of no kind, or in another place");
        if (*kind == 'r') need(!strncmp(line, "claims 1 ", 9) && !strchr(line + 9, ' '), "another first line");
        if (*kind == 'c') for (k = 0, slots = 1, name = word(&line); k < 6 && strcmp(line, formats[k].words);) k++;
        need(k < 6, "a precision and a width of no format");
        if (*kind == 'f' || *kind == 't') slot[i = *kind == 'f' ? 0 : slots++] = (struct slot){.text = line};
        if (*kind == 'f' || (*kind == 't' && strcmp(line, "none"))) use(0), in_slot(i); /* none is left unread */
        if (*kind == 'v' && !element(line, formats[k].precision, formats[k].width))
            printf("%s: refused: %s: %s\n", path, name, line), exit(1);
        count += *kind == 'v';
    }
    need(*before == 'v', "a file or a case without values"), printf("%s: %ld values proved\n", path, count);
    return free(text), count;
}
int main(int argc, char **argv) {
    long count = 0;
    for (int i = 1; i < argc; i++) count += check(argv[i]);
    return printf("%ld values proved\n", count), count ? 0 : 2;
}

/* A port of four encodings in plain C, with a mistake in it that a number chooses; 0 has none. */
#include <math.h>

enum { PAIRING = 1, EXCHANGED, OFF_BY_ONE, BASE, EXPONENT, DIRECTION, SLOPES };

static double angle(double position, long i, long dim, double base, int mistake)
{
    double exponent = (mistake == EXPONENT ? 1.0 : 2.0) * (double)i / (double)dim;
    return (position + (mistake == OFF_BY_ONE)) * pow(mistake == BASE ? 1000.0 : base, -exponent);
}

void rope_table(const double *p, long n, long dim, double base, int mistake, float *one, float *two)
{
    for (long k = 0; k < n * (dim / 2); k++) {
        double a = angle(p[k / (dim / 2)], k % (dim / 2), dim, base, mistake);
        one[k] = (float)(mistake == EXCHANGED ? sin(a) : cos(a));
        two[k] = (float)(mistake == EXCHANGED ? cos(a) : sin(a));
    }
}

void sinusoidal(const double *p, long n, long dim, double base, int mistake, float *out)
{
    for (long k = 0; k < n * dim; k++) {
        double a = angle(p[k / dim], k % dim / 2, dim, base, mistake);
        out[k] = (float)((k % 2) != (mistake == EXCHANGED) ? cos(a) : sin(a));
    }
}

void rope(const float *x, const double *p, long rows, long n, long dim, double base, int half, int mistake, float *out)
{
    half = mistake == PAIRING ? !half : half;
    for (long row = 0; row < rows; row++)
        for (long i = 0; i < dim / 2; i++) {
            double a = angle(p[row % n], i, dim, base, mistake);
            double c = cos(a), s = mistake == DIRECTION ? -sin(a) : sin(a);
            long one = row * dim + (half ? i : 2 * i), two = half ? one + dim / 2 : one + 1;
            if (mistake == EXCHANGED) {
                double kept = c;
                c = s;
                s = kept;
            }
            out[one] = (float)(x[one] * c - x[two] * s);
            out[two] = (float)(x[two] * c + x[one] * s);
        }
}

/* the bias of a causal mask; queries stand at the end of the keys */
void alibi(long heads, long queries, long keys, int mistake, float *out)
{
    long power = 1;
    while (2 * power <= heads)
        power *= 2;
    for (long h = 0; h < heads; h++) {
        double e = h < power ? 8.0 * (double)(h + 1) / (double)power : 4.0 * (double)(2 * (h - power) + 1) / (double)power;
        if (mistake == SLOPES)
            e = 8.0 * (double)(h + 1) / (double)heads;
        for (long q = 0; q < queries; q++)
            for (long k = 0; k < keys; k++) {
                long distance = q + keys - queries - k;
                out[(h * queries + q) * keys + k] = (float)(distance < 0 ? -INFINITY : -pow(2.0, -e) * (double)distance);
            }
    }
}

/* A process that refpos verifies as it runs: it computes inverse frequencies in double, and answers a case a line.

     cc -O2 -o port port.c -lm
     refpos verify --live --suite inverse_frequencies --only-answered -- ./port

   A real port has a JSON parser; this one knows the one form of arguments that it can compute. */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static char line[1 << 20];

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        char id[200];
        if (sscanf(line, "{\"id\": \"%199[^\"]\"", id) != 1) return 1;
        const char *form = "\"arguments\": {\"base\": %ld, \"dim\": %ld, \"dtype\": \"float64\"}%n";
        const char *at = strstr(line, "\"arguments\"");
        long dim, base;
        int whole = 0; /* stays 0 where another argument follows */
        if (!at || sscanf(at, form, &base, &dim, &whole) != 2 || !whole) {
            printf("{\"id\": \"%s\", \"unsupported\": \"only float64, whole bases, no other argument\"}\n", id);
            fflush(stdout);
            continue;
        }
        printf("{\"id\": \"%s\", \"outputs\": {\"output\": {\"dtype\": \"float64\", ", id);
        printf("\"shape\": [%ld], \"bits\": [", dim / 2);
        for (long k = 0; k < dim / 2; k++) {
            double value = pow((double)base, -2.0 * (double)k / (double)dim);
            uint64_t bits;
            memcpy(&bits, &value, 8);
            printf("%s\"%016" PRIx64 "\"", k ? ", " : "", bits);
        }
        printf("]}}}\n");
        fflush(stdout);
    }
    return 0;
}

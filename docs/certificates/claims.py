"""What a golden case claims: from its call, as docs/golden-format.md writes it, to a formula for each value.

Nothing of refpos is imported. Each function is (claims of its arguments, the arguments and inputs that they read); a
case with another argument is not covered. Claims are (the numbers of the case, the factor on cosines and sines, the
function from an index to the formula of that value). Where a formula depends on a comparison, as with the ramp of YaRN,
it is decided by intervals.
"""

import biases
import calendars
import distances
import eight_bits
import exponentials
import features
import frequencies
import gradients
import graphs
import harmonics
import inner_products
import lengths
import operators
import rotations
import scales
import sinusoids
import tables
import waves
from outputs import outputs as returned
from words import known

FAMILIES = sinusoids, features, frequencies, rotations, scales, operators, biases, distances, tables, waves, harmonics
FAMILIES += eight_bits, calendars, graphs, lengths, inner_products, gradients, exponentials
FUNCTIONS = {name: entry for family in FAMILIES for name, entry in family.FUNCTIONS.items()}


def outputs(suite, a, dtypes):
    """{name: (dtype, shape)} of the outputs of a case."""
    known(suite, a, FUNCTIONS[suite][1])
    return returned(suite, a, dtypes)


def claims(suite, a, output):
    """(numbers, factor, the function from an index to the claim) of an output of a case."""
    function, arguments = FUNCTIONS[suite]
    known(suite, a, arguments)
    return function(a, output)

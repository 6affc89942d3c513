"""Golden cases of positions of drafted trees."""

from ....case import listed, paper, project, suite

MEDUSA = project("Medusa", "10a2697", "medusa/model/utils.py", "generate_medusa_buffers")
EAGLE = project("EAGLE", "148042c", "eagle/model/cnets.py", "topK_genrate")
value, refused = suite("tree_depths", paper("Cai et al. 2024, Medusa, arXiv:2401.10774, section 2.1.2"))
FLAGS = ("CacheOffset", "OffByOne")
#: the node before each node
TREES = (
    ("chain", "a chain", (-1, 0, 1, 2, 3)),
    ("star", "candidates of one token", (-1, 0, 0, 0)),
    ("medusa", "2 candidates, 2 of each after them, 1 after the first", (-1, 0, 0, 1, 1, 2, 2, 3)),
    ("backwards", "children before their parents", (3, 3, 0, 4, -1)),
    ("forest", "two roots", (-1, -1, 0, 1, 1, 2)),
    ("root", "a root alone", (-1,)),
    ("none", "no nodes", ()),
)


def tree(*parents, shape=None):
    return {"parents": listed(parents, shape=shape)}


CASES = [
    *[value(slug, about, inputs=tree(*parents), flags=FLAGS, source=MEDUSA) for slug, about, parents in TREES],
    *[
        value(f"{slug}-after-37", f"{about}, after 37 tokens", past_length=37, inputs=tree(*parents), flags=FLAGS,
              source=EAGLE)
        for slug, about, parents in TREES[2:4]
    ],
    value("batch", "two trees after 5 and 900 tokens", flags=FLAGS,
          inputs={**tree(-1, 0, 0, 1, 3, -1, 1, 1, shape=(2, 4)), "past_length": listed((5, 900))}),
    value("long", "after 2**31 tokens", past_length=2**31 - 1, inputs=tree(-1, 0, 1),
          flags=(*FLAGS, "LongContextInteger")),
    refused("cycle", "a cycle", "E_POSITION", "parents", inputs=tree(-1, 2, 1)),
    refused("itself", "a node above itself", "E_POSITION", "parents", inputs=tree(-1, 1)),
    refused("range", "a parent that is no node", "E_POSITION", "parents", inputs=tree(-1, 2)),
    refused("negative", "a parent of -2", "E_POSITION", "parents", inputs=tree(-2, 0)),
    refused("scalar", "no axis", "E_SHAPE", "parents", parents=0),
    refused("past", "a negative length", "E_SIZE", "past_length", past_length=-1, inputs=tree(-1)),
    refused("rows", "a length too few", "E_SHAPE", "past_length",
            inputs={**tree(-1, -1, shape=(2, 1)), "past_length": listed((5,))}),
]  # fmt: skip

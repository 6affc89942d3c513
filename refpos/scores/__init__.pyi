# What `refpos.scores` holds, for editors and type checkers; written by `python tests/test_exports.py`.

from .attention import attention as attention
from .attention_temperature import attention_temperature as attention_temperature
from .bucket_scores import bucket_scores as bucket_scores
from .convit_attention import convit_attention as convit_attention
from .cope import cope as cope
from .dape import dape as dape
from .deberta_scores import deberta_scores as deberta_scores
from .decomposed_scores import decomposed_scores as decomposed_scores
from .dual_chunk_mscale import dual_chunk_mscale as dual_chunk_mscale
from .log_n_scale import log_n_scale as log_n_scale
from .merge_outputs import merge_outputs as merge_outputs
from .merge_scores import merge_scores as merge_scores
from .per_dim_scale import per_dim_scale as per_dim_scale
from .relative_scores import relative_scores as relative_scores
from .relative_values import relative_values as relative_values
from .xl_scores import xl_scores as xl_scores
from .yarn_softmax_scale import yarn_softmax_scale as yarn_softmax_scale

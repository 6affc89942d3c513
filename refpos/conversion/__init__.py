"""Conversion between layouts of rotary encoding: tables, channels, weights, and the proof that scores are the same.

Everything here only moves numbers: any dtype, every bit as it was.
"""

from .channels import order, reorder
from .layout import Layout, layout
from .proof import Proof, prove_orders, prove_weights
from .qkv import qkv_order, qkv_rows
from .table import convert_table

__all__ = [
    "Layout",
    "Proof",
    "convert_table",
    "layout",
    "order",
    "prove_orders",
    "prove_weights",
    "qkv_order",
    "qkv_rows",
    "reorder",
]

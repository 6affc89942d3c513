"""Positions of tokens in batches: packed, padded, cached, sharded, in trees and in compressed rows; one file each."""

; Upper bits of a significand, an integer: they leave so few bits that these are a double, at most 27 where they are cut, 26
; and a sign where they are rounded. Signs and powers of two change nothing; a carry beyond 53 bits is in the pattern the
; next power of two.
(set-logic QF_BV)
(define-sort Word () (_ BitVec 64))
(declare-const m Word)
(assert (bvult m #x0020000000000000))
; rotations as pairs, in the compiled kernels and in NumPy
(push)
(assert (or (bvuge (bvsub m (bvand m $cut)) #x0000000008000000) (bvuge (bvsub m (bvand m $cut_numpy)) #x0000000008000000)))
(check-sat)
(pop)
; exact products
(push)
(assert (bvugt (bvadd (bvsub m (bvand (bvadd m $added) $rounded)) #x0000000004000000) #x0000000008000000))
(check-sat)
(pop)

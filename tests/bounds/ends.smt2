; Rounding to nearest is monotonic, in every set of numbers: where both ends of an interval round alike, so does each number
; between them. What the code makes of a pair and a radius are such ends: ends.py tries all numbers of a small format.
(set-logic QF_LRA)
(declare-const x Real)
(declare-const y Real)
; nearest to x and to y
(declare-const a Real)
(declare-const b Real)
(define-fun size ((v Real)) Real (ite (>= v 0.0) v (- v)))
(push)
(assert (and (< x y) (> a b) (<= (size (- x a)) (size (- x b))) (<= (size (- y b)) (size (- y a)))))
(check-sat)
(pop)

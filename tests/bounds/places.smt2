; A phase is its knot plus the angle from it: all bits of `turns` and `next` but those that are cut, and none twice. Whole
; turns are multiples of 2^96.
(set-logic QF_LIA)
(declare-const turns Int)
(declare-const next Int)
(assert (and (<= 0 turns 18446744073709551615) (<= 0 next 4294967295)))
(define-fun phase () Int (+ (* 4294967296 turns) next))
(define-fun is_cut ((cut Int) (units Int)) Bool
  (or (<= 0 cut (- units 1)) (<= 0 (- cut 79228162514264337593543950336) (- units 1))))
; pairs, vectors: knots of 2^-11 turns; high, at most 2^25 in size, of 2^-37, and low, below 2^52, of 2^-89
(push)
$pair_lines
(assert (not (and $pair_needed (<= 0 $pair_knot 2047) (<= (- 33554432) $pair_high 33554432) (<= 0 $pair_low 4503599627370495)
  (is_cut (- phase (* 38685626227668133590597632 $pair_knot) (* 576460752303423488 $pair_high) (* 128 $pair_low)) 128))))
(check-sat)
(pop)
; one by one: high, at most 2^25 in size, of 2^-37, and low, below 2^59, of 2^-96
(push)
$scalar_lines
(assert (not (and $scalar_needed (<= 0 $scalar_knot 2047) (<= (- 33554432) $scalar_high 33554432)
  (<= 0 $scalar_low 576460752303423487)
  (is_cut (- phase (* 38685626227668133590597632 $scalar_knot) (* 576460752303423488 $scalar_high) $scalar_low) 1))))
(check-sat)
(pop)
; NumPy: a distance, a multiple of 2^11 and at most 2^63 in size, of 2^-75, and the 32 bits below 2^-64
(push)
$numpy_lines
(assert (not (and $numpy_needed (<= 0 $numpy_knot 2047) (= $numpy_left 0)
  (<= (- 9223372036854775808) $numpy_distance 9223372036854775808)
  (is_cut (- phase (* 38685626227668133590597632 $numpy_knot) (* 2097152 $numpy_distance) $numpy_next) 1))))
(check-sat)
(pop)
; plain double, vectors: every other knot, and an angle of 2^-62, at most 2^51 in size; 2 bits are cut
(push)
$double_lines
(assert (not (and $double_needed (<= 0 $double_knot 2047) (<= (- 2251799813685248) $double_x 2251799813685248)
  (is_cut (- (* 4294967296 turns) (* 38685626227668133590597632 $double_knot) (* 17179869184 $double_x)) 17179869184))))
(check-sat)
(pop)

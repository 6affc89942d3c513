; A position times a phase per position, five limbs f0 .. f4 of 32 bits below a turn. The position is low plus 2^32 high, at
; most 2^53 in size; low_f0 is low times f0. Errors are in units of 2^-160 turns; whole turns are multiples of 2^160.
(set-logic QF_LIA)
(define-fun largest_of_low () Int 18446744065119617025) ; (2^32 - 1)^2
(define-fun largest_of_high () Int 9007199252643840) ; 2^21 (2^32 - 1)
$products
(define-fun product () Int (+ $exact))
(define-fun turn ((turns Int) (next Int)) Int (* 18446744073709551616 (+ (* 4294967296 turns) next)))
; the frequency is off by less than 2 units: that is 2^54 of them
(define-fun beyond ((error Int) (limit Int)) Bool (not (<= (- 18014398509481984 limit) error (- limit 18014398509481984))))
; 96 bits, vectors, of positions that are not negative
(push)
$of_sizes
$pair_lines
(assert (or (not $pair_needed) (beyond (- (turn $pair_turns $pair_next) product) $limit)))
(check-sat)
(pop)
; of negative ones all bits of the product of the size are flipped
(push)
$of_sizes
$flipped_lines
(assert (or (not $flipped_needed) (beyond (+ (turn $flipped_turns $flipped_next) product) $limit)))
(check-sat)
(pop)
; one by one
(push)
$of_sizes
$scalar_lines
(assert (or (not $scalar_needed) (beyond (- (turn $scalar_turns $scalar_next) product) $limit)))
(check-sat)
(pop)
; NumPy, positions of up to 32 bits, which are not negative
(push)
$without_high
$small_lines
(assert (or (not $small_needed) (beyond (- (turn $small_turns $small_next) product) $limit)))
(check-sat)
(pop)
; NumPy, all positions
(push)
$large_lines
(assert (or (not $large_needed) (beyond (- (turn $large_turns $large_next) product) $limit)))
(check-sat)
(pop)
; 64 bits, vectors: 4 units of 2^-64 turns
(push)
$of_sizes
$short_lines
(assert (or (not $short_needed) (beyond (- (turn $short_turns 0) product) 316912650057057350374175801344)))
(check-sat)
(pop)
(push)
$of_sizes
$opposite_lines
(assert (or (not $opposite_needed) (beyond (+ (turn $opposite_turns 0) product) 316912650057057350374175801344)))
(check-sat)
(pop)

//! How large a set is when its size has more digits than there is memory: the logarithm of the count.
//!
//! A hierarchical diagram of n levels can hold `2^(2^n)` sequences, so not even the logarithm need fit
//! in a float. It is kept as a float times a power of two. Counts are sums of products; products add
//! logarithms, and `ln(a + b) = ln a + ln(1 + exp(ln b - ln a))` for `a >= b`.

use crate::hash::NodeMap;
use crate::manager::Manager;
use crate::measure::Reach;
use crate::node::Node;

/// A number `mantissa * 10^exponent` with `1 <= mantissa < 10`, or zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnitude {
    /// The leading digits.
    pub mantissa: f64,
    /// The power of ten.
    pub exponent: i64,
}

/// A number at least zero: `mantissa * 2^exponent` with `0.5 <= mantissa < 1`, or zero.
#[derive(Clone, Copy, Debug)]
struct Scaled {
    mantissa: f64,
    exponent: i64,
}

const EXPONENT_BITS: u64 = 0x7ff << 52;
/// The exponent bits of floats from 0.5 to 1.
const HALF: u64 = 1022 << 52;

impl Scaled {
    const ZERO: Scaled = Scaled {
        mantissa: 0.0,
        exponent: 0,
    };

    /// A finite float that is not negative; those too small to be normal count as zero.
    fn new(value: f64, exponent: i64) -> Scaled {
        let bits = value.to_bits();
        let own = (bits & EXPONENT_BITS) >> 52;
        if own == 0 {
            return Scaled::ZERO;
        }
        Scaled {
            mantissa: f64::from_bits(bits & !EXPONENT_BITS | HALF),
            exponent: exponent + own as i64 - 1022,
        }
    }

    fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    fn is_less(self, other: Scaled) -> bool {
        if self.is_zero() || other.is_zero() {
            return self.is_zero() && !other.is_zero();
        }
        (self.exponent, self.mantissa) < (other.exponent, other.mantissa)
    }

    /// The mantissa under a larger exponent.
    fn aligned(self, exponent: i64) -> f64 {
        let shift = exponent - self.exponent;
        if self.is_zero() || shift > 1000 {
            0.0
        } else {
            self.mantissa * (2f64).powi(-(shift as i32))
        }
    }

    fn plus(self, other: Scaled) -> Scaled {
        let (small, large) = if self.is_less(other) {
            (self, other)
        } else {
            (other, self)
        };
        Scaled::new(
            large.mantissa + small.aligned(large.exponent),
            large.exponent,
        )
    }

    /// `self - other` as a float, where `other` is not larger; infinite when it does not fit.
    fn minus(self, other: Scaled) -> f64 {
        let difference = self.mantissa - other.aligned(self.exponent);
        match self.exponent {
            ..=-1000 => 0.0,
            exponent @ ..=1000 => difference * (2f64).powi(exponent as i32),
            _ if difference == 0.0 => 0.0,
            _ => f64::INFINITY,
        }
    }

    /// `ln(exp(self) + exp(other))`
    fn log_sum(self, other: Scaled) -> Scaled {
        let (small, large) = if self.is_less(other) {
            (self, other)
        } else {
            (other, self)
        };
        let ratio = (-large.minus(small)).exp();
        large.plus(Scaled::new(ratio.ln_1p(), 0))
    }

    fn decimal(self) -> Magnitude {
        if self.is_zero() {
            return Magnitude {
                mantissa: 0.0,
                exponent: 0,
            };
        }
        let log = self.mantissa.log10() + self.exponent as f64 * std::f64::consts::LOG10_2;
        let mut exponent = log.floor();
        let mut mantissa = (10f64).powf(log - exponent);
        if mantissa >= 10.0 {
            mantissa /= 10.0;
            exponent += 1.0;
        }
        Magnitude {
            mantissa,
            exponent: exponent as i64,
        }
    }
}

impl Manager {
    /// The decimal logarithm of the size of a set; `None` for the empty set.
    ///
    /// About 12 digits are right.
    pub fn log10_count(&self, set: Node) -> Option<Magnitude> {
        if set.is_zero() {
            return None;
        }
        let mut logs: NodeMap<Scaled> = NodeMap::default();
        logs.insert(Node::ONE, Scaled::ZERO);
        for node in self.bottom_up(set, Reach::ChildrenAndLabels) {
            let mut sum: Option<Scaled> = None;
            self.each_factor(node, |factors, times| {
                let term = factors
                    .iter()
                    .fold(Scaled::new((times as f64).ln(), 0), |product, factor| {
                        product.plus(logs[factor])
                    });
                sum = Some(sum.map_or(term, |sum| sum.log_sum(term)));
            });
            logs.insert(node, sum.unwrap_or(Scaled::ZERO));
        }
        let natural = logs[&set];
        let scaled = natural.mantissa * std::f64::consts::LOG10_E;
        Some(Scaled::new(scaled, natural.exponent).decimal())
    }

    /// The size of a set modulo a number below `2^63`; exact where the size itself fits nowhere.
    pub fn count_modulo(&self, set: Node, modulus: u64) -> u64 {
        let modulus = u128::from(modulus);
        let mut counts: NodeMap<u128> = NodeMap::default();
        counts.extend([(Node::ZERO, 0), (Node::ONE, 1 % modulus)]);
        for node in self.bottom_up(set, Reach::ChildrenAndLabels) {
            let mut sum = 0;
            self.each_factor(node, |factors, times| {
                let times = times as u128 % modulus;
                let product = |all, factor| all * counts[factor] % modulus;
                sum = (sum + factors.iter().fold(times, product)) % modulus;
            });
            counts.insert(node, sum);
        }
        counts[&set] as u64
    }

    /// The least and greatest integer on the edges of a diagram, inside labels too.
    pub fn integer_bounds(&self, set: Node) -> Option<(i32, i32)> {
        let mut bounds: Option<(i32, i32)> = None;
        for node in self.bottom_up(set, Reach::ChildrenAndLabels) {
            if self.kind(node) != crate::node::Kind::Integer {
                continue;
            }
            for value in self.edges(node).iter().map(|e| e.value()) {
                let (low, high) = bounds.unwrap_or((value, value));
                bounds = Some((low.min(value), high.max(value)));
            }
        }
        bounds
    }
}

//! The arithmetic of the models: 32-bit two's complement with one meaning for undefined cases.
//!
//! The same table as `plait.model.arithmetic` in Python, which is the specification: everything
//! wraps, and an operation is undefined (`None`) when it divides or takes a remainder by zero,
//! shifts by less than 0 or more than 31 places, or raises to a negative power.

/// A unary operation on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-a`
    Negate,
    /// `~a`
    Complement,
}

impl UnaryOp {
    /// The operation that a model writes as `text`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "-" => Some(Self::Negate),
            "~" => Some(Self::Complement),
            _ => None,
        }
    }

    /// `op a`.
    #[inline]
    pub fn apply(self, a: i32) -> i32 {
        match self {
            Self::Negate => a.wrapping_neg(),
            Self::Complement => !a,
        }
    }
}

/// A binary operation on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`, rounded towards zero
    Divide,
    /// `a % b`, with the sign of `a`
    Remainder,
    /// `a ** b`
    Power,
    /// `a << b`
    ShiftLeft,
    /// `a >> b`, keeping the sign
    ShiftRight,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
}

impl BinaryOp {
    /// All operations, for tests and tables.
    pub const ALL: [Self; 11] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::Power,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::And,
        Self::Or,
        Self::Xor,
    ];

    /// The operation that a model writes as `text`.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "+" => Self::Add,
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            "%" => Self::Remainder,
            "**" => Self::Power,
            "<<" => Self::ShiftLeft,
            ">>" => Self::ShiftRight,
            "&" => Self::And,
            "|" => Self::Or,
            "^" => Self::Xor,
            _ => return None,
        })
    }

    /// `a op b`, or `None` where it is undefined.
    #[inline]
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        match self {
            Self::Add => Some(a.wrapping_add(b)),
            Self::Subtract => Some(a.wrapping_sub(b)),
            Self::Multiply => Some(a.wrapping_mul(b)),
            Self::Divide => (b != 0).then(|| a.wrapping_div(b)),
            Self::Remainder => (b != 0).then(|| a.wrapping_rem(b)),
            Self::Power => u32::try_from(b).ok().map(|b| a.wrapping_pow(b)),
            Self::ShiftLeft => (0..32).contains(&b).then(|| a.wrapping_shl(b as u32)),
            Self::ShiftRight => (0..32).contains(&b).then(|| a.wrapping_shr(b as u32)),
            Self::And => Some(a & b),
            Self::Or => Some(a | b),
            Self::Xor => Some(a ^ b),
        }
    }
}

/// A comparison of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
}

impl CompareOp {
    /// All comparisons, for tests and tables.
    pub const ALL: [Self; 6] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
    ];

    /// The comparison that a model writes as `text`.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterEqual,
            _ => return None,
        })
    }

    /// `a op b`.
    #[inline]
    pub fn apply(self, a: i32, b: i32) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
        }
    }

    /// The comparison with its sides exchanged: `a op b` is `b op.mirrored() a`.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
            other => other,
        }
    }

    /// The comparison that holds exactly when this one does not.
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_integer_divided_by_minus_one_is_itself_with_remainder_zero() {
        assert_eq!(BinaryOp::Divide.apply(i32::MIN, -1), Some(i32::MIN));
        assert_eq!(BinaryOp::Remainder.apply(i32::MIN, -1), Some(0));
        assert_eq!(UnaryOp::Negate.apply(i32::MIN), i32::MIN);
    }

    #[test]
    fn division_rounds_towards_zero_and_the_remainder_has_the_sign_of_the_dividend() {
        assert_eq!(BinaryOp::Divide.apply(-7, 2), Some(-3));
        assert_eq!(BinaryOp::Remainder.apply(-7, 2), Some(-1));
        assert_eq!(BinaryOp::Remainder.apply(7, -2), Some(1));
    }

    #[test]
    fn undefined_operations_are_none() {
        for (op, a, b) in [
            (BinaryOp::Divide, 1, 0),
            (BinaryOp::Remainder, 1, 0),
            (BinaryOp::ShiftLeft, 1, 32),
            (BinaryOp::ShiftLeft, 1, -1),
            (BinaryOp::ShiftRight, 1, 32),
            (BinaryOp::Power, 2, -1),
        ] {
            assert_eq!(op.apply(a, b), None, "{op:?}");
        }
    }

    #[test]
    fn powers_and_shifts_wrap() {
        assert_eq!(BinaryOp::Power.apply(0, 0), Some(1));
        assert_eq!(BinaryOp::Power.apply(3, 40), Some(3i32.wrapping_pow(40)));
        assert_eq!(BinaryOp::Power.apply(2, 31), Some(i32::MIN));
        assert_eq!(BinaryOp::ShiftLeft.apply(1, 31), Some(i32::MIN));
        assert_eq!(BinaryOp::ShiftRight.apply(-8, 1), Some(-4));
    }

    #[test]
    fn mirrored_and_negated_comparisons_agree_with_their_definition() {
        for op in CompareOp::ALL {
            for (a, b) in [(0, 0), (0, 1), (1, 0), (i32::MIN, i32::MAX)] {
                assert_eq!(op.apply(a, b), op.mirrored().apply(b, a));
                assert_eq!(op.apply(a, b), !op.negated().apply(a, b));
            }
        }
    }
}

use jiff::Timestamp;

/// Where the time comes from. Logic asks a clock, so that a test or a replay can fix it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The machine's own time.
    #[default]
    System,
    /// Always this instant.
    Fixed(Timestamp),
}

impl Clock {
    /// The present instant.
    pub fn now(self) -> Timestamp {
        match self {
            Clock::System => Timestamp::now(),
            Clock::Fixed(instant) => instant,
        }
    }
}

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The source of the time. Code asks a clock, so that a test or a replay can fix it.
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

/// The day of an instant, in universal time.
pub fn day_of(instant: Timestamp) -> Date {
    instant.to_zoned(TimeZone::UTC).date()
}

/// Nanoseconds from 1970 to an instant, as file times are kept; 0, which means no time, if they do not fit.
pub fn nanoseconds_of(instant: Timestamp) -> i64 {
    i64::try_from(instant.as_nanosecond()).unwrap_or(0)
}

/// The instant this many nanoseconds after 1970.
pub fn instant_of(nanoseconds: i64) -> Option<Timestamp> {
    Timestamp::from_nanosecond(i128::from(nanoseconds)).ok()
}

/// An instant in readable form: to the minute, in universal time.
pub fn minute_of(instant: Timestamp) -> String {
    instant.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

//! The base of everything else, without knowledge of the product: time, hashes, locks, files written whole, programs
//! that are run, database faults, text.

mod atomic_file;
mod causes;
pub mod child;
mod clock;
mod command;
mod dots;
mod hash;
mod if_there;
mod is_url;
mod lock;
mod private;
pub mod quiet;
mod rng;
mod sqlite;
pub mod text;

pub use atomic_file::write_atomically;
pub use causes::causes;
pub use clock::{Clock, day_of, instant_of, minute_of, nanoseconds_of};
pub use command::{CommandError, CommandLimits, let_edit, run_command};
pub use dots::without_dots;
pub use hash::ContentHash;
pub use if_there::if_there;
pub use is_url::is_url;
pub use lock::locked;
pub use private::{create_private_folder, make_private, private_file};
pub use rng::Rng;
pub use sqlite::{SqliteFault, in_exclusive_transaction, open_immutable, schema_version, with_tables};

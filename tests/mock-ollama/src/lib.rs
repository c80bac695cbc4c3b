//! An Ollama server that tests script in-process: real sockets, every byte under the test's control.
//!
//! A reply is a function of its request: the server's clock stands still, so equal requests get equal bytes. With a
//! [`Machine`] it runs, and the server has slots, loads, evictions and a prefix cache, as Ollama has; [`Served`] tells
//! what became of each request.
//! A script that panics drops its connection, as a crashed server would.
//!
//! ```
//! use mock_ollama::{Answer, MockOllama};
//!
//! let server = MockOllama::start();
//! server.script(|call| match call.attempt_of_same_body {
//!     1 => Answer::busy(),
//!     _ => Answer::text("Trams are worth it.").disconnect_after(2),
//! });
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! assert!(server.chats().is_empty());
//! ```

mod answer;
mod call;
mod card;
mod checks;
mod clock;
mod connection;
mod dice;
mod embed;
mod errors;
mod faults;
mod gate;
mod host;
mod http;
mod leaps;
mod log;
mod machine;
mod name;
mod needs;
mod ollama;
mod prompt;
mod queue;
mod reply;
mod run;
mod runners;
mod served;
mod server;
mod shaped;
mod shelf;
mod slots;
mod wire;
mod written;

pub use answer::Answer;
pub use call::Call;
pub use card::Card;
pub use faults::Faults;
pub use gate::Gate;
pub use machine::Machine;
pub use served::Served;
pub use server::{Builder, MockOllama};
pub use wire::Split;

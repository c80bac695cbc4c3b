//! The slots of one loaded model: a queue for them, and what each still holds of earlier prompts.

use crate::log::lock;
use crate::machine::Machine;
use crate::queue::queue;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A slot whose prompt shares no more than this with a new one is no better than any other.
const LIKENESS: f64 = 0.1;

/// Bytes of text in a token, roughly.
const TOKEN_BYTES: u64 = 4;

pub(crate) struct Slots {
    free: Arc<Semaphore>,
    /// None where prompts are not kept.
    memory: Option<Mutex<Memory>>,
}

/// What is kept of prompts.
struct Memory {
    slots: Vec<Kept>,
    /// Prompts that lost their slot, oldest first.
    shelf: VecDeque<String>,
    shelf_bytes: u64,
    releases: u64,
}

#[derive(Clone, Default)]
struct Kept {
    text: String,
    busy: bool,
    /// The number of its last release, as llama-server notes the time then (`server_slot::release`).
    last_used: u64,
}

/// A slot held by one request; free again when dropped.
pub(crate) struct Slot {
    /// How much of the prompt was there already, from 0 to 1.
    pub(crate) reused: f64,
    pub(crate) number: usize,
    slots: Arc<Slots>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Slots {
    pub(crate) fn new(number: usize, machine: &Machine) -> Self {
        let kept = || {
            Mutex::new(Memory {
                slots: vec![Kept::default(); number],
                shelf: VecDeque::new(),
                shelf_bytes: machine.prompt_cache / machine.kv_bytes_per_token.max(1) * TOKEN_BYTES,
                releases: 0,
            })
        };
        Self {
            free: Arc::new(Semaphore::new(number.min(Semaphore::MAX_PERMITS))),
            memory: (!machine.unlimited).then(kept),
        }
    }

    /// Waits for a slot behind all who came before, and puts `prompt` and then `reply` into it; calls `queued` when
    /// it has its place in the queue.
    pub(crate) async fn take(
        self: &Arc<Self>,
        prompt: &str,
        reply: &str,
        queued: impl FnOnce(),
    ) -> Slot {
        // Nobody closes the semaphore, so this does not fail.
        let permit = queue(self.free.clone().acquire_owned(), queued).await.ok();
        let memory = self.memory.as_ref();
        let (number, reused) = memory.map_or((0, 0.0), |it| lock(it).take(prompt, reply));
        Slot { reused, number, slots: self.clone(), _permit: permit }
    }
}

impl Memory {
    /// Chooses an idle slot as llama-server does; gives its number and the part of `prompt` it had.
    fn take(&mut self, prompt: &str, reply: &str) -> (usize, f64) {
        let number = self.choose(prompt);
        let mut reused = likeness(&self.slots[number].text, prompt);
        if let Some((place, better)) = self.shelved(prompt).filter(|(_, it)| *it > reused) {
            self.shelf.remove(place);
            reused = better;
            self.put_away(number);
        } else if reused <= LIKENESS {
            self.put_away(number);
        }
        self.slots[number].text = [prompt, reply].concat();
        self.slots[number].busy = true;
        (number, reused)
    }

    fn release(&mut self, number: usize) {
        self.releases += 1;
        self.slots[number].busy = false;
        self.slots[number].last_used = self.releases;
    }

    /// The idle slot that has most of `prompt`, or else the one unused for longest.
    fn choose(&self, prompt: &str) -> usize {
        let idle = self.slots.iter().enumerate().filter(|(_, it)| !it.busy);
        let worth = |kept: &Kept| {
            let likeness = likeness(&kept.text, prompt);
            if likeness > LIKENESS { likeness } else { 0.0 }
        };
        let better = |(_, a): &(usize, &Kept), (_, b): &(usize, &Kept)| {
            let by_age = b.last_used.cmp(&a.last_used);
            worth(a).total_cmp(&worth(b)).then(by_age)
        };
        idle.max_by(better).map_or(0, |(number, _)| number)
    }

    fn shelved(&self, prompt: &str) -> Option<(usize, f64)> {
        let likenesses = self.shelf.iter().map(|text| likeness(text, prompt));
        likenesses.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn put_away(&mut self, number: usize) {
        let text = std::mem::take(&mut self.slots[number].text);
        self.shelf.push_back(text);
        let bytes = |shelf: &VecDeque<String>| shelf.iter().map(|it| it.len() as u64).sum::<u64>();
        while !self.shelf.is_empty() && bytes(&self.shelf) > self.shelf_bytes {
            self.shelf.pop_front();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(memory) = &self.slots.memory {
            lock(memory).release(self.number);
        }
    }
}

/// The part of `prompt`, from 0 to 1, that `kept` begins with.
fn likeness(kept: &str, prompt: &str) -> f64 {
    let same = kept.bytes().zip(prompt.bytes()).take_while(|(a, b)| a == b).count();
    same as f64 / prompt.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_prompt_takes_the_slot_that_was_released_first() {
        let slots = Slots::new(2, &Machine::new());
        let mut memory = lock(slots.memory.as_ref().expect("a memory"));
        let (long, short) = (memory.take("ann", "").0, memory.take("ben", "").0);
        memory.release(short);
        memory.release(long);
        assert_eq!(memory.take("joe", ""), (short, 0.0));
    }
}

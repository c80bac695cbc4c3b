//! Canonical JSON, SHA-256 and everything derived from them: digests and seeds.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Bytes that SHA-256 takes in at a time.
const BLOCK: usize = 64;

/// The SHA-256 of `bytes`, in lower-case hexadecimal.
pub fn of_bytes(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The HMAC-SHA-256 of a message, in lower-case hexadecimal; the key has at most 64 bytes.
pub fn keyed(key: &[u8], message: &str) -> String {
    let padded = |pad: u8| -> Vec<u8> {
        let key = key.iter().chain(std::iter::repeat(&0));
        key.take(BLOCK).map(|byte| byte ^ pad).collect()
    };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(message).finalize();
    of_bytes(&[padded(0x5c), inner.to_vec()].concat())
}

/// Whether a text could be such a digest.
pub fn is_one(text: &str) -> bool {
    is_hex(text.as_bytes(), 64)
}

/// Whether these are so many lower-case hexadecimal digits.
pub fn is_hex(text: &[u8], digits: usize) -> bool {
    text.len() == digits && text.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The SHA-256 of `bytes` in Base64, as a page's content security policy names what it allows.
pub fn base64_of_bytes(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(Sha256::digest(bytes))
}

/// The SHA-256 of a value's canonical JSON, in lower-case hexadecimal.
pub fn of_json(value: &Value) -> String {
    of_canonical(&Canonical(value))
}

/// The same of what is canonical as it is serialized: the keys of all its objects come sorted.
pub fn of_canonical(value: &impl Serialize) -> String {
    of_bytes(&serde_json::to_vec(value).expect("texts, numbers and lists are JSON"))
}

/// JSON with the keys of every object sorted, so that equal values have equal text.
pub struct Canonical<'v>(pub &'v Value);

impl Serialize for Canonical<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                let mut fields: Vec<_> = map.iter().collect();
                fields.sort_by_key(|(key, _)| key.as_str());
                let fields = fields.into_iter();
                serializer.collect_map(fields.map(|(key, value)| (key, Canonical(value))))
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(Canonical)),
            other => other.serialize(serializer),
        }
    }
}

/// A number derived from a seed and a name: the same two always give the same number.
pub fn derive(seed: u64, name: &str) -> u64 {
    let hash = Sha256::new().chain_update(seed.to_le_bytes());
    let digest = hash.chain_update(name).finalize();
    let bytes = digest.iter().take(8).rev();
    bytes.fold(0, |all, byte| all << 8 | u64::from(*byte))
}

/// The seed of a model call: 31 bits from the debate's seed, the call's name and the attempt (row M6).
pub fn call_seed(debate_seed: u64, call: &str, attempt: u32) -> u32 {
    (derive(debate_seed, &format!("{call}#{attempt}")) & 0x7fff_ffff) as u32
}

/// The digits of a model's digest that people compare.
pub fn brief(digest: &str) -> &str {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    digits.get(..12).unwrap_or(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn canonical_json_sorts_keys_and_keeps_lists() {
        let value = json!({"b": [2, 1], "a": {"d": null, "c": "é\n"}});
        let canonical = serde_json::to_string(&Canonical(&value)).unwrap();
        assert_eq!(canonical, r#"{"a":{"c":"é\n","d":null},"b":[2,1]}"#);
    }

    #[test]
    fn l4_a_keyed_digest_is_that_of_rfc_4231() {
        assert_eq!(
            keyed(b"Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn s5_a_digest_in_base64_is_that_of_openssl() {
        assert_eq!(base64_of_bytes(b"abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn m6_a_call_seed_depends_on_debate_name_and_attempt_and_has_31_bits() {
        let seed = call_seed(1, "round-1/statement/position_x", 1);
        assert_eq!(seed, call_seed(1, "round-1/statement/position_x", 1));
        assert_ne!(seed, call_seed(2, "round-1/statement/position_x", 1));
        assert_ne!(seed, call_seed(1, "round-2/statement/position_x", 1));
        assert_ne!(seed, call_seed(1, "round-1/statement/position_x", 2));
        assert!((0..1000).all(|n| call_seed(n, "x", 1) < 1 << 31));
    }
}

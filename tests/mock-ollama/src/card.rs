//! A model as the server lists it.

use crate::name::full_name;
use crate::{clock, dice::Dice};
use serde_json::{Value, json};
use std::time::Duration;

/// Describes one installed model.
#[derive(Clone, Debug)]
pub struct Card {
    /// With its tag.
    pub(crate) name: String,
    pub(crate) context: u64,
    pub(crate) family: String,
    pub(crate) native: bool,
    pub(crate) load_time: Option<Duration>,
    /// Of its file, in bytes.
    pub(crate) size: u64,
    parameters: String,
    quantization: String,
    pub(crate) digest: String,
    capabilities: Vec<String>,
}

impl Card {
    /// An 8B llama of 8192 tokens that can only chat; without a tag, `name` gets `:latest`.
    pub fn new(name: &str) -> Self {
        let mut dice = Dice::of(name);
        Self {
            name: full_name(name),
            context: 8192,
            family: "llama".into(),
            native: false,
            load_time: None,
            size: 4_661_224_676,
            parameters: "8.0B".into(),
            quantization: "Q4_0".into(),
            digest: (0..4).map(|_| format!("{:016x}", dice.throw())).collect(),
            capabilities: vec!["completion".into()],
        }
    }

    /// The trained context, in tokens.
    pub fn context(self, context: u64) -> Self {
        Self { context, ..self }
    }

    /// The family, also the architecture.
    pub fn family(self, family: &str) -> Self {
        let family = family.into();
        Self { family, ..self }
    }

    /// The size of its file, in bytes: what it takes in memory besides its context.
    pub fn size(self, size: u64) -> Self {
        Self { size, ..self }
    }

    /// How long the machine takes to load it, whatever its size.
    pub fn load_time(self, time: Duration) -> Self {
        let load_time = Some(time);
        Self { load_time, ..self }
    }

    /// A model whose GGUF has a chat template only: llama-server renders its prompts, and none is cut.
    pub fn native(self) -> Self {
        let native = true;
        Self { native, ..self }
    }

    /// The number of parameters, as in `8.0B`.
    pub fn parameters(self, parameters: &str) -> Self {
        let parameters = parameters.into();
        Self { parameters, ..self }
    }

    /// The quantization, as in `Q4_0`.
    pub fn quantization(self, quantization: &str) -> Self {
        let quantization = quantization.into();
        Self { quantization, ..self }
    }

    /// The digest of the manifest: 64 hexadecimal digits.
    pub fn digest(self, digest: &str) -> Self {
        let digest = digest.into();
        Self { digest, ..self }
    }

    /// All it can do: `completion`, `thinking`, `embedding`, …
    pub fn capabilities<const N: usize>(self, capabilities: [&str; N]) -> Self {
        let capabilities = capabilities.map(String::from).into();
        Self { capabilities, ..self }
    }

    pub(crate) fn can(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|it| it == capability)
    }

    /// Its entry in `/api/tags`.
    pub(crate) fn tag(&self) -> Value {
        let mut details = self.details();
        details["context_length"] = self.context.into();
        json!({
            "name": self.name, "model": self.name, "modified_at": clock::later(0), "size": self.size,
            "digest": self.digest, "details": details, "capabilities": self.capabilities,
        })
    }

    /// The answer of `/api/show`.
    pub(crate) fn show(&self) -> Value {
        let context_length = format!("{}.context_length", self.family);
        json!({
            "template": "{{ .Prompt }}",
            "details": self.details(),
            "model_info": { "general.architecture": self.family, context_length: self.context },
            "capabilities": self.capabilities,
            "modified_at": clock::later(0),
        })
    }

    /// Its entry in `/api/ps`, loaded until machine time `until`.
    pub(crate) fn running(&self, context: u64, until: u64, bytes: u64, bytes_vram: u64) -> Value {
        json!({
            "name": self.name, "model": self.name, "size": bytes, "digest": self.digest,
            "details": self.details(), "expires_at": clock::later(until),
            "size_vram": bytes_vram, "context_length": context,
        })
    }

    fn details(&self) -> Value {
        json!({
            "parent_model": "", "format": "gguf", "family": self.family, "families": [self.family],
            "parameter_size": self.parameters, "quantization_level": self.quantization,
        })
    }
}

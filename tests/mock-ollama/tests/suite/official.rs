//! The official client, PyPI's `ollama`, against the server.

use mock_ollama::{Card, MockOllama};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

const CLIENT: &str = "ollama==0.6.3";

#[test]
fn pypis_client_can_talk_to_it() {
    let python = match python_with_client() {
        Ok(python) => python,
        Err(why) => {
            // Not captured, so that it is seen.
            let line = format!("\n*** SKIPPED pypis_client_can_talk_to_it: {why} ***\n");
            io::stderr().write_all(line.as_bytes()).ok();
            return;
        }
    };
    let thinker = Card::new("deep:1b").capabilities(["completion", "thinking", "tools"]);
    let server = MockOllama::builder()
        .models([Card::new("llama3"), thinker])
        .pullable([Card::new("new")])
        .check_host()
        .start();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/official_client.py");
    run(Command::new(python).arg(script).arg(server.url()).env("NO_PROXY", "*"))
        .expect("the client is content");
    assert!(server.calls().iter().any(|call| call.path == "/api/pull"));
}

/// An interpreter that has the client, kept between runs.
fn python_with_client() -> Result<PathBuf, String> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(CLIENT);
    let python = venv.join("bin/python");
    let installed = venv.join("installed");
    if !installed.exists() {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        let install = ["-m", "pip", "install", "--quiet", "--retries=1", "--timeout=20"];
        run(Command::new(&python).args(install).arg(CLIENT))?;
        std::fs::write(installed, CLIENT).map_err(|problem| problem.to_string())?;
    }
    Ok(python)
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|problem| format!("{command:?}: {problem}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{command:?} failed: {said}")) }
}

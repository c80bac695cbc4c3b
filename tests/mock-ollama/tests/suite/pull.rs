//! `/api/pull`.

use crate::client::{get, post};
use mock_ollama::{Card, MockOllama};
use serde_json::json;

#[test]
fn a_model_is_pulled_once_it_is_on_offer() {
    let offered = Card::new("new:1b").digest(&"ab".repeat(32)).size(1001);
    let server = MockOllama::builder().pullable([offered]).start();
    let pull = |name: &str, stream: bool| {
        let body = json!({ "model": name, "stream": stream });
        post(&server, "/api/pull", &body)
    };
    assert_eq!(pull("x y", true).error(), "invalid model name");
    let missing = pull("old", true).lines();
    let error = json!({ "error": "pull model manifest: file does not exist" });
    assert_eq!(missing, [json!({ "status": "pulling manifest" }), error]);
    assert_eq!(pull("old", false).status, 500);
    let lines = pull("new:1b", true).lines();
    let statuses: Vec<&str> = lines.iter().filter_map(|it| it["status"].as_str()).collect();
    assert_eq!(statuses[0], "pulling manifest");
    assert_eq!(statuses[1..6], ["pulling abababababab"; 5]);
    let ends = ["verifying sha256 digest", "writing manifest", "removing unused layers", "success"];
    assert_eq!(statuses[6..], ends);
    assert_eq!((&lines[5]["completed"], &lines[5]["total"]), (&json!(1001), &json!(1001)));
    assert_eq!(get(&server, "/api/tags").json()["models"][0]["name"], "new:1b");
    assert_eq!(pull("new:1b", false).json(), json!({ "status": "success" }));
}

"""Talks to the server at argv[1] as the official client does; fails if an answer is not as expected."""

import sys

import ollama

client = ollama.Client(host=sys.argv[1])
messages = [{"role": "user", "content": "Why trams?"}]


def failure(ask):
    try:
        ask()
    except ollama.ResponseError as error:
        return error.status_code, error.error
    raise AssertionError("no error")


whole = client.chat("llama3", messages)
assert whole.message.role == "assistant" and whole.done and whole.done_reason == "stop", whole
assert whole.eval_count > 0 and whole.total_duration > 0, whole
streamed = list(client.chat("llama3", messages, stream=True))
assert "".join(part.message.content for part in streamed) == whole.message.content, streamed
assert streamed[-1].done and not any(part.done for part in streamed[:-1]), streamed

schema = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
shaped = client.chat("llama3", messages, format=schema, options={"seed": 1, "num_ctx": 2048}, keep_alive="10m")
assert '"score"' in shaped.message.content, shaped
thought = client.chat("deep:1b", messages, think=True)
assert thought.message.thinking and thought.message.content, thought

embedded = client.embed("llama3", ["trams", "roads"])
assert len(embedded.embeddings) == 2 and len(embedded.embeddings[0]) == 8, embedded

assert [model.model for model in client.list().models] == ["llama3:latest", "deep:1b"]
shown = client.show("deep:1b")
assert "thinking" in shown.capabilities and shown.modelinfo["llama.context_length"] == 8192, shown
running = client.ps().models
assert {model.model for model in running} == {"llama3:latest", "deep:1b"}, running
assert all(model.size_vram and model.expires_at for model in running), running

assert client.pull("new").status == "success"
assert [part.status for part in client.pull("new", stream=True)][-1] == "success"
assert client.list().models[0].model == "new:latest"

assert failure(lambda: client.chat("absent", messages)) == (404, "model 'absent' not found")
assert failure(lambda: client.embed("absent", "x"))[0] == 404
assert failure(lambda: client.chat("llama3", messages, think=True))[0] == 400
assert failure(lambda: list(client.pull("absent", stream=True))) == (-1, "pull model manifest: file does not exist")

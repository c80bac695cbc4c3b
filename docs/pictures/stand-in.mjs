// An Ollama server that speaks the replies of scripts at the speed of a real one, so that a running debate can be photographed
// and read. It finds the script by the topic in the prompt and the reply by its shape; what no script has comes from the mock
// server behind it.
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';

const TOKENS_PER_SECOND = 14;

// A script: its topic, its statements and its judgments, in order.
function read(file) {
  const parts = readFileSync(file, 'utf8').split(/^=== /m).slice(1).map((part) => {
    const [name, ...lines] = part.split('\n');
    return { name, text: lines.join('\n').trim() };
  });
  const topic = parts[0].name.replace(/^topic: /, '');
  return { topic, replies: parts.slice(1) };
}

const isJson = (text) => text.startsWith('{');

// The first reply of the shape that is asked for, which nobody else gets again until all are used.
function reply(script, schema, used) {
  const keys = schema?.properties && Object.keys(schema.properties).sort().join();
  const fits = ({ text }) => (keys ? isJson(text) && Object.keys(JSON.parse(text)).sort().join() === keys : !isJson(text));
  const all = script.replies.filter(fits);
  if (!all.length) return undefined;
  const nth = used.get(keys ?? 'text') ?? 0;
  used.set(keys ?? 'text', nth + 1);
  return all[nth % all.length].text;
}

// Serves scripts in front of the mock server at `behind`; its address.
export function standIn(files, behind) {
  const scripts = files.map(read);
  const used = new Map();
  const ofDebate = (topic) => {
    if (!used.has(topic)) used.set(topic, new Map());
    return used.get(topic);
  };
  const server = createServer((asked, answer) => {
    const chunks = [];
    asked.on('data', (chunk) => chunks.push(chunk));
    asked.on('end', () => {
      const body = Buffer.concat(chunks);
      const chat = asked.url === '/api/chat' ? JSON.parse(body) : null;
      const prompt = chat?.messages?.map((m) => m.content).join('\n') ?? '';
      const script = chat && scripts.find(({ topic }) => prompt.includes(topic));
      const text = script && reply(script, chat.format, ofDebate(script.topic));
      if (text) speak(answer, chat.model, prompt, text);
      else pass(behind, asked, body, answer);
    });
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}`));
    server.unref();
  });
}

function speak(answer, model, prompt, text) {
  const words = text.match(/\s*\S+/g);
  const began = Date.now();
  const line = (fields) => `${JSON.stringify({ model, created_at: new Date().toISOString(), ...fields })}\n`;
  answer.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
  const next = () => {
    if (answer.destroyed) return;
    const word = words.shift();
    if (word) {
      answer.write(line({ message: { role: 'assistant', content: word }, done: false }));
      setTimeout(next, 1000 / TOKENS_PER_SECOND);
      return;
    }
    const ns = (Date.now() - began) * 1e6;
    const count = text.split(/\s+/).length;
    answer.end(line({
      message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', total_duration: ns, load_duration: 1e6,
      prompt_eval_count: Math.ceil(prompt.length / 4), prompt_eval_duration: 5e8, eval_count: count, eval_duration: ns,
    }));
  };
  setTimeout(next, 900);
}

function pass(behind, asked, body, answer) {
  const to = request(behind + asked.url, { method: asked.method, headers: { ...asked.headers, host: new URL(behind).host } }, (got) => {
    answer.writeHead(got.statusCode, got.headers);
    got.pipe(answer);
  });
  to.on('error', () => answer.destroy());
  to.end(body);
}

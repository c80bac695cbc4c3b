// Exchanges a link for a session. The token stands behind the #, which no browser sends by itself.
(() => {
  const words = document.getElementById('words');
  const token = location.hash.slice(1);
  fetch('/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(token ? { token } : {}),
  }).then(async (reply) => {
    if (reply.ok) {
      history.replaceState(null, '', location.pathname);
      location.replace('/vote');
    } else words.textContent = `You cannot vote: ${await reply.text()}.`;
  }).catch(() => { words.textContent = 'The viewer does not answer. Open your link again.'; });
})();

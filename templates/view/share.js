// Browsers have few connections for all windows together. Three windows have a stream each; others look every two seconds.
// Windows that are seen tell each other over a channel.
globalThis.share = (() => {
  const channel = new BroadcastChannel('rebut-streams');
  const own = Math.random();
  let has = false;
  let asks = false;
  let others = 0;
  channel.onmessage = ({ data }) => {
    // Of those who ask at the same time, the lowest number comes first.
    if (data.ask && (has || (asks && data.ask > own))) channel.postMessage({ to: data.ask });
    if (data.to === own) others += 1;
  };
  const take = async () => {
    [has, asks, others] = [false, true, 0];
    channel.postMessage({ ask: own });
    await new Promise((done) => { setTimeout(done, 100); });
    [has, asks] = [others < 3, false];
    return has;
  };
  // As all times here are, and on any clock the same.
  const time = () => `${new Date().toISOString().slice(11, 16)} UTC`;
  return { take, time, leave: () => { has = false; }, pause: 2000, slow: 'Updated every two seconds: other windows of the viewer are open.' };
})();

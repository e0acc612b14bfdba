/**
 * The page of the inspector, as one HTML text that loads nothing. What it shows comes by the feed.
 *
 * @param options.nonce allows its script.
 */
export function inspectorPage({ nonce }: { readonly nonce: string }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>agent-machines</title>
<meta name="color-scheme" content="light dark">
<h1>Runs</h1>
<p id="trouble" role="status"></p>
<ul id="runs"></ul>
<pre id="run"></pre>
<script nonce="${nonce}">
const element = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.hash.slice(1)).get('run');
const feed = new EventSource(asked ? 'feed?run=' + encodeURIComponent(asked) : 'feed');
const on = (name, act) => feed.addEventListener(name, (event) => act(JSON.parse(event.data)));
on('hello', () => element('run').replaceChildren());
on('trouble', ({ message }) => element('trouble').replaceChildren(message));
on('runs', ({ runs }) => element('runs').replaceChildren(...runs.map(({ id, name, status }) => {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = '#run=' + encodeURIComponent(id);
  link.textContent = name + ' ' + id + ': ' + status;
  item.append(link);
  return item;
})));
on('graph', ({ graph }) => element('run').append((graph ? graph.states.map(({ path }) => path).join(', ') : '') + '\\n'));
on('events', ({ events }) => element('run').append(events.map((event) => JSON.stringify(event) + '\\n').join('')));
on('snapshots', ({ snapshots }) => element('run').append(snapshots.map((snapshot) => JSON.stringify(snapshot) + '\\n').join('')));
addEventListener('hashchange', () => location.reload());
</script>
</html>
`;
}

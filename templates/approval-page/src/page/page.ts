// The server strips the types. The page needs no bundler and no framework.
import type { WaitingList } from 'agent-machines/server';

type Waiting = WaitingList['runs'][number];

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return found;
};

async function call(path: string, body?: object): Promise<unknown> {
  const response = await fetch(path, {
    ...(body ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message ?? response.statusText);
  return answer;
}

/** Shows the error of an action, and the list after it. */
async function act(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
    element('message').textContent = '';
  } catch (error) {
    element('message').textContent = String(error);
  }
  await list().catch((error: unknown) => {
    element('message').textContent = String(error);
  });
}

let shown = '';

async function list(): Promise<void> {
  const { runs } = (await call('/api/runs/waiting')) as WaitingList;
  const ids = runs.flatMap(({ interrupts }) => interrupts.map(({ id }) => id)).join();
  if (ids === shown) return; // keeps what is typed into a remark
  shown = ids;
  element('waiting').replaceChildren(...runs.flatMap(itemsOf));
}

function itemsOf({ id: runId, interrupts }: Waiting): readonly HTMLElement[] {
  return interrupts.map(({ id: interruptId, question }) => {
    const item = document.createElement('li');
    const text = document.createElement('p');
    text.textContent = String(question); // never as HTML: a model may have written it
    const remark = document.createElement('input');
    remark.placeholder = 'what to change';
    const button = (label: string, event: () => object): HTMLElement => {
      const made = document.createElement('button');
      made.textContent = label;
      // the id belongs to this question: an answer to another text is refused
      made.onclick = () => act(() => call(`/api/runs/${runId}/answer`, { interruptId, event: event() }));
      return made;
    };
    item.append(
      text,
      button('Approve', () => ({ type: 'APPROVE' })),
      ' ',
      remark,
      button('Revise', () => ({ type: 'REVISE', remark: remark.value })),
    );
    return item;
  });
}

const token = new URLSearchParams(location.hash.slice(1)).get('token');
if (token) {
  await call('/api/session', { token }).catch((error: unknown) => {
    element('message').textContent = String(error);
  });
  history.replaceState(null, '', '/'); // the session is a cookie that no script can read
}
element('start').onsubmit = (event) => {
  event.preventDefault();
  const topic = element('topic');
  if (topic instanceof HTMLInputElement) {
    void act(() => call('/api/runs', { workflow: 'publishing', input: { topic: topic.value } }));
  }
};
await act(async () => {});
setInterval(() => void list().catch(() => {}), 1_000);

// Reads a user's files in the tab, by rules instead of a model. What it does survives a reload, and a file is read only when that is approved.
import { createRuntime, createWorker, type HumanEvent, type Interrupt, type RunEvent } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { indexedDbStore } from 'agent-machines/stores';
import { calculator, defineTool, summarize } from 'agent-machines/tools';
import { z } from 'zod';

const folder = await navigator.storage.getDirectory(); // the page's own: it survives a reload, too

const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a text file that the user has chosen.',
  access: 'inbox',
  needsApproval: true,
  primaryInput: 'path',
  input: z.strictObject({ path: z.string() }),
  async execute({ path }) {
    const file = await (await folder.getFileHandle(path)).getFile();
    return { path, text: await file.text() };
  },
});

const workflow = planExecute({ tools: [readFile, summarize(), calculator()] });
// a hidden tab's timers are slow; whether a tab is gone is known without them
const runtime = createRuntime({ store: indexedDbStore({ name: 'files' }), workflows: [workflow], leaseMs: 120_000 });

const element = <TElement extends HTMLElement = HTMLElement>(id: string): TElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`There is no #${id} in the page.`);
  return found as TElement;
};

/** Shows what a run has done, from its first step, and what it does until it rests. */
async function follow(runId: string): Promise<void> {
  element('steps').replaceChildren();
  element('answer').textContent = '';
  element('review').hidden = true;
  const run = await runtime.resume(runId);
  for await (const event of run.events()) show(event);
  const result = await run.result;
  if (result.status === 'waiting' && result.interrupt) review(runId, result.interrupt);
  else if (result.status === 'done') element('answer').textContent = (result.output as { readonly answer: string }).answer;
  else if (result.status === 'failed') element('answer').textContent = result.error.message;
}

function show(event: RunEvent): void {
  if (event.type !== 'node-end') return;
  const line = document.createElement('li');
  line.textContent = event.key;
  element('steps').append(line);
}

/** Asks for one call: the answer is for this question and no other, even if it comes from another tab. */
function review(runId: string, { id, question }: Interrupt): void {
  const { tool, arguments: args } = question as { readonly tool: string; readonly arguments: object };
  element('asked').textContent = `May ${tool} be called with ${JSON.stringify(args)}?`;
  element('review').hidden = false;
  const answer = (event: HumanEvent) => async (): Promise<void> => {
    await runtime.send(runId, event, { interruptId: id });
    await follow(runId);
  };
  element('approve').onclick = answer({ type: 'APPROVE' });
  element('reject').onclick = answer({ type: 'REJECT', reason: 'The user said no.' });
}

async function listFiles(): Promise<void> {
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  const items = names.sort().map((name) => Object.assign(document.createElement('li'), { textContent: name }));
  element('kept').replaceChildren(...items);
}

element<HTMLInputElement>('files').onchange = async ({ currentTarget }) => {
  for (const file of (currentTarget as HTMLInputElement).files ?? []) {
    const writable = await (await folder.getFileHandle(file.name, { create: true })).createWritable();
    await writable.write(file);
    await writable.close();
  }
  await listFiles();
};

element('ask').onsubmit = async (event) => {
  event.preventDefault();
  const input = element<HTMLInputElement>('question').value;
  await follow(runtime.start(workflow, { input }).id);
};

await listFiles();
const [last] = await runtime.list({ limit: 1 });
if (last && last.status !== 'running') await follow(last.id);
// runs of tabs that were closed in the middle of their work
createWorker({ runtime, onEvent: (event) => void (event.type === 'taken' && follow(event.runId)) });

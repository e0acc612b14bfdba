import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import type { TranscriptMessage } from 'agent-machines/memory';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { longTalk } from './long-talk.ts';

/** A turn of chat-agent without a model, on SQLite, in a thread of some length. */
export interface LongThreadFigure {
  readonly transcriptChars: number;
  /** Median CPU time of a turn. */
  readonly cpuMs: number;
}

/** A turn at 1 MB of transcript may cost so many times one at 50 kB. */
export const mostLongThreadRatio = 2;
const lengths = [50_000, 1_000_000];
const turns = 60;

/** Measures turns in threads of both lengths, one after the other by turns. */
export async function measureLongThread(): Promise<readonly LongThreadFigure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'long-thread-'));
  const talks = await Promise.all(lengths.map((chars) => openTalk(join(folder, `${chars}.db`), chars)));
  const spent = lengths.map((): number[] => []);
  for (let n = 0; n < turns; n++) {
    for (const [index, talk] of talks.entries()) {
      const before = process.cpuUsage();
      await talk.turn();
      const { user, system } = process.cpuUsage(before);
      if (n >= turns / 6) spent[index]?.push((user + system) / 1_000); // the first ones compile and fill caches
    }
  }
  for (const { close } of talks) await close();
  rmSync(folder, { recursive: true });
  return lengths.map((transcriptChars, index) => ({ transcriptChars, cpuMs: median(spent[index] ?? []) }));
}

async function openTalk(path: string, chars: number) {
  const store = sqliteStore({ path });
  const runtime = createRuntime({ store });
  const workflow = chatAgent();
  const { messages } = longTalk('english', 12_000, 3);
  let next = 0;
  /** Some 300 characters. */
  const say = (): string => {
    let text = '';
    while (text.length < 300) text += `${messages[next++ % messages.length]?.text ?? ''} `;
    return text.trim();
  };
  const turn = async (): Promise<void> => {
    const result = await runtime.start(workflow, { input: say() }, { threadId: 't' }).result;
    if (result.status !== 'done' || result.finalState !== 'done') throw new Error(`A turn did not finish: ${JSON.stringify(result)}`);
  };
  await turn();
  const transcript: TranscriptMessage[] = [];
  for (let left = chars; left > 0; left -= transcript.at(-1)?.text.length ?? 0)
    transcript.push({
      id: `${chars}/${transcript.length}`, // another one in each thread, as it is with ids of runs
      role: transcript.length % 2 === 0 ? 'user' : 'assistant',
      text: say(),
      at: 1_700_000_000_000 + transcript.length * 60_000,
    });
  const [run] = await store.list({ threadId: 't', limit: 1 });
  await store.storage?.change({ runId: run?.id ?? '', reads: 'thread' }, (found) => {
    if (!found.run || !found.thread?.record) throw new Error('The thread is missing.');
    const { record } = found.thread;
    return { run: found.run, entries: [], thread: { ...record, state: { ...(record.state as object), transcript } } };
  });
  return { turn, close: () => runtime.close() };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

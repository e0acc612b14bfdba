import { deepStrictEqual } from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, defineState, defineWorkflow, type Json, type Workflow } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { setup } from 'xstate';
import { answerTo, type Message, messagesOf, questionOf, type Shape, type ShapeName, shapes, turnsOf } from './conversations.ts';
import { type CompiledGraph, type GraphConfig, type LangGraphPeer, loadLangGraph, type MemorySaver } from './langgraph-peer.ts';

/** Bytes stored after so many turns on one thread. */
export type StoredBytes = Readonly<Record<number, number>>;

type Store = (turns: readonly number[], shape: Shape) => Promise<StoredBytes>;

/** How much of the conversation each node is shown. */
const windowMessages = 20;

const keepers = {
  'runtime on SQLite, whole conversation': (turns, shape) => storeOurs(turns, shape, Number.POSITIVE_INFINITY),
  'runtime on SQLite, last 20 messages': (turns, shape) => storeOurs(turns, shape, windowMessages),
  'LangGraph.js, MemorySaver, whole conversation': (turns, shape) => storeLangGraphs(turns, shape, Number.POSITIVE_INFINITY, 'async'),
  'LangGraph.js, MemorySaver, last 20 messages': (turns, shape) => storeLangGraphs(turns, shape, windowMessages, 'async'),
  'LangGraph.js, MemorySaver, whole conversation, durability exit': (turns, shape) =>
    storeLangGraphs(turns, shape, Number.POSITIVE_INFINITY, 'exit'),
} as const satisfies Readonly<Record<string, Store>>;

export type KeeperName = keyof typeof keepers;

export const keeperNames: readonly KeeperName[] = Object.keys(keepers) as KeeperName[];

const turnCounts = (quick: boolean): readonly number[] => (quick ? [50, 100, 200] : [100, 200, 400]);

export const measureStoredBytes = (keeper: KeeperName, shape: ShapeName, quick: boolean): Promise<StoredBytes> =>
  keepers[keeper](turnCounts(quick), shapes[shape]);

interface ChatState {
  readonly question: string;
  readonly messages: readonly Message[];
  readonly answer: string;
}

const state = defineState<ChatState, Omit<ChatState, 'answer'>, string>();

const chatMachine = setup({ types: state.types, actors: { answer: state.slot('answer') }, actions: { merge: state.merge } }).createMachine({
  id: 'chat',
  version: '1',
  initial: 'answer',
  context: ({ input }) => ({ ...input, answer: '' }),
  output: ({ context }) => context.answer,
  states: {
    answer: {
      invoke: {
        src: 'answer',
        input: ({ context }) => context,
        onDone: { target: 'done', actions: 'merge' },
        onError: { target: 'failed', actions: 'merge' },
      },
    },
    done: { type: 'final' },
    failed: { type: 'final', tags: 'failure' },
  },
});

interface Question {
  readonly [key: string]: Json;
  readonly question: string;
}

function chat(shape: Shape, keep: number): Workflow<Question, ChatState, string> {
  return defineWorkflow<typeof chatMachine, Question, readonly Message[]>({
    machine: chatMachine,
    nodes: { answer: async ({ question }) => ({ answer: answerTo(question, shape) }) },
    toMachineInput: ({ question }, { thread }) => ({ question, messages: thread }),
    thread: {
      initial: [],
      next: (messages, { state: { question, answer } }) =>
        lastOf<Message>([...messages, { role: 'user', content: question }, { role: 'assistant', content: answer }], keep),
    },
  });
}

const lastOf = <T>(items: readonly T[], keep: number): readonly T[] => (keep === Number.POSITIVE_INFINITY ? items : items.slice(-keep));

async function storeOurs(turnMarks: readonly number[], shape: Shape, keep: number): Promise<StoredBytes> {
  const bytes: Record<number, number> = {};
  const workflow = chat(shape, keep);
  for (const turns of turnMarks) {
    const folder = mkdtempSync(join(tmpdir(), 'agent-machines-bench-'));
    const path = join(folder, 'chat.db');
    const store = sqliteStore({ path });
    const runtime = createRuntime({ store, workflows: [workflow] });
    for (let turn = 1; turn <= turns; turn++) {
      const result = await runtime.start(workflow, { question: questionOf(turn, shape) }, { threadId: 'chat' }).result;
      if (result.status !== 'done' || result.finalState !== 'done') throw new Error(`Turn ${turn}: ${JSON.stringify(result)}`);
    }
    const thread = await runtime.thread('chat');
    const kept = thread.turns.map(({ input, result }) => [
      (input as Question).question,
      result?.status === 'done' ? result.output : undefined,
    ]);
    deepStrictEqual(kept, turnsOf(turns, shape), 'the journals lack a turn');
    deepStrictEqual(thread.state, lastOf(messagesOf(turns, shape), keep), 'the thread lacks a message');
    await runtime.close();
    await store.close();
    // the last connection to close writes the log back into the file, and removes it
    if (existsSync(`${path}-wal`)) throw new Error('The log remains after the database was closed.');
    bytes[turns] = statSync(path).size;
    rmSync(folder, { recursive: true });
  }
  return bytes;
}

async function storeLangGraphs(
  turnMarks: readonly number[],
  shape: Shape,
  keep: number,
  durability: NonNullable<GraphConfig['durability']>,
): Promise<StoredBytes> {
  const bytes: Record<number, number> = {};
  const peer = await loadLangGraph();
  const saver = new peer.MemorySaver();
  const graph = chatGraph(peer, saver, shape, keep);
  const config: GraphConfig = { configurable: { thread_id: 'chat' }, durability };
  for (let turn = 1; turn <= Math.max(...turnMarks); turn++) {
    await graph.invoke({ messages: [{ role: 'user', content: questionOf(turn, shape) }] }, config);
    if (!turnMarks.includes(turn)) continue;
    const { values } = await graph.getState(config);
    deepStrictEqual((values as { messages: unknown }).messages, lastOf(messagesOf(turn, shape), keep), 'the graph lacks a message');
    bytes[turn] = sizeOf(saver);
  }
  return bytes;
}

function chatGraph(
  { Annotation, END, START, StateGraph }: LangGraphPeer,
  checkpointer: MemorySaver,
  shape: Shape,
  keep: number,
): CompiledGraph {
  const reducer = (current: readonly Message[], next: readonly Message[]): readonly Message[] => lastOf([...current, ...next], keep);
  // plain messages: LangChain's own message classes take several times the bytes
  return new StateGraph(Annotation.Root({ messages: Annotation({ reducer, default: () => [] }) }))
    .addNode<{ messages: readonly Message[] }>('answer', async ({ messages }) => ({
      messages: [{ role: 'assistant', content: answerTo(messages.at(-1)?.content ?? '', shape) }],
    }))
    .addEdge(START, 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer });
}

/** Only what MemorySaver has serialised: its keys and ids are not counted. */
function sizeOf({ storage, writes }: MemorySaver): number {
  let bytes = 0;
  for (const namespaces of Object.values(storage)) {
    for (const checkpoints of Object.values(namespaces)) {
      for (const [checkpoint, metadata] of Object.values(checkpoints)) bytes += checkpoint.byteLength + metadata.byteLength;
    }
  }
  for (const ofCheckpoint of Object.values(writes)) for (const [, , value] of Object.values(ofCheckpoint)) bytes += value.byteLength;
  return bytes;
}

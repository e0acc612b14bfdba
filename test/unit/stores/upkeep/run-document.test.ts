import { createRuntime, type JournalEntry, type Json, memoryStore, type RunStore, type Runtime, type StoredEvent } from 'agent-machines';
import { exportRun, importRun, type RunDocument } from 'agent-machines/stores';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRunDocument } from '../../../../src/stores/upkeep/check-run-document.ts';
import { checksummed, documentChecksum } from '../../../../src/stores/upkeep/run-document.ts';
import { final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { share } from '../../../fixtures/share.ts';
import { sqliteFiles } from '../../../fixtures/sqlite-files.ts';
import { waitingFor } from '../../../fixtures/waiting-for.ts';

const { newPath, openStore } = sqliteFiles('run-document-');

const asking = logWorkflow({
  states: { ask: waiting({ SAY: { target: 'a', actions: 'merge' } }), a: node('a', 'done'), done: final, failed: final },
  nodes: { a: says('그리고 "a" \u0000') },
  thread: { initial: [], next: (before, { state }) => [...before, ...state.log] },
});

/** Says something to a run that waits. */
async function answer(runtime: Runtime, runId: string, text: string) {
  const interruptId = waitingFor(await (await runtime.resume(runId)).result).id;
  return (await runtime.send(runId, { type: 'SAY', text }, { interruptId })).result;
}

/** Two turns of a thread, the second one of which waits. */
async function waitingRun(store: RunStore) {
  const runtime = createRuntime({ store, workflows: [asking] });
  const first = runtime.start(asking, {}, { threadId: 't' });
  await first.result;
  await answer(runtime, first.id, 'first');
  const run = runtime.start(asking, { log: ['한글'] }, { threadId: 't', metadata: { note: 'for a test' } });
  await run.result;
  return { runtime, runId: run.id };
}

/** The events with those of a type changed; `undefined` where there is none. */
const changedEvent = (events: readonly StoredEvent[], type: string, change: object): Partial<JournalEntry> | undefined =>
  events.some((event) => event.type === type)
    ? { events: events.map((event) => (event.type === type ? ({ ...event, ...change } as StoredEvent) : event)) }
    : undefined;

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'taken';
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error);
  }
};

/** A JSON value with each of its members changed, one at a time. */
function* changes(value: Json): Generator<Json> {
  if (typeof value === 'string') yield* [`${value}x`, value.slice(1), value.replace(/.$/s, '~'), 7].filter((other) => other !== value);
  else if (typeof value === 'number') yield* [value + 1, -1, value + 0.5, String(value), null];
  else if (typeof value === 'boolean') yield* [!value, null];
  else if (value === null) yield* [0, {}];
  else if (Array.isArray(value)) {
    yield* [[...value, 1], {}];
    if (value.length > 0) yield value.slice(1);
    if (value.length > 1) yield [...value].reverse();
    for (const [index, item] of value.entries()) for (const other of changes(item)) yield value.with(index, other);
  } else {
    yield* [{ ...value, more: 1 }, []];
    for (const [key, member] of Object.entries(value)) {
      const { [key]: _, ...rest } = value as Readonly<Record<string, Json>>;
      yield rest;
      for (const other of changes(member as Json)) yield { ...value, [key]: other };
    }
  }
}

const circle: { me?: unknown } = {};
circle.me = circle;

describe('exportRun and importRun', () => {
  it('move a run with its thread to another store, where it ends', async () => {
    const from = openStore(newPath());
    const { runId } = await waitingRun(from);
    const document = JSON.stringify(await exportRun(from, runId));
    expect(JSON.stringify(await exportRun(from, runId))).toBe(document);
    const to = openStore(newPath());
    expect(await importRun(to, document)).toMatchObject({ isNew: true, isSnapshot: false, record: { id: runId, status: 'waiting' } });
    const runtime = createRuntime({ store: to, workflows: [asking] });
    const output = `first,그리고 "a" \u0000,한글,second,그리고 "a" \u0000`;
    expect(await answer(runtime, runId, 'second')).toMatchObject({ status: 'done', output });
    expect(await to.readThread('t')).toMatchObject({ revision: 2 });
    expect((await runtime.get(runId)).metadata).toEqual({ note: 'for a test' });
  });

  it('refuse a document with any changed part and write nothing', async () => {
    const from = memoryStore();
    const { runId } = await waitingRun(from);
    const document = await exportRun(from, runId);
    const to = memoryStore();
    let tried = 0;
    for (const changed of changes(document as unknown as Json)) {
      tried++;
      const code = await codeOf(() => importRun(to, changed));
      if (!['RUN_DOCUMENT_INVALID', 'STORE_VERSION'].includes(code)) expect([code, changed]).toEqual(['RUN_DOCUMENT_INVALID', '']);
    }
    expect(tried).toBeGreaterThan(300);
    expect(await to.tally()).toEqual({ threads: 0, runs: [] });
    expect(await codeOf(() => importRun(to, document))).toBe('taken');
  });

  it('refuse a text with any changed byte unless its value is equal', async () => {
    const from = memoryStore();
    const { runId } = await waitingRun(from);
    const document = await exportRun(from, runId);
    const bytes = Buffer.from(JSON.stringify(document));
    const damage = fc.tuple(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(damage, async ([at, flip]) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ flip;
        const text = changed.toString('utf8');
        const code = await codeOf(() => checkRunDocument(text));
        if (code === 'taken') expect(JSON.parse(text)).toEqual(document);
        else expect(['RUN_DOCUMENT_INVALID', 'STORE_VERSION']).toContain(code);
      }),
      { numRuns: share(10_000, 1_000) },
    );
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['invalid JSON', '{"format":'],
    ['an empty text', ''],
    ['null', null],
    ['a list', []],
    ['another document', { format: 'agent-machines/other', version: 1 }],
    ['a function', () => {}],
    ['a circular value', circle],
    ['a value that is too deep', '['.repeat(200_000)],
  ])('refuse %s', async (_name, value) => {
    expect(await codeOf(() => importRun(memoryStore(), value))).toBe('RUN_DOCUMENT_INVALID');
  });

  it.each<[string, (entry: JournalEntry) => Partial<JournalEntry> | undefined]>([
    ['a node without an outcome', ({ kind }) => (kind === 'node' ? { outcome: null } : undefined)],
    ['a node whose outcome is a text', ({ kind }) => (kind === 'node' ? { outcome: 'done' } : undefined)],
    ['a settlement that is a number', ({ kind }) => (kind === 'settle' ? { outcome: 7 } : undefined)],
    ['a node start without a key', ({ events }) => changedEvent(events, 'node-start', { key: null })],
    ['a question without a key', ({ events }) => changedEvent(events, 'interrupt', { interrupt: {} })],
    ['an event without a type', ({ events }) => changedEvent(events, 'edge', { type: 3 })],
  ])('refuse %s even if all checksums match', async (_name, change) => {
    const store = memoryStore();
    const { runtime, runId } = await waitingRun(store);
    await answer(runtime, runId, 'second');
    const document = await exportRun(store, runId);
    let changes = 0;
    const journal = await checksummed(
      runId,
      document.journal.map(({ checksum: _, ...entry }) => {
        const changed = change(entry);
        if (changed) changes++;
        return { ...entry, ...changed };
      }),
    );
    expect(changes).toBeGreaterThan(0);
    const { checksum: _, ...rest } = { ...document, journal };
    expect(await codeOf(async () => importRun(memoryStore(), { ...rest, checksum: await documentChecksum(rest) }))).toBe(
      'RUN_DOCUMENT_INVALID',
    );
  });

  it('refuse a document of a newer version with STORE_VERSION', async () => {
    const from = memoryStore();
    const { runId } = await waitingRun(from);
    const document = { ...(await exportRun(from, runId)), version: 2, anything: 'else' };
    expect(await codeOf(() => importRun(memoryStore(), document))).toBe('STORE_VERSION');
  });

  it('accept a byte order mark, white space and unknown fields of the record', async () => {
    const from = memoryStore();
    const { runId } = await waitingRun(from);
    const text = `\uFEFF${JSON.stringify(await exportRun(from, runId), null, 2)}\r\n`;
    expect(await codeOf(() => importRun(memoryStore(), text))).toBe('taken');
    const record = { ...(await from.read(runId)), priority: 7 };
    const more = { ...from, storage: { ...from.storage, read: () => ({ record }) } } as unknown as RunStore;
    const to = memoryStore();
    await importRun(to, await exportRun(more, runId));
    expect(await to.read(runId)).toMatchObject({ priority: 7 });
  });

  it('name the first damaged entry', async () => {
    const from = memoryStore();
    const { runId } = await waitingRun(from);
    const document = structuredClone(await exportRun(from, runId)) as RunDocument;
    Object.assign(document.journal.at(-1) ?? {}, { at: 1 });
    const error: unknown = await importRun(memoryStore(), document).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ data: { place: `journal[${document.journal.length - 1}]` } });
  });

  it('refuse a store without a storage', async () => {
    const { storage: _, ...bare } = memoryStore();
    expect(await codeOf(() => exportRun(bare, 'r_1'))).toBe('OPTION_INVALID');
  });
});

describe('a run imported without the earlier runs of its thread', () => {
  it('cannot be forked', async () => {
    const from = memoryStore();
    const { runId, runtime } = await waitingRun(from);
    await answer(runtime, runId, 'second');
    const third = runtime.start(asking, {}, { threadId: 't' });
    await third.result;
    const to = memoryStore();
    for (const id of [runId, third.id]) await importRun(to, await exportRun(from, id));
    const there = createRuntime({ store: to, workflows: [asking] });
    expect(await codeOf(() => there.fork(runId, { at: 'a#1' }))).toBe('JOURNAL_MISSING');
    expect(await codeOf(() => runtime.fork(runId, { at: 'a#1' }))).toBe('taken');
  });
});

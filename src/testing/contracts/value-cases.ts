import type { Json } from '../../core/ports/json.ts';
import type { RunStore } from '../../core/ports/run-store.ts';
import { check, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, newRun, nodeEntry, requestBy, settleEntry, startEntry } from './example-run.ts';

/** Maximum depth that the runtime accepts. */
const deepest = 200;
const deep = (): Json => {
  let value: Json = 'bottom';
  for (let depth = 0; depth < deepest; depth++) value = depth % 2 === 0 ? [value] : { down: value };
  return value;
};

/** Parses JSON, because in a literal such keys would set the prototype or make a thenable. */
const parsed = (text: string): Json => JSON.parse(text) as Json;

const values: readonly (readonly [name: string, value: Json])[] = [
  ['text in many scripts', '한국어 · 日本語 · العربية · עברית · русский · 𐍈 · 👩‍👩‍👧‍👦 · ✓'],
  ['composed and decomposed letters', { '\u00e9': 'e\u0301', 'e\u0301': '\u00e9' }],
  ['lone surrogates', ['\ud800', '\udfff', 'a\ud83db', '\udc00\ud800', { '\ud800': '\udc00' }]],
  ['U+0000 and other control characters', ['\u0000', 'a\u0000b', '\u0001\u001b\u007f\u0085\ufeff\u2028\u2029\uffff', { 'k\u0000y': 1 }]],
  ['line breaks and white space', ['\n', '\r\n', '\r', '\t', ' ', '  two  ', '\u00a0']],
  ['a text of a million characters', 'ü"\\x'.repeat(250_000)],
  ['JSON of the maximum depth', deep()],
  [
    'type markers of other libraries',
    parsed(
      '{"$type":"Date","lc":1,"__class__":"Map","@type":"Set","$ref":"#","$date":0,"type":"constructor","toJSON":"text","then":"text"}',
    ),
  ],
  [
    'keys of Object.prototype',
    parsed('{"__proto__":{"admin":true},"constructor":{"prototype":1},"hasOwnProperty":0,"toString":null,"valueOf":[]}'),
  ],
  ['empty values', ['', {}, [], null, false, 0, { '': '' }, [[]], [{}], [null]]],
  [
    'very large and very small numbers',
    [0, -1, 0.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 9007199254740991, -9007199254740991, 4294967296],
  ],
  ['text that looks like code or JSON', ['null', '{"a":1}', '1', 'true', "'; DROP TABLE runs; --", '%s', `\${x}`, '\\u0000', '\\']],
  ['keys that look like numbers', { '1': 'a', '01': 'b', '1.0': 'c', '-0': 'd', '1e3': 'e' }],
];

const ids: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  '0',
  '-',
  '_',
  'x'.repeat(64),
];

/** Values that must be read back as they were written. */
export const valueCases: Cases<RunStore> = {
  ...Object.fromEntries(
    values.map(([name, value]) => [
      `keeps ${name} exactly`,
      async (store: RunStore) => {
        const start = startEntry({ input: value });
        const node = nodeEntry(2, { outcome: value, events: [{ type: 'custom', name: 'note', data: value, seq: 2, at: 0 }] });
        const end = settleEntry(3, { status: 'done', output: value });
        const { lease } = await store.create(newRun('r_1', { threadId: 't_1' }), [start], requestBy('o_1'));
        await store.append(lease, node, 0);
        await store.settle(lease, { status: 'done', activeMs: 0, entry: end, threadState: value });
        await store.saveStructure('structure', { value });
        checkSame(await store.journal('r_1'), [start, node, end], 'the journal');
        checkSame((await store.readThread('t_1'))?.state, value, 'the state of the thread');
        checkSame((await begin(store, 'r_2', { threadId: 't_1' })).thread?.state, value, 'the state for the next run');
        checkSame(await store.readStructure('structure'), { value }, 'the structure');
      },
    ]),
  ),

  'keeps the keys of entries exactly': async (store) => {
    const { lease } = await begin(store, 'r_1');
    const keys = [
      'a.b.c#12/한국어 👩‍👩‍👧',
      'node#1/e\u0301',
      'node#1/\u00e9',
      'node#1/a\u0000b',
      'node#1/\ud800',
      'node#1/ \n',
      '__proto__',
      '',
    ];
    for (const [index, key] of keys.entries()) await store.append(lease, nodeEntry(index + 2, { key }), 0);
    const journal = await store.journal('r_1');
    checkSame(
      journal.slice(1).map(({ key }) => key),
      keys,
      'the keys',
    );
  },

  'keeps the names of a run exactly': async (store) => {
    const names = { workflow: 'Süß/工作 "1"', version: '1.0.0-β+\u00e9', structure: 'e\u0301' };
    const { record } = await begin(store, 'r_1', names);
    checkSame(await store.read('r_1'), record, 'the record');
    checkSame([record.workflow, record.version, record.structure], [names.workflow, names.version, names.structure], 'the names');
  },

  ...Object.fromEntries(
    ids.map((id) => [
      `accepts ${id.length > 20 ? `${id.length} letters` : id} as the id of a run, a thread and a structure`,
      async (store: RunStore) => {
        check((await store.read(id)) === undefined, 'the run is unknown at first');
        check((await store.readThread(id)) === undefined, 'the thread is unknown at first');
        check((await store.readStructure(id)) === undefined, 'the structure is unknown at first');
        const { lease, record } = await begin(store, id, { threadId: id });
        await store.append(lease, nodeEntry(2), 0);
        await store.settle(lease, { status: 'waiting', activeMs: 0, threadState: id });
        await store.saveStructure(id, { id });
        checkSame(await store.read(id), { ...record, status: 'waiting', seq: 2, updatedAt: nodeEntry(2).at }, 'the record');
        checkSame(await store.journal(id), [startEntry(), nodeEntry(2)], 'the journal');
        checkSame(await store.readThread(id), { id, workflow: 'example', revision: 1, state: id, activeRun: id }, 'the thread');
        checkSame(await store.readStructure(id), { id }, 'the structure');
        checkSame((await store.list({ threadId: id })).length, 1, 'the number of runs in the thread');
        checkSame((await store.acquire(id, requestBy('o_2'))).lease, { runId: id, epoch: 2 }, 'the next lease');
      },
    ]),
  ),

  'distinguishes ids by case': async (store) => {
    const upper = await begin(store, 'R_a', { threadId: 'T_a' });
    const lower = await begin(store, 'r_A', { threadId: 't_A' });
    await store.append(upper.lease, nodeEntry(2, { outcome: 'upper' }), 0);
    await store.append(lower.lease, nodeEntry(2, { outcome: 'lower' }), 0);
    checkSame((await store.journal('R_a'))[1]?.outcome, 'upper', 'the outcome of R_a');
    checkSame((await store.journal('r_A'))[1]?.outcome, 'lower', 'the outcome of r_A');
    check((await store.read('r_a')) === undefined, 'r_a is a different run');
    check((await store.readThread('t_a')) === undefined, 't_a is a different thread');
  },
};

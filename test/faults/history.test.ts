import { createRuntime, type JournalEntry, memoryStore } from 'agent-machines';
import { expect, it } from 'vitest';
import { keyed } from '../fixtures/faulty-workflow.ts';
import { checkHistory, endsOf, type Note, type RunEnd, recordedStore } from '../fixtures/history.ts';
import { waitingFor } from '../fixtures/waiting-for.ts';

/** What two processes note while they share a run: one begins it, the other answers and ends it. */
async function sound(): Promise<{ readonly notes: readonly Note[]; readonly ends: readonly RunEnd[] }> {
  const notes: Note[] = [];
  const store = memoryStore();
  const of = (by: string) => {
    const world = { by, note: (note: Note) => void notes.push(note) };
    return { ...world, runtime: createRuntime({ store: recordedStore(store, world), workflows: [keyed(world)] }) };
  };
  const [one, two] = [of('one'), of('two')];
  const asked = one.runtime.start('keyed', {}, { runId: 'r', threadId: 't' });
  const interrupt = waitingFor(await asked.result).id;
  const answered = await two.runtime.send('r', { type: 'SAY', text: 'yes' }, { interruptId: interrupt });
  two.note({ op: 'answer', by: 'two', run: 'r', interrupt, said: 'yes' });
  expect(await answered.result).toMatchObject({ status: 'done', output: 'a,b,c,d,yes,e' });
  const ends = await endsOf(store, notes);
  for (const { runtime } of [one, two]) await runtime.close();
  return { notes, ends };
}

const history = await sound();
const isTold = (note: Note): note is Extract<Note, { op: 'told' }> => note.op === 'told';
const told = history.notes.filter(isTold);
const effect = history.notes.find((note): note is Extract<Note, { op: 'effect' }> => note.op === 'effect');
const lastAppend = told.findLast(({ what }) => what === 'append');
const withJournal = (change: (journal: readonly JournalEntry[]) => readonly JournalEntry[]): readonly RunEnd[] =>
  history.ends.map((end) => {
    const journal = change(end.journal);
    return { record: { ...end.record, seq: journal.length }, journal };
  });
const more = (...notes: readonly object[]): readonly Note[] => [...history.notes, ...(notes as readonly Note[])];

it('accepts a sound history of two processes', () => {
  expect(history.notes.length).toBeGreaterThan(30);
  expect(checkHistory(history.notes, history.ends)).toEqual([]);
});

const planted: readonly (readonly [name: string, says: RegExp, notes: readonly Note[], ends?: readonly RunEnd[]])[] = [
  [
    'one epoch with two owners',
    /epoch 2 was given to two and to three/,
    more(
      { op: 'ask', by: 'three', n: 0, what: 'acquire', run: 'r' },
      { op: 'told', by: 'three', n: 0, what: 'acquire', run: 'r', epoch: 2 },
    ),
  ],
  [
    'a renewal of a lease that another one has followed',
    /one wrote \(renew\) in epoch 1 when epoch 2/,
    more(
      { op: 'ask', by: 'one', n: 99, what: 'renew', run: 'r', epoch: 1 },
      { op: 'told', by: 'one', n: 99, what: 'renew', run: 'r', epoch: 1 },
    ),
  ],
  [
    'an entry of a lease that another one has followed',
    /one wrote \(append\) in epoch 1/,
    more({ op: 'ask', by: 'one', n: 99, what: 'append', run: 'r', epoch: 1 }, { ...lastAppend, by: 'one', n: 99, epoch: 1 }),
  ],
  ['an entry that was acknowledged twice', /was acknowledged twice/, more({ ...lastAppend, n: 99 })],
  [
    'an entry that was acknowledged and dropped',
    /acknowledged and is not there/,
    history.notes,
    withJournal((journal) => journal.slice(0, -1)),
  ],
  [
    'an entry that was acknowledged and is another one',
    /acknowledged and is another one/,
    history.notes,
    withJournal((journal) => journal.map((entry) => (entry.seq === 4 ? { ...entry, outcome: { output: 'x' } } : entry))),
  ],
  ['a run that was acknowledged and is gone', /was acknowledged and is gone/, history.notes, []],
  [
    'a run that was acknowledged as done and is not',
    /acknowledged as done and is running/,
    history.notes,
    history.ends.map((end) => ({ ...end, record: { ...end.record, status: 'running' } })),
  ],
  ['a gap', /says that it is/, history.notes, withJournal((journal) => journal.filter(({ seq }) => seq !== 5))],
  [
    'an epoch that goes back',
    /comes behind one of/,
    history.notes,
    withJournal((journal) => journal.map((entry) => (entry.seq === 2 ? { ...entry, epoch: 9 } : entry))),
  ],
  ['a step that begins behind its result', /begun again behind its result/, more({ ...effect, by: 'two', op: 'begin' })],
  ['an effect of nothing that has begun', /without having been begun/, more({ ...effect, by: 'two', key: 'x#1/z', token: 'new' })],
  [
    'an effect by a process that never had the run',
    /which never had the run/,
    more({ ...effect, by: 'nobody', key: 'x#1/y', token: 'new' }),
  ],
  ['an effect under two tokens', /under two tokens/, more({ ...effect, token: 'other' })],
  ['two effects under one token', /share the token/, more({ ...effect, key: 'x#1/y' })],
  [
    'a call that may be made once and was made twice',
    /may be done once and was done 2 times/,
    more({ ...effect, once: true, key: 'x#1/y', token: 'new' }, { ...effect, once: true, key: 'x#1/y', token: 'new' }),
  ],
  ['more executions than leases', /in fewer leases/, more(...Array.from({ length: 4 }, () => ({ ...effect, key: 'x#1/y', token: 'new' })))],
  [
    'two answers that were both taken',
    /was answered with yes and with no/,
    more({ ...history.notes.find(({ op }) => op === 'answer'), by: 'one', said: 'no' }),
  ],
  [
    'two answers in a journal',
    /has 2 answers/,
    history.notes,
    withJournal((journal) => journal.flatMap((entry) => (entry.kind === 'event' ? [entry, entry] : [entry]))),
  ],
  [
    'two outcomes of one step',
    /has two outcomes/,
    history.notes,
    withJournal((journal) => journal.flatMap((entry) => (entry.kind === 'step' ? [entry, entry] : [entry]))),
  ],
  [
    'a thread that goes back',
    /thread t went from revision 5 to 4/,
    more(
      { op: 'told', by: 'one', n: 98, what: 'create', run: 'q', epoch: 1, thread: 't', revision: 5 },
      { op: 'ask', by: 'two', n: 99, what: 'create', run: 's' },
      { op: 'told', by: 'two', n: 99, what: 'create', run: 's', epoch: 1, thread: 't', revision: 4 },
    ),
  ],
];

for (const [name, says, notes, ends = history.ends] of planted) {
  it(`detects ${name}`, () => {
    expect(checkHistory(notes, ends).join('\n')).toMatch(says);
  });
}

import type { RunStore, StoredTurns, TurnQuery } from '../../core/ports/run-store.ts';
import { checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, beginAndSettle, nodeEntry } from './example-run.ts';

const inThread = { threadId: 't_1' };

/** Five runs of `t_1`, the last one driven, with runs of others between them. */
async function fill(store: RunStore): Promise<void> {
  for (const number of [1, 2, 3, 4]) {
    await beginAndSettle(store, `r_${number}`, { status: number === 2 ? 'failed' : 'done' }, inThread);
    await beginAndSettle(store, `o_${number}`, { status: 'done' }, { threadId: 't_2' });
    await beginAndSettle(store, `n_${number}`, { status: 'done' });
  }
  const { lease } = await begin(store, 'r_5', inThread);
  await store.append(lease, nodeEntry(2), 5);
}

const shapeOf = ({ total, skipped, turns }: StoredTurns): unknown => [total, skipped, turns.map(({ record }) => record.id)];

/** Some runs of a thread with their journals. */
export const turnCases: Cases<RunStore> = {
  'returns runs of a thread from either end, with the numbers of the others': async (store) => {
    await fill(store);
    const cases: readonly (readonly [TurnQuery, readonly unknown[]])[] = [
      [{}, [5, 0, ['r_5', 'r_4', 'r_3', 'r_2', 'r_1']]],
      [{ limit: 2 }, [5, 0, ['r_5', 'r_4']]],
      [{ limit: 2, beyond: 'r_4' }, [5, 2, ['r_3', 'r_2']]],
      [{ limit: 9, beyond: 'r_2' }, [5, 4, ['r_1']]],
      [{ beyond: 'r_1' }, [5, 5, []]],
      [{ order: 'oldest', limit: 2 }, [5, 0, ['r_1', 'r_2']]],
      [{ order: 'oldest', limit: 2, beyond: 'r_2' }, [5, 2, ['r_3', 'r_4']]],
      [{ order: 'oldest', beyond: 'r_5' }, [5, 5, []]],
      [{ limit: 0 }, [5, 0, []]],
    ];
    for (const [query, expected] of cases)
      checkSame(shapeOf(await store.turns('t_1', query)), expected, `turns for ${JSON.stringify(query)}`);
  },

  'returns no run beyond an id that is not one of the thread': async (store) => {
    await fill(store);
    for (const beyond of ['o_1', 'n_1', 'unknown']) {
      for (const order of ['newest', 'oldest'] as const) {
        checkSame(shapeOf(await store.turns('t_1', { order, beyond })), [5, 5, []], `turns beyond ${beyond}, ${order} first`);
      }
    }
    checkSame(shapeOf(await store.turns('unknown', {})), [0, 0, []], 'turns of an unknown thread');
  },

  'returns turns with the records and journals of their runs': async (store) => {
    await fill(store);
    for (const turn of (await store.turns('t_1', {})).turns) {
      const { id } = turn.record;
      checkSame(turn, { record: await store.read(id), entries: await store.journal(id) }, `the turn of ${id}`);
    }
  },
};

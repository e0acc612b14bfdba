import { describe, expect, it } from 'vitest';
import { erasureReport, type MemoryPlace } from '../../../src/cli/erasure-report.ts';

const reportOf = (db: string, ...memories: readonly MemoryPlace[]) =>
  new Map(erasureReport(db, new Set(memories)).map(({ place, ...rest }) => [place, rest]));

describe('erasureReport', () => {
  it('names every place once, with a reason for everything that remains', () => {
    const places = [...reportOf('my.db', 'sqlite')];
    expect(places.map(([place]) => place)).toEqual(['runs', 'memories', 'index', 'uploads', 'exports']);
    for (const [, { erased, because }] of places) expect(because === undefined).toBe(erased === 'bytes gone');
  });

  it.each([
    ['my.db', 'bytes gone', undefined],
    ['postgres://localhost/agents', 'rows only', expect.stringMatching(/VACUUM.*write-ahead log and backups/)],
    ['postgresql://localhost/agents', 'rows only', expect.stringContaining('PostgreSQL')],
  ])('reports the runs of %s as %s', (db, erased, because) => {
    expect(reportOf(db).get('runs')).toEqual({ erased, ...(because === undefined ? {} : { because }) });
  });

  it('reports the weakest result of all places of a memory', () => {
    expect(reportOf('my.db').get('memories')).toEqual({ erased: 'not touched', because: expect.stringContaining('no memory') });
    expect(reportOf('postgres://localhost/agents', 'sqlite').get('memories')).toEqual({ erased: 'bytes gone' });
    const chroma = { erased: 'rows only', because: expect.stringContaining('chroma vacuum --path') };
    expect(reportOf('my.db', 'chroma').get('memories')).toEqual(chroma);
    expect(reportOf('my.db', 'sqlite', 'chroma').get('memories')).toEqual(chroma);
  });
});

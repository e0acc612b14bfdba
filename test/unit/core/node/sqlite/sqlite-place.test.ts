import { existsSync } from 'node:fs';
import { hashedEmbedder } from 'agent-machines/search';
import { sqliteIndex } from 'agent-machines/search/node';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { checkSqlitePlace } from '../../../../../src/core/node/sqlite/sqlite-place.ts';

const special = [
  '',
  ' ',
  '\t\n',
  '\u00a0',
  'file:agents.db',
  'file:agents.db?mode=memory',
  'file::memory:',
  'FILE:///tmp/agents.db',
  ' file:agents.db',
  ' :memory:',
  ':memory: ',
  ':MEMORY:',
  'agents.db\0',
];

describe('checkSqlitePlace', () => {
  it.each(special)('refuses %j, which SQLite would not read as a file name', async (path) => {
    const refused = { code: 'OPTION_INVALID', data: { option: 'path' } };
    expect(() => checkSqlitePlace({ path })).toThrow(expect.objectContaining(refused));
    expect(() => sqliteStore({ path })).toThrow(expect.objectContaining(refused));
    await expect(sqliteIndex({ path, embedder: hashedEmbedder() })).rejects.toMatchObject(refused);
    if (!path.includes('\0') && path.trim() !== '') expect(existsSync(path)).toBe(false);
  });

  it.each(['agents.db', './agents.db', 'a b.db', ' agents.db', 'profile:1.db', ':memory:', '에이전트.db', 'memory', 'files/agents.db'])(
    'accepts %j',
    (path) => {
      expect(() => checkSqlitePlace({ path })).not.toThrow();
    },
  );
});

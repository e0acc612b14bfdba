import { createLongTermMemory } from 'agent-machines/memory';
import { hashedEmbedder, memoryIndex } from 'agent-machines/search';
import { expect, it } from 'vitest';
import { serve } from '../../fixtures/served.ts';

it('lists held memories and releases one of the named user only', async () => {
  const embedder = hashedEmbedder();
  const memory = createLongTermMemory({ index: memoryIndex({ embedder }), embedder });
  const { id } = await memory.write('kim', { kind: 'fact', text: 'sends reports', taint: { private: false, untrusted: true } });
  const { ask } = serve({ memories: () => memory });
  for (const path of ['/api/memory?user=kim', '/api/memory?user=kim&q=reports', '/api/memory/export?user=kim']) {
    expect((await ask('GET', path)).body.memories, path).toMatchObject([{ id, held: true }]);
  }
  expect((await ask('POST', `/api/memory/${id}/release?user=lee`, {})).body).toEqual({ released: 0 });
  expect((await ask('POST', `/api/memory/${id}/release?user=kim`, {})).body).toEqual({ released: 1 });
  expect(await memory.search('kim', 'reports')).toMatchObject([{ id }]);
});

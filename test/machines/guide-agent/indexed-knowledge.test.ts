import { indexedKnowledge, type KnowledgeBase, knowledgePassages } from 'agent-machines/machines/guide-agent';
import { exampleKnowledge } from 'agent-machines/machines/guide-agent/node';
import { createVectorStore } from 'agent-machines/search/node';
import { beforeAll, describe, expect, it } from 'vitest';

let base: KnowledgeBase;
beforeAll(async () => {
  base = await exampleKnowledge();
});

const queries = ['영상 편집', '무료 자막', 'write weekly reports', '회의록 정리', '쇼츠 영상을 만들어 올리기', '음악', 'zzz'];

describe('indexedKnowledge', () => {
  it.each(['memory', 'sqlite'] as const)("returns the catalogue's data for services that a %s index finds", async (type) => {
    const store = await createVectorStore(type === 'sqlite' ? { type, path: ':memory:' } : { type });
    await store.add(knowledgePassages(base));
    const knowledge = indexedKnowledge({ known: base, load: async () => base, open: async () => store });
    for (const query of queries) expect(await knowledge.search(query, { limit: 5 })).toEqual(base.search(query, { limit: 5 }));
    expect([knowledge.services, knowledge.categories, knowledge.isPrivate]).toEqual([base.services, base.categories, base.isPrivate]);
    await store.close();
  });

  it('ignores services that the index does not find, or the catalogue does not have', async () => {
    const [first, ...others] = base.search('영상 편집', { limit: 5 }).services;
    const sources = [...others.map(({ service }) => service.id), 'no-service-of-it'];
    const search = async () => sources.map((source) => ({ source, heading: '', text: '', score: 1 }));
    const knowledge = indexedKnowledge({ known: base, load: async () => base, open: async () => ({ search }) });
    const found = await knowledge.search('영상 편집', { limit: 5 });
    expect(found.services).toEqual(others);
    expect(found.services).not.toContainEqual(first);
    expect(found.trends).toEqual([]);
  });

  it('loads at the first search, and again after a failure', async () => {
    const said: string[] = [];
    const knowledge = indexedKnowledge({
      known: base,
      load: async () => {
        said.push('load');
        return base;
      },
      open: async () => {
        said.push('open');
        if (said.length < 3) throw new Error('no server');
        return { search: async () => [] };
      },
    });
    expect(said).toEqual([]);
    await expect(knowledge.search('영상', { limit: 5 })).rejects.toThrow('no server');
    expect(await knowledge.search('영상', { limit: 5 })).toEqual({ services: [], trends: [], shouldFallback: true });
    await knowledge.search('영상', { limit: 5 });
    expect(said).toEqual(['load', 'open', 'load', 'open']);
  });
});

import { createKnowledgeBase } from 'agent-machines/machines/guide-agent';
import { exampleKnowledge, lazyExampleKnowledge } from 'agent-machines/machines/guide-agent/node';
import { describe, expect, it } from 'vitest';
import catalogue from '../../../machines/guide-agent/examples/ai-services.json' with { type: 'json' };

const [first] = catalogue;
const service = (id: string, more: object = {}) => ({ ...first, id, description_en: '', ...more });
const named = (id: string, purpose: string, more: object = {}) =>
  service(id, { name: id, category: 'k', purpose, description: '', tags: ['k'], ...more });

describe('createKnowledgeBase', () => {
  it.each<readonly [string, unknown]>([
    ['an object', {}],
    ['a service without a price', [{ ...first, price: undefined }]],
    ['a price that is a text', [{ ...first, price: { ...first?.price, amount: '9' } }]],
    ['two services with one id', [first, first]],
    ['a service without a name', [{ ...first, name: '' }]],
  ])('rejects %s', (_what, value) => {
    expect(() => createKnowledgeBase(value, [])).toThrow(/The catalogue cannot be used/);
  });

  it.each<readonly [what: string, entry: unknown, reason: string]>([
    ['a negative price', { ...first, price: { ...first?.price, amount: -5 } }, '[1].price.amount (-5): must be 0 or more'],
    [
      'a price that is not a number',
      { ...first, price: { ...first?.price, amount: Number.NaN } },
      '[1].price.amount (NaN): must be a number',
    ],
    [
      'an endless price',
      { ...first, price: { ...first?.price, amount: Number.POSITIVE_INFINITY } },
      '[1].price.amount (Infinity): must be a number',
    ],
    ['a price that is a text', { ...first, price: { ...first?.price, amount: '9' } }, '[1].price.amount ("9"): must be a number'],
    [
      'a price without an amount',
      { ...first, price: { ...first?.price, amount: undefined } },
      '[1].price.amount (missing): must be a number',
    ],
    [
      'a price of nothing',
      { ...first, price: { ...first?.price, amount: 5, currency: ' ' } },
      '[1].price.currency (" "): must name the currency',
    ],
    ['a free tier that is a text', { ...first, price: { ...first?.price, free_tier: 'no' } }, '[1].price.free_tier ("no"): '],
    ['no price', { ...first, price: null }, '[1].price (null): '],
    ['a blank id', { ...first, id: ' ' }, '[1].id (" "): must not be empty'],
    ['a tag that is a number', { ...first, tags: ['a', 5] }, '[1].tags[1] (5): '],
    ['an id that is there already', { ...first, name: 'other' }, 'is also the id of [0]'],
    ['something else', 'a service', '[1] ("a service"): '],
    ['a long text in a wrong place', { ...first, id: 'x', tags: 'y'.repeat(10_000) }, `[1].tags ("${'y'.repeat(59)}…): `],
  ])('rejects the whole catalogue for %s, with the path', (_what, entry, reason) => {
    expect(() => createKnowledgeBase([first, entry], [])).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: expect.stringContaining(reason),
        hint: expect.stringContaining('rejected as a whole'),
      }),
    );
  });

  it('reports every error, up to a limit', () => {
    const wrong = Array.from({ length: 1_000 }, (_, index) => ({
      ...first,
      id: `${index}`,
      price: { ...first?.price, amount: -index - 1 },
    }));
    const error = (() => {
      try {
        return createKnowledgeBase(wrong, []);
      } catch (cause) {
        return cause as Error;
      }
    })();
    expect(error).toMatchObject({
      message: expect.stringMatching(/^The catalogue cannot be used: \[0\]\..*; and 980 more\.$/),
    });
    expect((error as Error).message.length).toBeLessThan(2_000);
  });

  it('accepts a price of 0 without a currency', () => {
    const free = { ...first, price: { amount: 0, currency: '', per: '', free_tier: false } };
    expect(createKnowledgeBase([free], []).services).toMatchObject([{ price: { amount: 0 } }]);
  });

  it('lists the categories in the order of the catalogue', () => {
    const knowledge = createKnowledgeBase(
      [service('a', { category: 'x' }), service('b', { category: 'y' }), service('c', { category: 'x' })],
      [],
    );
    expect(knowledge.categories).toEqual(['x', 'y']);
  });

  it('accepts an empty catalogue, which answers nothing and sets the fallback', () => {
    expect(createKnowledgeBase([], []).search('자막', { limit: 5 })).toEqual({ services: [], trends: [], shouldFallback: true });
  });
});

describe('search', () => {
  const text = '# 동향\n\n## 자막\n\nalpha는 자막 넣기에 쓰인다.\n';
  const services = [named('alpha', '자막 넣기'), named('beta', '자막 넣기'), named('gamma', '대본 쓰기')];

  it('scores 0.7 for the catalogue and 0.3 for a trend that names the service', () => {
    const { services: found, trends } = createKnowledgeBase(services, [{ name: 't.md', text }]).search('자막 넣기', { limit: 5 });
    expect(found.map(({ service, score }) => [service.id, score])).toEqual([
      ['alpha', 1],
      ['beta', 0.7],
    ]);
    expect(trends.map(({ id, heading }) => [id, heading])).toEqual([['t.md#1', expect.stringContaining('자막')]]);
  });

  it('does not return a service that only a trend mentions', () => {
    const found = createKnowledgeBase([named('alpha', '대본')], [{ name: 't.md', text }]).search('자막 넣기', { limit: 5 });
    expect(found.services).toEqual([]);
    expect(found.trends).toHaveLength(1);
  });

  it.each<readonly [what: string, query: string, fallback: boolean]>([
    ['a known topic', '자막 넣기', false],
    ['nothing', '', true],
    ['signs only', '?!', true],
    ['an unknown topic', '세금 신고', true],
    ['a little of a long question', '자막 그리고 회계 장부와 세금 신고와 부동산 등기와 법인 설립', true],
  ])('sets the fallback when the best score is below 0.4 or the mean below 0.5: %s', (_what, query, fallback) => {
    const { shouldFallback, services: found } = createKnowledgeBase(services, [{ name: 't.md', text }]).search(query, { limit: 5 });
    const mean = found.reduce((sum, { score }) => sum + score, 0) / (found.length || 1);
    expect([shouldFallback, (found[0]?.score ?? 0) < 0.4 || mean < 0.5]).toEqual([fallback, fallback]);
  });

  it('returns at most the requested number, best first, the same each time', () => {
    const knowledge = createKnowledgeBase(services, []);
    const search = () => knowledge.search('자막 넣기 대본 쓰기', { limit: 2 });
    expect(search().services.length).toBeLessThanOrEqual(2);
    expect(search()).toEqual(search());
    const scores = search().services.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });
});

describe('the shipped knowledge', async () => {
  const knowledge = await exampleKnowledge();

  it('has about 60 services of many kinds, each with a price, and the passages of two PDFs', () => {
    expect(knowledge.services.length).toBeGreaterThanOrEqual(55);
    expect(knowledge.categories.length).toBeGreaterThanOrEqual(10);
    const sources = (query: string) => knowledge.search(query, { limit: 5 }).trends.map(({ source }) => source);
    expect(sources('쇼츠 자막')).toContain('trends-video-2026.pdf');
    expect(sources('회의록 할 일')).toContain('trends-work-2026.pdf');
  });

  it.each([
    ['한국어 자막 넣기', 'captionquokka'],
    ['유튜브 썸네일', 'thumbnailchameleon'],
    ['회의록 정리', 'minutebeetle'],
    ['Compose background music for videos', 'beatkatydid'],
    ['Review pull requests', 'reviewkestrel'],
    ['문서 번역', 'wordswallow'],
  ])('finds for "%s" %s first', (query, id) => {
    const [best] = knowledge.search(query, { limit: 3 }).services;
    expect(best?.service.id).toBe(id);
  });

  it("ranks a service's purpose before its exclusions", () => {
    const ids = knowledge.search('번역', { limit: 10 }).services.map(({ service }) => service.id);
    expect(ids).toContain('captionquokka'); // 번역 자막은 만들지 못하며
    expect(ids.indexOf('captionquokka')).toBeGreaterThan(ids.indexOf('wordswallow'));
  });

  it('is the same when its PDFs are read later', async () => {
    const lazy = lazyExampleKnowledge();
    const { search, ...known } = knowledge;
    expect(lazy).toMatchObject(known);
    const options = { limit: 5 };
    const queries = ['영상 편집', '회의록', 'weekly report'];
    expect(await Promise.all(queries.map((query) => lazy.search(query, options)))).toEqual(queries.map((query) => search(query, options)));
    expect(search('영상 편집', options).trends.length).toBeGreaterThan(0);
  });
});

import type { VectorIndex } from 'agent-machines';
import { createLongTermMemory, type LongTermMemory, type MemoryKind } from 'agent-machines/memory';
import { hashedEmbedder } from 'agent-machines/search';
import { fakeClock } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

export const embedder = hashedEmbedder({ dimensions: 128 });
let places = 0;
const newPlace = (): string => `memories-${places++}`;

export interface MemoryOver {
  readonly name: string;
  /** An index whose embedder is `embedder`. */
  readonly open: (place: string) => Promise<VectorIndex>;
  readonly persistent: boolean;
  readonly numRuns: number;
}

const idsOf = (records: readonly { readonly id: string }[]): readonly string[] => records.map(({ id }) => id);
const textsOf = (records: readonly { readonly text: string }[]): readonly string[] => records.map(({ text }) => text);

/** What a memory has to do, whatever index it is kept in. */
export function longTermMemoryCases({ name, open, persistent, numRuns }: MemoryOver): void {
  describe(`createLongTermMemory over ${name}`, () => {
    const subject = async (): Promise<{
      memory: LongTermMemory;
      index: VectorIndex;
      clock: ReturnType<typeof fakeClock>;
      place: string;
    }> => {
      const place = newPlace();
      const index = await open(place);
      const clock = fakeClock(1_000);
      return { memory: createLongTermMemory({ index, embedder, clock }), index, clock, place };
    };

    it('keeps, finds, lists and exports every record', async () => {
      const { memory, clock } = await subject();
      const video = await memory.write('kim', { kind: 'preference', text: '짧은 영상을 좋아한다' });
      await clock.advance(5);
      const goal = await memory.write('kim', { kind: 'goal', text: '유튜브 채널을 열고 싶다' });
      expect(video).toEqual({
        id: expect.stringMatching(/^m_[0-9a-f]{28}$/),
        kind: 'preference',
        text: '짧은 영상을 좋아한다',
        createdAt: 1_000,
        updatedAt: 1_000,
      });
      expect(await memory.list('kim')).toEqual([goal, video]);
      expect(await memory.export('kim')).toEqual({ version: 1, userId: 'kim', memories: [video, goal] });
      const [best] = await memory.search('kim', '영상을 짧은 것으로');
      expect(best).toEqual({ ...video, score: expect.any(Number) });
      expect(await memory.search('kim', '영상을 짧은 것으로', { kinds: ['goal', 'fact'] })).not.toContainEqual(best);
      expect(await memory.search('kim', '영상', { kinds: [] })).toEqual([]);
    });

    it('keeps the newer of two equal records, with the time of the older', async () => {
      const { memory, index, clock } = await subject();
      const first = await memory.write('kim', { kind: 'fact', text: 'Lives in Seoul.' });
      await clock.advance(7);
      expect(await memory.write('kim', { kind: 'fact', text: 'lives  in\nSeoul' })).toEqual({
        ...first,
        text: 'lives in Seoul',
        updatedAt: 1_007,
      });
      expect(await index.count()).toBe(1);
    });

    it('merges nearly equal records of one kind and user, and no others', async () => {
      const { memory, index, clock } = await subject();
      const text = '대본은 짧게 쓰고 자막은 한국어로 넣는 것을 좋아하고 배경 음악은 조용한 것을 고른다';
      const older = await memory.write('kim', { kind: 'preference', text });
      await clock.advance(7);
      const newer = await memory.write('kim', { kind: 'preference', text: `늘 ${text}` });
      expect(newer).toEqual({
        id: expect.not.stringMatching(older.id),
        kind: 'preference',
        text: `늘 ${text}`,
        createdAt: 1_000,
        updatedAt: 1_007,
      });
      await memory.write('kim', { kind: 'feedback', text });
      await memory.write('lee', { kind: 'preference', text });
      expect(textsOf(await memory.list('kim')).toSorted()).toEqual([`늘 ${text}`, text].toSorted());
      expect(await index.count()).toBe(3);
    });

    it('hides the records of other users, and rejects their ids as unknown', async () => {
      const { memory } = await subject();
      for (const userId of ['kim', 'Kim', 'kim-1', 'k_m', '__proto__']) await memory.write(userId, { kind: 'fact', text: '서울에 산다' });
      const [mine] = await memory.list('kim');
      expect(await memory.search('lee', '서울에 산다')).toEqual([]);
      expect(await memory.forget('lee', [mine?.id ?? ''])).toBe(0);
      expect(await memory.forget('Kim', 'all')).toBe(1);
      for (const userId of ['kim', 'kim-1', 'k_m', '__proto__']) expect(await memory.list(userId)).toHaveLength(1);
      expect(await memory.list('Kim')).toEqual([]);
    });

    it('deletes some records or all for good', async () => {
      const { memory, index } = await subject();
      const texts = ['서울에 산다', '고양이를 키운다', '커피를 마시지 않는다', '!!!'];
      const records = [];
      for (const text of texts) records.push(await memory.write('kim', { kind: 'fact', text }));
      await memory.write('lee', { kind: 'fact', text: '서울에 산다' });
      expect(await memory.forget('kim', [records[1]?.id ?? '', 'm_0', records[1]?.id ?? ''])).toBe(1);
      expect(textsOf(await memory.search('kim', '고양이를 키운다'))).not.toContain('고양이를 키운다');
      expect(await memory.forget('kim', 'all')).toBe(3);
      expect([await memory.list('kim'), (await memory.export('kim')).memories]).toEqual([[], []]);
      expect(await index.count()).toBe(1);
      expect(await memory.forget('kim', 'all')).toBe(0);
    });

    it('lists a text without content for the embedder, and never finds it', async () => {
      const { memory } = await subject();
      const record = await memory.write('kim', { kind: 'feedback', text: '👍' });
      await memory.write('kim', { kind: 'feedback', text: '👎' });
      expect(textsOf(await memory.list('kim')).toSorted()).toEqual(['👍', '👎'].toSorted());
      expect(await memory.search('kim', '👍')).toEqual([]);
      expect(await memory.forget('kim', [record.id])).toBe(1);
    });

    it('exports and deletes everything, also when 130 users wrote the same text', async () => {
      const { memory, index } = await subject();
      const users = Array.from({ length: 130 }, (_, i) => `user-${i}`);
      await Promise.all(users.map((userId) => memory.write(userId, { kind: 'preference', text: '커피를 좋아한다' })));
      const exported = await Promise.all(users.map((userId) => memory.export(userId)));
      expect(exported.every(({ memories }) => memories.length === 1)).toBe(true);
      await Promise.all(users.map((userId) => memory.forget(userId, 'all')));
      expect(await index.count()).toBe(0);
    });

    it('serializes concurrent writes of nearly equal texts', async () => {
      const { memory, index } = await subject();
      const text = '대본은 짧게 쓰고 자막은 한국어로 넣는 것을 좋아하고 배경 음악은 조용한 것을 고른다';
      await Promise.all([text, `늘 ${text}`, `${text}!`, text].map((one) => memory.write('kim', { kind: 'fact', text: one })));
      expect(textsOf(await memory.list('kim'))).toEqual([text]);
      expect(await index.count()).toBe(1);
    });

    if (persistent)
      it('has every record after its index is reopened', async () => {
        const { memory, index, place } = await subject();
        const record = await memory.write('kim', { kind: 'fact', text: '서울에 산다' });
        await index.close();
        const again = createLongTermMemory({ index: await open(place), embedder });
        expect(await again.list('kim')).toEqual([record]);
        expect((await again.search('kim', '서울에 산다'))[0]?.id).toBe(record.id);
        expect(await again.forget('kim', 'all')).toBe(1);
      });

    it('behaves like a list of records', async () => {
      const user = fc.constantFrom('kim', 'lee', 'park');
      const kind = fc.constantFrom<MemoryKind>('preference', 'fact', 'feedback', 'goal');
      const text = fc.oneof(
        {
          weight: 3,
          arbitrary: fc.constantFrom(
            '커피를 좋아한다',
            '커피를  좋아한다.',
            '짧은 영상을 선호하고 긴 영상은 보지 않는다',
            '짧은 영상을 선호하고 긴 영상은 안 본다',
            '서울',
            '!!',
            "'; DROP TABLE entries; --",
          ),
        },
        { weight: 1, arbitrary: fc.stringMatching(/^[a-z가-힣]{1,6}( [a-z가-힣]{1,6}){0,4}$/) },
      );
      const command = fc.oneof(
        { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), user, kind, text }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), user, nth: fc.nat(5) }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('forget all' as const), user }) },
        { weight: 3, arbitrary: fc.record({ do: fc.constant('search' as const), user, kind, text }) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 12 }), async (commands) => {
          const { memory, index, clock } = await subject();
          const model = new ModelMemory();
          for (const [n, one] of commands.entries()) {
            await clock.advance(1);
            if (one.do === 'write') {
              await memory.write(one.user, one);
              await model.write(one.user, one.kind, one.text, 1_001 + n);
            } else if (one.do === 'search') {
              const hits = await memory.search(one.user, one.text, { kinds: [one.kind], limit: 10 });
              const expected = await model.search(one.user, one.kind, one.text);
              expect(hits.map((hit) => [hit.text, hit.score])).toEqual(
                hits.map((hit) => [hit.text, expect.closeTo(expected.get(hit.text) ?? Number.NaN, 4)]),
              );
              expect(hits.length).toBe(expected.size);
              expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
            } else {
              const listed = await memory.list(one.user);
              const ids = one.do === 'forget' ? idsOf(listed.slice(one.nth, one.nth + 1)) : 'all';
              const gone = one.do === 'forget' ? listed.slice(one.nth, one.nth + 1) : listed;
              expect(await memory.forget(one.user, ids)).toBe(gone.length);
              model.forget(one.user, gone);
            }
          }
          for (const userId of ['kim', 'lee', 'park']) {
            const { memories } = await memory.export(userId);
            expect(memories.map(({ id: _, ...rest }) => rest).toSorted(byText)).toEqual(model.of(userId).toSorted(byText));
            expect(await memory.list(userId)).toHaveLength(memories.length);
          }
          await index.close();
        }),
        { numRuns },
      );
    });
  });
}

interface ModelRecord {
  readonly kind: MemoryKind;
  readonly text: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const byText = (a: ModelRecord, b: ModelRecord): number => (`${a.kind} ${a.text}` < `${b.kind} ${b.text}` ? -1 : 1);

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

const vectorOf = async (text: string): Promise<Float32Array> => (await embedder.embed([text]))[0] ?? new Float32Array();

/** What a long-term memory should be, in the plainest way: one list for each user. */
class ModelMemory {
  readonly #records = new Map<string, ModelRecord[]>();

  of(userId: string): readonly ModelRecord[] {
    return this.#records.get(userId) ?? [];
  }

  async write(userId: string, kind: MemoryKind, given: string, now: number): Promise<void> {
    const text = given.replace(/\s+/g, ' ');
    const spelled = (one: string): string => one.replace(/[.]+$/, '').toLowerCase();
    const kept: ModelRecord[] = [];
    let createdAt = now;
    for (const record of this.of(userId)) {
      const alike = cosine(await vectorOf(record.text), await vectorOf(text)) >= 0.95 - 1e-7;
      if (record.kind === kind && (alike || spelled(record.text) === spelled(text))) createdAt = Math.min(createdAt, record.createdAt);
      else kept.push(record);
    }
    this.#records.set(userId, [...kept, { kind, text, createdAt, updatedAt: now }]);
  }

  /** Cosines above 0, by text. */
  async search(userId: string, kind: MemoryKind, query: string): Promise<ReadonlyMap<string, number>> {
    const scores = new Map<string, number>();
    for (const record of this.of(userId)) {
      const score = cosine(await vectorOf(record.text), await vectorOf(query));
      if (record.kind === kind && score > 5e-7) scores.set(record.text, score);
    }
    return scores;
  }

  forget(userId: string, gone: readonly { readonly kind: MemoryKind; readonly text: string }[]): void {
    const isGone = (record: ModelRecord): boolean => gone.some(({ kind, text }) => kind === record.kind && text === record.text);
    this.#records.set(
      userId,
      this.of(userId).filter((record) => !isGone(record)),
    );
  }
}

import { hashedEmbedder } from 'agent-machines/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  (a ?? new Float32Array()).reduce((sum, value, i) => sum + value * (b?.[i] ?? 0), 0);
const likeness = async (one: string, other: string, embedder = hashedEmbedder()): Promise<number> => {
  const [a, b] = await embedder.embed([one, other]);
  return cosine(a, b);
};

describe('hashedEmbedder', () => {
  it('returns equal unit vectors for equal texts, and zero for a text without letters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 40 }), async (text) => {
        const [vector, again, nothing] = await hashedEmbedder({ dimensions: 64 }).embed([text, text, ' ?! ']);
        expect(vector).toHaveLength(64);
        expect(again).toEqual(vector);
        const length = cosine(vector, vector);
        expect(Math.min(Math.abs(length), Math.abs(length - 1))).toBeLessThan(1e-5);
        expect(nothing?.every((value) => value === 0)).toBe(true);
      }),
    );
  });

  it('places forms of a Korean verb near each other, and other words apart', async () => {
    expect(await likeness('바꾸면', '바뀐')).toBeGreaterThan(0.1);
    expect(await likeness('계약을 해지하면', '계약의 해지')).toBeGreaterThan(0.4);
    expect(Math.abs(await likeness('계약을 해지하면', '목적물 검수'))).toBeLessThan(0.15);
  });

  it('does not know synonyms', async () => {
    expect(Math.abs(await likeness('그만두고 싶으면 언제 말해야 하나요', '계약의 해지 통보 기한'))).toBeLessThan(0.15);
  });

  it('reduces the weight of frequent words in the learnt texts', async () => {
    const learnFrom = ['계약 기간', '계약 금액', '계약 해지', '계약 변경'];
    const learnt = await likeness('계약 기간', '계약 금액', hashedEmbedder({ learnFrom }));
    expect(learnt).toBeLessThan(await likeness('계약 기간', '계약 금액'));
  });

  it('has a name that identifies comparable vectors', () => {
    expect(hashedEmbedder().name).toBe('hashed-1024');
    expect(hashedEmbedder({ learnFrom: ['a'] }).name).not.toBe(hashedEmbedder({ learnFrom: ['b'] }).name);
  });

  it('reads composed and decomposed Hangul as the same', async () => {
    expect(await likeness('해지'.normalize('NFD'), '해지')).toBeCloseTo(1, 5);
  });

  it.each([0, 15, 1.5, 70_000])('refuses %d dimensions', (dimensions) => {
    expect(() => hashedEmbedder({ dimensions })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('rejects with the reason of an aborted signal', async () => {
    const reason = new Error('enough');
    await expect(hashedEmbedder().embed(['a'], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

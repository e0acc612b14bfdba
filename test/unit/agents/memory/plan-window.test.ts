import { planWindow, type WindowMessage } from 'agent-machines/memory';
import { describe, expect, it } from 'vitest';
import { assistant, conversation, idsOf, tool, user } from './helpers.ts';

const cutOf = (messages: readonly WindowMessage[], settings = {}): string => {
  const plan = planWindow({ messages }, settings);
  return plan.kind === 'keep' ? 'keep' : `${idsOf(plan.old)} | ${idsOf(plan.recent)}`;
};

describe('planWindow', () => {
  it('keeps nine messages and cuts ten into five and five', () => {
    expect(cutOf(conversation(9))).toBe('keep');
    expect(cutOf(conversation(10))).toBe('u1 a1 u2 a2 u3 | a3 u4 a4 u5 a5');
    expect(cutOf(conversation(13))).toBe('u1 a1 u2 a2 u3 a3 u4 a4 | u5 a5 u6 a6 u7');
  });

  it('counts tool messages', () => {
    const messages = [user('u1', 'a'), assistant('c1', '', 'x'), tool('r1', 'x'), assistant('a1', 'b')];
    expect(cutOf([...messages, user('u2', 'c')], { maxMessages: 5, keepRecent: 1 })).toBe('u1 c1 r1 a1 | u2');
  });

  it('cuts nothing from an empty window', () => {
    expect(cutOf([])).toBe('keep');
  });

  it('moves the cut back so that a call stays with its results', () => {
    const messages = [user('u1', 'a'), assistant('c1', '', 'x', 'y', 'z'), tool('x1', 'x'), tool('y1', 'y'), tool('z1', 'z')];
    for (const keepRecent of [1, 2, 3, 4]) expect(cutOf(messages, { maxMessages: 5, keepRecent })).toBe('u1 | c1 x1 y1 z1');
    expect(cutOf([...messages, assistant('a1', 'b')], { maxMessages: 5, keepRecent: 1 })).toBe('u1 c1 x1 y1 z1 | a1');
  });

  it('keeps everything if the window is one call with its results', () => {
    const results = Array.from({ length: 20 }, (_, i) => tool(`r${i}`, `call${i}`));
    const call = assistant('c', '', ...results.map((_, i) => `call${i}`));
    expect(cutOf([call, ...results])).toBe('keep');
  });

  it('keeps moving the cut while calls overlap', () => {
    const messages = [user('u', 'a'), assistant('c1', '', 'x'), assistant('c2', '', 'y'), tool('x', 'x'), tool('y', 'y')];
    expect(cutOf(messages, { maxMessages: 5, keepRecent: 1 })).toBe('u | c1 c2 x y');
  });

  it('assigns a result to the nearest call, because models reuse ids', () => {
    const round = (n: number): WindowMessage[] => [user(`u${n}`, 'a'), assistant(`c${n}`, '', 'call_0'), tool(`r${n}`, 'call_0')];
    expect(cutOf([...round(1), ...round(2)], { maxMessages: 6, keepRecent: 3 })).toBe('u1 c1 r1 | u2 c2 r2');
    expect(cutOf([...round(1), ...round(2)], { maxMessages: 6, keepRecent: 1 })).toBe('u1 c1 r1 u2 | c2 r2');
  });

  it('treats results without a call, and calls without a result, as plain messages', () => {
    const messages = [tool('r1', 'x'), tool('r2', 'x'), assistant('c', '', 'never'), tool('r3', '__proto__'), tool('r4', 'x')];
    expect(cutOf(messages, { maxMessages: 5, keepRecent: 2 })).toBe('r1 r2 c | r3 r4');
  });

  it('returns equal plans for equal windows', () => {
    expect(planWindow({ messages: conversation(12) })).toEqual(planWindow({ messages: conversation(12) }));
  });

  it.each([
    { maxMessages: 1 },
    { maxMessages: 5 },
    { maxMessages: 2.5, keepRecent: 1 },
    { keepRecent: 0 },
    { keepRecent: 10 },
    { maxSummaries: 0 },
    { maxMessages: Number.NaN },
  ])('refuses the settings %o', (settings) => {
    expect(() => planWindow({ messages: [] }, settings)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

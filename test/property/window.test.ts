import type { ChatMessage } from 'agent-machines';
import {
  emptyWindow,
  estimateMessageTokens,
  planWindow,
  renderSummaries,
  slideWindow,
  type WindowMessage,
  type WindowState,
  windowTokens,
} from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoint } from '../fixtures/code-point.ts';

const mark = '---SUMMARY_BREAK---';
const callId = fc.constantFrom('call_0', 'call_1', 'call_2', '__proto__');
const content = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: codePoint, maxLength: 30 }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '내 이름은 철수야',
      '예산은 1억원이야',
      '예산은 2억원으로 바꿨어',
      'I prefer tea. My deadline is May 3.',
      '',
      ' \n ',
      `가\n${mark}\n나`,
      '[대화 기록 9]\n거짓',
      '가나다라 '.repeat(300),
    ),
  },
  { weight: 1, arbitrary: fc.nat(10_000).map((n) => `제${n}호 건물의 예산은 ${n}억원이야`) },
);
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('user' as const, 'system' as const), content }),
  fc.record({ role: fc.constant('user' as const), content }),
  fc.record({
    role: fc.constant('assistant' as const),
    content,
    toolCalls: fc.array(
      callId.map((id) => ({ id, name: 'calculator', arguments: '{"expression":"1+1"}' })),
      { maxLength: 4 },
    ),
  }),
  fc.record({ role: fc.constant('tool' as const), callId, content }),
);

/** A call with its results, as a conversation really has them. */
const round: fc.Arbitrary<readonly ChatMessage[]> = fc.array(fc.nat(99), { minLength: 1, maxLength: 8 }).map((results) => [
  {
    role: 'assistant',
    content: '',
    toolCalls: results.map((_, i) => ({ id: `call_${i}`, name: 'calculator', arguments: '{}' })),
  },
  ...results.map((result, i): ChatMessage => ({ role: 'tool', callId: `call_${i}`, content: `${result}` })),
]);
const turn = fc
  .array(
    fc.oneof(
      message.map((one) => [one]),
      round,
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.flat());
const turns = fc.array(turn, { minLength: 1, maxLength: 40 });

const settings = fc
  .record({ maxMessages: fc.integer({ min: 2, max: 14 }), keep: fc.nat(1_000), maxSummaries: fc.integer({ min: 1, max: 4 }) })
  .map(({ maxMessages, keep, maxSummaries }) => ({ maxMessages, keepRecent: 1 + (keep % (maxMessages - 1)), maxSummaries }));

type Behaviour = (messages: readonly ChatMessage[]) => string;
const behaviours: readonly Behaviour[] = [
  () => '짧은 요약',
  () => '',
  () => ' \u0000 ',
  (messages) => messages.map((one) => one.content).join('\n'),
  (messages) => `${messages.map((one) => one.content).join('\n')} 그리고 더 긴 이야기가 이어진다`.repeat(2),
  () => `하나\n${mark}\n둘`,
  () => `${mark}`,
  () => '\u0007\ud800가\u202e\r\n나\u001b[2J',
  () => {
    throw new Error('no model');
  },
];
const script = fc.array(fc.constantFrom(...behaviours), { minLength: 1, maxLength: 8 });

const charsOf = (one: ChatMessage): number =>
  one.content.length +
  (one.role === 'assistant' ? (one.toolCalls ?? []).reduce((sum, call) => sum + call.name.length + call.arguments.length, 0) : 0);

/** Each result with the place of the nearest call of its id. Written without looking at the window's own way. */
function pairsIn(messages: readonly WindowMessage[]): readonly (readonly [number, number])[] {
  return messages.flatMap(({ message: result }, j) => {
    if (result.role !== 'tool') return [];
    const i = messages
      .slice(0, j)
      .findLastIndex((one) => one.message.role === 'assistant' && (one.message.toolCalls ?? []).some(({ id }) => id === result.callId));
    return i < 0 ? [] : [[i, j] as const];
  });
}

/** How many messages the places hold that cannot be parted around one place, at the most. */
function longestStretch(messages: readonly WindowMessage[]): number {
  const pairs = pairsIn(messages);
  let longest = 1;
  for (let start = 0; start < messages.length; start++) {
    let end = start;
    for (const [i, j] of pairs) if (i >= start && i <= end) end = Math.max(end, j);
    for (let grown = true; grown; ) {
      const before = end;
      for (const [i, j] of pairs) if (i >= start && i <= end) end = Math.max(end, j);
      grown = end > before;
    }
    longest = Math.max(longest, end - start + 1);
  }
  return longest;
}

const bytesOf = (state: WindowState): number => new TextEncoder().encode(state.facts.map(({ text }) => `${text}\n`).join('')).length;

describe('the window of any conversation and summarizer', () => {
  it('keeps its bounds, its order, its pairs, and every message in exactly one place', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(turns, settings, script, async (conversation, limits, behaves) => {
        let state: WindowState = emptyWindow;
        let calls = 0;
        let id = 0;
        const all: WindowMessage[] = [];
        const dropped: string[] = [];
        for (const added of conversation) {
          const before = state;
          const callsBefore = calls;
          const summarize = async ({ messages }: { messages: readonly ChatMessage[] }): Promise<string> =>
            behaves[calls++ % behaves.length]?.(messages) ?? '';
          const step = await slideWindow({ state, summarizer: { summarize }, settings: limits });
          ({ state } = step);
          seen.add(step.kind === 'summarized' ? step.summary.by : step.kind);

          expect(calls - callsBefore).toBeLessThanOrEqual(1);
          const plan = planWindow(before, limits);
          if (step.kind === 'summarized') {
            // a summary stands for the oldest, is not longer, and pairs are on one side
            const { old } = step.plan;
            expect([...old, ...state.messages]).toEqual(before.messages);
            expect(step.summary.messageIds).toEqual(old.map((one) => one.id));
            expect(step.summary.text.length).toBeLessThanOrEqual(old.reduce((sum, one) => sum + charsOf(one.message), 0));
            expect(step.summary.text).not.toMatch(/[[\p{Cc}\u202e]--[\n\t]]/v);
            expect(step.summary.text.isWellFormed()).toBe(true);
            for (const [i, j] of pairsIn(before.messages)) expect(i < old.length).toBe(j < old.length);
            dropped.push(...step.dropped.flatMap(({ messageIds }) => messageIds));
            expect(state.messages.length).toBeGreaterThanOrEqual(limits.keepRecent);
            // done once, there is nothing more to do
            expect(planWindow(state, limits)).toEqual({ kind: 'keep' });
          } else {
            expect(state).toBe(before);
            expect(plan.kind).toBe(step.kind === 'kept' ? 'keep' : 'summarize');
          }
          if (step.kind !== 'failed') {
            const most = Math.max(limits.maxMessages - 1, limits.keepRecent - 1 + longestStretch(before.messages));
            expect(state.messages.length).toBeLessThanOrEqual(most);
          }

          // every message that there was, in order: gone with a dropped summary, summarised, or visible
          const places = [...dropped, ...state.summaries.flatMap(({ messageIds }) => messageIds), ...state.messages.map((one) => one.id)];
          expect(places).toEqual(all.map((one) => one.id));
          expect(state.summaries.length).toBeLessThanOrEqual(limits.maxSummaries);

          // facts are the user's words out of messages that are out of sight
          expect(bytesOf(state)).toBeLessThanOrEqual(1024);
          expect(new Set(state.facts.map(({ key }) => key)).size).toBe(state.facts.length);
          for (const fact of state.facts) {
            expect(all.find((one) => one.id === fact.messageId)?.message.role).toBe('user');
            expect(state.messages.some((one) => one.id === fact.messageId)).toBe(false);
            expect(fact.text).not.toMatch(/[\p{Cc}]/u);
          }
          expect(windowTokens(state).full).toBe(all.reduce((sum, one) => sum + estimateMessageTokens(one.message), 0));
          expect(JSON.parse(JSON.stringify(state))).toEqual(state);
          for (const { text } of state.summaries) expect(renderSummaries(state)).toContain(text);

          const fresh = added.map((one): WindowMessage => ({ id: `m${id++}`, message: one }));
          all.push(...fresh);
          state = { ...state, messages: [...state.messages, ...fresh] };
        }
      }),
      { numRuns: 200 },
    );
    expect([...seen].sort()).toEqual(['extract', 'failed', 'kept', 'summarizer']);
  });

  it('stays below the message limit without tools after each successful memory step', async () => {
    const text = fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), content });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(text, { maxLength: 5 })), settings, async (conversation, limits) => {
        let state: WindowState = emptyWindow;
        for (const [n, added] of conversation.entries()) {
          const count = state.messages.length;
          ({ state } = await slideWindow({ state, summarizer: { summarize: async () => '요약' }, settings: limits }));
          expect(state.messages.length).toBe(count < limits.maxMessages ? count : limits.keepRecent);
          state = { ...state, messages: [...state.messages, ...added.map((one, i) => ({ id: `${n}-${i}`, message: one }))] };
        }
      }),
    );
  });
});

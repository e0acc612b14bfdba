// What the model sees of a long conversation, turn by turn, and what that costs.
import { join } from 'node:path';
import { type ChatMessage, type ChatRequest, createRuntime, memoryStore } from 'agent-machines';
import { type ChatAgentRuleInputs, chatAgent } from 'agent-machines/machines/chat-agent';
import { emptyWindow, estimateMessageTokens, type WindowState } from 'agent-machines/memory';
import { offlineModel } from 'agent-machines/models';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { calculator } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { folderForTest } from '../../fixtures/folder-for-test.ts';
import { calls, play, policies, says, summary, textTool, threadOf, toAgent, toRag, turn, windowOf } from './helpers.ts';

const numberOf = (input: string): number => Number(/\d+/.exec(input)?.[0]);
const down = (): never => {
  throw new Error('no model');
};

interface TalkOptions {
  readonly turns: number;
  readonly summarize?: (n: number) => string;
  /** Calls in each turn before it is answered. */
  readonly calls?: number;
  readonly question?: (n: number) => string;
  readonly reply?: (n: number) => string;
  readonly contextTokens?: number;
}

/** Talks for some turns: `q1` is answered with `a1`. What the last request of each turn had in it. */
async function talk({
  turns,
  summarize = (n) => `S${n}`,
  calls = 0,
  question = (n) => `q${n}`,
  reply = (n) => `a${n}`,
  contextTokens,
}: TalkOptions) {
  let summaries = 0;
  const requests: ChatRequest[] = [];
  const model = offlineModel<ChatAgentRuleInputs>({
    'chat_agent.router': (request) => {
      requests.push(request);
      return { route: 'agent', reason: '' };
    },
    'chat_agent.memory': (request) => {
      requests.push(request);
      return summarize(++summaries);
    },
    'chat_agent.agent': (request) => {
      requests.push(request);
      if (calls === 0 || request.messages.at(-1)?.role === 'tool') return reply(numberOf(request.ruleInput.input));
      return { toolCalls: Array.from({ length: calls }, () => ({ name: 'echo', arguments: { text: 'r' } })) };
    },
  });
  const store = memoryStore();
  const runtime = createRuntime({ store });
  const workflow = chatAgent({
    model,
    tools: [textTool('echo', (text) => text)],
    ...(contextTokens === undefined ? {} : { contextTokens }),
  });
  const seen: (readonly ChatMessage[])[] = [];
  const stored: WindowState[] = [];
  const tokens: { sent: number; full: number }[] = [];
  for (let n = 1; n <= turns; n++) {
    const { output } = await turn(runtime, workflow, question(n), 't');
    seen.push(requests.at(-1)?.messages ?? []);
    stored.push(await windowOf(store, 't'));
    tokens.push(output.tokens);
  }
  return { seen, stored, tokens, requests, store, summaries };
}

/** Messages of the conversation in a request, without the system's and what this turn has brought. */
const visible = (messages: readonly ChatMessage[], question: string): string[] =>
  messages
    .slice(
      1,
      messages.findLastIndex(({ role, content }) => role === 'user' && content === question),
    )
    .map(nameOf);
const nameOf = (message: ChatMessage): string => (message.role === 'assistant' && message.toolCalls ? 'call' : message.content);
const system = (messages: readonly ChatMessage[] | undefined): string => messages?.[0]?.content ?? '';

describe('the prompt', () => {
  it("has system, summaries, documents, recent messages, question and this turn's messages, in this order", async () => {
    const store = memoryStore();
    for (let n = 1; n <= 5; n++) await play([toAgent, says(`a${n}`)], `q${n}`, { store, threadId: 't' });
    const script = [toRag, summary('S1'), calls(['calculator', { expression: '15*8' }]), says('…')];
    const { requests } = await play(script, '연차 15일은 몇 시간이야?', { store, threadId: 't', retriever: policies });
    const [first, ...rest] = requests.at(-1)?.messages ?? [];
    expect(first?.role).toBe('system');
    const text = first?.content ?? '';
    const places = ['You are a helpful assistant.', 'It is now ', '[이전 대화 요약]\n[대화 기록 1]\nS1', '[참고 문서]\n(leave-policy.md'];
    expect(places.map((place) => text.indexOf(place))).toEqual(places.map((place) => text.indexOf(place)).sort((a, b) => a - b));
    expect(places.filter((place) => !text.includes(place))).toEqual([]);
    expect(rest.map(({ role, content }) => [role, content.slice(0, 20)])).toEqual([
      ['assistant', 'a3'],
      ['user', 'q4'],
      ['assistant', 'a4'],
      ['user', 'q5'],
      ['assistant', 'a5'],
      ['user', '연차 15일은 몇 시간이야?'],
      ['assistant', ''],
      ['tool', '{"expression":"15*8"'],
    ]);
  });

  it('has no empty sections for a first message', async () => {
    const { requests } = await play([toAgent, says('…')], 'hi');
    expect(requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(system(requests.at(-1)?.messages)).not.toMatch(/\[이전 대화 요약\]|\[참고 문서\]/);
  });
});

describe('a conversation of 30 turns', () => {
  // the first message that is visible in each turn, written down by hand; the last is the answer of the turn before
  const plain = 'q1 q1 q1 q1 q1 a3 a3 a3 a6 a6 a6 a9 a9 a9 a12 a12 a12 a15 a15 a15 a18 a18 a18 a21 a21 a21 a24 a24 a24 a27'.split(' ');

  it('shows exactly these messages', async () => {
    const { seen, stored, summaries } = await talk({ turns: 30 });
    const all = Array.from({ length: 30 }, (_, i) => [`q${i + 1}`, `a${i + 1}`]).flat();
    expect(seen.map((messages, i) => visible(messages, `q${i + 1}`))).toEqual(
      plain.map((first, i) => (i === 0 ? [] : all.slice(all.indexOf(first), 2 * i))),
    );
    expect(summaries).toBe(9); // in the turns 6, 9, 12, … 30
    expect(Math.max(...stored.map(({ messages }) => messages.length))).toBe(11);
    // ids are unique in the thread, and those of a summary are the ones that have left
    const places = stored.at(-1);
    const ids = [...(places?.summaries.flatMap(({ messageIds }) => messageIds) ?? []), ...(places?.messages.map(({ id }) => id) ?? [])];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows the last three summaries, oldest first', async () => {
    const { seen } = await talk({ turns: 15 });
    const shown = seen.map((messages) => [...system(messages).matchAll(/\[대화 기록 (\d)\]\n(S\d)/g)].map(([, n, text]) => `${n}${text}`));
    expect(shown).toEqual([
      ...Array.from({ length: 5 }, () => []),
      ...[['1S1'], ['1S1', '2S2'], ['1S1', '2S2', '3S3'], ['1S2', '2S3', '3S4']].flatMap((one) => [one, one, one]).slice(0, 10),
    ]);
  });

  it('keeps each tool call with its result', async () => {
    const { seen } = await talk({ turns: 30, calls: 1 });
    const shown = seen.map((messages, i) => visible(messages, `q${i + 1}`).join(' '));
    expect(shown.slice(0, 7)).toEqual([
      '',
      'q1 call r a1',
      'q1 call r a1 q2 call r a2',
      'a2 q3 call r a3',
      'a2 q3 call r a3 q4 call r a4',
      'a4 q5 call r a5',
      'a4 q5 call r a5 q6 call r a6',
    ]);
    expect(shown.slice(3)).toEqual(
      shown.slice(3).map((_, i) => {
        const n = 2 + 2 * Math.floor(i / 2); // every second turn
        const rest = [n + 1, ...(i % 2 === 1 ? [n + 2] : [])].map((m) => `q${m} call r a${m}`);
        return [`a${n}`, ...rest].join(' ');
      }),
    );
  });

  it('keeps more than five messages when a call has four results', async () => {
    const { seen } = await talk({ turns: 30, calls: 4 });
    const shown = seen.map((messages, i) => visible(messages, `q${i + 1}`).join(' '));
    expect(shown.slice(1)).toEqual([
      'q1 call r r r r a1',
      ...Array.from({ length: 28 }, (_, i) => `call r r r r a${i + 2}`), // the question before it has gone into the summary
    ]);
    for (const messages of seen) {
      const open = messages.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []).map(({ id }) => id) : []));
      expect(messages.flatMap((one) => (one.role === 'tool' ? [one.callId] : []))).toEqual(open);
    }
  });

  it("keeps the user's statements, whatever the summaries leave out", async () => {
    const facts: Readonly<Record<number, string>> = { 1: '내 이름은 철수야', 2: '프로젝트 마감일은 3월 15일이야', 9: '나는 커피를 좋아해' };
    const { seen } = await talk({ turns: 30, summarize: () => '요약', question: (n) => facts[n] ?? `q${n}` });
    expect(system(seen[29])).toContain(
      '[대화 기록 3]\n요약\n사용자가 말한 내용:\n- 내 이름은 철수야\n- 프로젝트 마감일은 3월 15일이야\n- 나는 커피를 좋아해',
    );
  });
});

describe('a failed summary', () => {
  it('keeps the messages, and is retried in the next turn with more of them', async () => {
    const { seen, requests } = await talk({ turns: 8, summarize: (n) => (n < 3 ? down() : 'S3') });
    expect(seen.map((messages, i) => visible(messages, `q${i + 1}`).length)).toEqual([0, 2, 4, 6, 8, 10, 12, 5]);
    const asked = requests.filter(({ task }) => task === 'chat_agent.memory');
    expect(asked.map(({ messages }) => messages[1]?.content.split('\n').length)).toEqual([5 + 2, 7 + 2, 9 + 2]);
    expect(system(seen[7])).toContain('S3');
  });

  it('is replaced by rules at forty messages, so the window stays bounded', async () => {
    const { seen, stored, summaries } = await talk({ turns: 60, summarize: down });
    const counts = seen.map((messages, i) => visible(messages, `q${i + 1}`).length);
    expect(counts.slice(0, 22)).toEqual([...Array.from({ length: 20 }, (_, i) => 2 * i), 5, 7]);
    expect(Math.max(...counts)).toBe(39);
    expect(Math.max(...stored.map(({ messages }) => messages.length))).toBe(41); // and this turn's question and answer
    expect(summaries).toBeGreaterThan(40); // the model is asked once in each turn that needs it
    expect(stored.at(-1)?.summaries.length).toBeGreaterThan(0);
  });

  it.each([
    ['blank', ' \n ', 10],
    ['longer than the messages', 'S'.repeat(999), 5],
  ])('is rejected when its text is %s', async (_what, text, count) => {
    const { seen } = await talk({ turns: 6, summarize: () => text });
    expect(visible(seen[5] ?? [], 'q6').length).toBe(count);
    expect(system(seen[5])).not.toContain('SSS');
  });

  it('does not stop the turn, and is reported', async () => {
    const store = memoryStore();
    for (let n = 1; n <= 5; n++) await play([toAgent, says(`a${n}`)], `q${n}`, { store, threadId: 't' });
    const script = [toAgent, { task: 'chat_agent.memory', reply: new Error('no model') }, says('…')];
    const played = await play(script, 'q6', { store, threadId: 't' });
    expect(played.finalState).toBe('done');
    expect(played.events).toContainEqual(
      expect.objectContaining({ type: 'thinking', step: 'memory', content: { summarized: 0, error: 'no model' } }),
    );
  });
});

describe('messages', () => {
  it("stay one message with the codec's separator in the text, also in a summary", async () => {
    const mark = '가\n---SUMMARY_BREAK---\n나';
    const { seen } = await talk({ turns: 7, reply: (n) => (n === 4 ? mark : `a${n}`), summarize: () => '---SUMMARY_BREAK---' });
    expect(visible(seen[5] ?? [], 'q6')).toEqual(['a3', 'q4', mark, 'q5', 'a5']);
    expect(system(seen[5]).match(/\[대화 기록 \d\]/g)).toEqual(['[대화 기록 1]']);
  });

  it('are sent and summarised whole when they are long and the model accepts them', async () => {
    const long = '가나다라 '.repeat(19_000);
    const { seen, requests } = await talk({
      turns: 6,
      question: (n) => (n <= 4 ? `${n} ${long}` : `q${n}`),
      contextTokens: 1_000_000,
    });
    expect(visible(seen[4] ?? [], 'q5').filter((text) => text.length >= 95_000).length).toBe(4);
    const asked = requests.find(({ task }) => task === 'chat_agent.memory')?.messages[1]?.content ?? '';
    expect(asked.split(long).length - 1).toBe(3); // q1, q2 and q3 have left
  });
});

describe('a thread', () => {
  it('survives a restart of the process with a store on disk', async () => {
    const path = join(folderForTest('chat-'), 'agents.db');
    const first = sqliteStore({ path });
    await turn(createRuntime({ store: first }), chatAgent(), '내 이름은 철수야', 'abc-123');
    await first.close();
    const second = sqliteStore({ path });
    const { output } = await turn(createRuntime({ store: second }), chatAgent(), '내 이름이 뭐라고 했지?', 'abc-123');
    expect(output.answer).toContain('철수');
    const { turns } = await createRuntime({ store: second }).thread('abc-123');
    expect(turns.map(({ status }) => status)).toEqual(['done', 'done']);
    await second.close();
  });

  it('starts empty', async () => {
    const seen: WindowState[] = [];
    const model = offlineModel<ChatAgentRuleInputs>({
      'chat_agent.router': () => ({ route: 'agent', reason: '' }),
      'chat_agent.agent': ({ ruleInput }) => {
        seen.push(ruleInput.window);
        return '…';
      },
    });
    await turn(createRuntime(), chatAgent({ model }), 'hi');
    expect(seen).toMatchObject([emptyWindow]);
  });
});

describe('the token count', () => {
  const tokensOf = (messages: readonly ChatMessage[]): number => messages.reduce((sum, one) => sum + estimateMessageTokens(one), 0);

  it('is the sum over all requests, per turn and per thread', async () => {
    const { requests, tokens, store } = await talk({ turns: 12, calls: 1 });
    const sent = requests.reduce((sum, { messages }) => sum + tokensOf(messages), 0);
    expect(tokens.reduce((sum, one) => sum + one.sent, 0)).toBe(sent);
    const full = tokens.reduce((sum, one) => sum + one.full, 0);
    expect((await threadOf(store, 't')).tokens).toEqual({ sent, full });
  });

  it('includes the size of the same requests with all messages and without summaries', async () => {
    const [short, endless] = await Promise.all([
      talk({ turns: 12 }),
      talk({ turns: 12, summarize: down }), // keeps every message
    ]);
    const wholeOf = ({ requests }: typeof short): number =>
      requests.filter(({ task }) => task !== 'chat_agent.memory').reduce((sum, { messages }) => sum + tokensOf(messages), 0);
    expect(short.tokens.reduce((sum, one) => sum + one.full, 0)).toBe(wholeOf(endless));
  });

  it('is equal until the first summary, which costs more than it saves when messages are short', async () => {
    const { tokens } = await talk({ turns: 8 });
    expect(tokens.map(({ sent, full }) => Math.sign(sent - full))).toEqual([0, 0, 0, 0, 0, 1, -1, -1]);
  });

  // far from nine tenths: the prompt itself, the five to nine messages that stay, and the requests for summaries cost, too
  it.each([
    [25, 0.42],
    [150, 0.56],
    [1_000, 0.59],
  ])('saves the expected share in 30 turns with messages of about %i tokens', async (size, saved) => {
    const text = (n: number): string => `${n} ${'abcd '.repeat((size * 4) / 5)}`;
    const { store } = await talk({ turns: 30, question: text, reply: text, summarize: (n) => `summary ${n} `.repeat(8) });
    const { sent, full } = (await threadOf(store, 't')).tokens as { readonly sent: number; readonly full: number };
    expect(1 - sent / full).toBeCloseTo(saved, 1);
  });

  it('counts a request again in each tool round', async () => {
    const one = await play([toAgent, says('2')], '1+1');
    const two = await play([toAgent, calls(['calculator', { expression: '1+1' }]), says('2')], '1+1', { tools: [calculator()] });
    expect(two.output.tokens.sent).toBeGreaterThan(1.5 * one.output.tokens.sent);
  });
});

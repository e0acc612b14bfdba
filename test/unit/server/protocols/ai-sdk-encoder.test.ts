import { type AiSdkChunk, aiSdkEncoder, encodeRest, type ProtocolEvent } from 'agent-machines/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RecordedRun, recordRuns } from '../../../fixtures/recorded-runs.ts';

let runs: readonly RecordedRun[];
beforeAll(async () => {
  runs = await recordRuns();
});

const encode = (name: string): readonly AiSdkChunk[] => {
  const events: readonly ProtocolEvent[] | undefined = runs.find((run) => run.name === name)?.events;
  if (!events) throw new Error(`There is no run "${name}".`);
  return encodeRest(aiSdkEncoder(), events);
};

/** What a reader of the chunks holds to be true, told as the SDK does it: text and cards of the steps. */
function read(chunks: readonly AiSdkChunk[]): {
  readonly text: string;
  readonly cards: Readonly<Record<string, string>>;
  readonly steps: number;
} {
  let steps: { readonly texts: Map<string, string>; readonly cards: Map<string, string> }[] = [{ texts: new Map(), cards: new Map() }];
  const open = new Set<string>();
  const last = () => steps[steps.length - 1] ?? { texts: new Map<string, string>(), cards: new Map<string, string>() };
  const setCard = (id: string, state: string): void => {
    const step = steps.findLast(({ cards }) => cards.has(id));
    expect(step, `no call ${id}`).toBeDefined();
    step?.cards.set(id, state);
  };
  for (const chunk of chunks) {
    if (chunk.type === 'start-step') steps = [...steps, { texts: new Map(), cards: new Map() }];
    if (chunk.type === 'reset-step') {
      for (const id of last().texts.keys()) open.delete(id);
      steps = [...steps.slice(0, -1), { texts: new Map(), cards: new Map() }];
    }
    if (chunk.type === 'text-start') {
      open.add(chunk.id);
      last().texts.set(chunk.id, '');
    }
    if (chunk.type === 'text-delta') {
      expect(open.has(chunk.id), `${chunk.id} is not open`).toBe(true);
      const step = steps.findLast(({ texts }) => texts.has(chunk.id));
      step?.texts.set(chunk.id, (step.texts.get(chunk.id) ?? '') + chunk.delta);
    }
    if (chunk.type === 'text-end') expect(open.delete(chunk.id), `${chunk.id} is not open`).toBe(true);
    if (chunk.type === 'tool-input-available') last().cards.set(chunk.toolCallId, 'input-available');
    if (chunk.type === 'tool-approval-request') setCard(chunk.toolCallId, 'approval-requested');
    if (chunk.type === 'tool-approval-response') setCard(chunk.approvalId, chunk.approved ? 'approved' : 'not approved');
    if (chunk.type === 'tool-output-available') setCard(chunk.toolCallId, `output ${JSON.stringify(chunk.output)}`);
    if (chunk.type === 'tool-output-error') setCard(chunk.toolCallId, `error ${chunk.errorText}`);
    if (chunk.type === 'tool-output-denied') setCard(chunk.toolCallId, 'denied');
  }
  expect([...open]).toEqual([]);
  return {
    text: steps.flatMap(({ texts }) => [...texts.values()]).join('|'),
    cards: Object.fromEntries(steps.flatMap(({ cards }) => [...cards])),
    steps: steps.length - 1,
  };
}

const types = (chunks: readonly AiSdkChunk[]): readonly string[] => chunks.map(({ type }) => type);

describe('aiSdkEncoder', () => {
  it('opens and closes every step, text and call of every run', () => {
    for (const { name } of runs) {
      const chunks = encode(name);
      expect(() => read(chunks), name).not.toThrow();
      expect(chunks[0]?.type, name).toBe('start');
      expect(['finish', 'error'], name).toContain(chunks.at(-1)?.type);
      const isOpen = ['a call in doubt', 'a run that another process drives', 'a run that has failed'].includes(name);
      const count = (type: string): number => types(chunks).filter((one) => one === type).length;
      if (!isOpen) expect(count('finish-step'), name).toBe(count('start-step'));
    }
  });

  it('shows calls with their results, including deduplicated ones', () => {
    const { cards, text } = read(encode('thinking, failing and equal calls'));
    expect(cards).toEqual({
      'tools#1/call_0': 'output "echo data: 1\\ndata: 2"',
      'tools#1/call_1': 'error TOOL_FAILED: The line is dead. Call again tomorrow.',
      'tools#1/call_2': 'output "echo data: 1\\ndata: 2"',
    });
    expect(text).toBe('한국어로 답합니다. data: [DONE]\n\n끝.');
  });

  it('resets the text of a cut model and shows the answer once', () => {
    const chunks = encode('a model that is cut');
    expect(types(chunks)).toContain('reset-step');
    expect(read(chunks).text).toBe('This is right.');
    expect(read(encode('a crash')).text).toBe('Hello');
    expect(read(encode('a crash')).cards).toEqual({ 'agent#1/c1': 'output 2' });
  });

  it('keeps the text of other nodes after a reset', () => {
    expect(read(encode('nodes at the same time')).text.split('|').sort()).toEqual(['again', 'from b']);
  });

  it('requests the approval of a call and shows its result in the same card', () => {
    const [[id = '', state] = []] = Object.entries(read(encode('a call that waits')).cards);
    expect([id.startsWith('i_'), state]).toEqual([true, 'approval-requested']);
    expect(Object.values(read(encode('an approved call')).cards)).toEqual(['output "pay 10"']);
    expect(Object.values(read(encode('a rejected call')).cards)).toEqual(['denied']);
    expect(Object.values(read(encode('an edited call')).cards)).toEqual(['denied', 'output "pay 5"']);
  });

  it('requests the approval of a plan like that of a call, with the accepted events as data', () => {
    const chunks = encode('guide-agent waiting');
    const asked = chunks.find((chunk) => chunk.type === 'data-interrupt');
    expect(asked).toMatchObject({ data: { accepts: ['APPROVE', 'REVISE', 'EDIT', 'CANCEL'], status: 'open' } });
    expect(chunks.find((chunk) => chunk.type === 'tool-input-available')).toMatchObject({ toolName: 'human_review' });
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls', messageMetadata: { status: 'waiting' } });
  });

  it.each([
    ['a cancelled run', ['abort', 'finish'], { finishReason: 'interrupted', messageMetadata: { status: 'cancelled' } }],
    ['a run that has failed', ['call', 'error'], { errorText: 'LIMIT_EXCEEDED: Too many steps. Raise maxSteps.' }],
    ['a call in doubt', ['data-in-doubt', 'finish'], { finishReason: 'other', messageMetadata: { status: 'in_doubt' } }],
    ['a run that another process drives', ['text-end', 'finish'], { messageMetadata: { status: 'elsewhere' } }],
    [
      'a model that is gone',
      ['data-output', 'finish'],
      { finishReason: 'error', messageMetadata: { error: { code: 'MODEL_UNAVAILABLE' } } },
    ],
  ])('ends %s with its status', (name, [before], last) => {
    const chunks = encode(name);
    expect(chunks.at(-1)).toMatchObject(last);
    if (before !== 'call') expect(types(chunks).at(-2)).toBe(before);
  });

  it('makes links of web addresses only', () => {
    const sources = encode('nodes at the same time').filter(({ type }) => type.startsWith('source-'));
    const kinds = new Set(sources.map((chunk) => ('url' in chunk ? chunk.url : chunk.type)));
    expect([...kinds]).toEqual(['https://example.com/a', 'source-document']);
  });

  it('counts tokens by model', () => {
    expect(encode('thinking, failing and equal calls').at(-1)).toMatchObject({
      messageMetadata: { usage: [{ model: 'scripted', inputTokens: 12, outputTokens: 7, cachedInputTokens: 3, reasoningTokens: 2 }] },
    });
  });
});

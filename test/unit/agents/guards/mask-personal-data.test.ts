import type { ChatMessage, ChatModel, ChatRequest, RunEvent, TextGuard } from 'agent-machines';
import { maskPersonalData } from 'agent-machines/guards';
import { askModel } from 'agent-machines/models';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePersonalTexts } from '../../../fixtures/personal-texts/made.ts';
import { share } from '../../../fixtures/share.ts';

const usage = { inputTokens: 1, outputTokens: 1 };
interface Asked {
  readonly seen: readonly ChatMessage[];
  readonly shown: string;
  readonly events: readonly { readonly type: string }[];
  readonly text: string;
  readonly args: readonly string[];
}

/** Asks a model that streams `reply(seen)` in pieces. */
async function ask(
  messages: readonly ChatMessage[],
  reply: (seen: readonly ChatMessage[]) => { readonly text: string; readonly args?: readonly string[] },
  {
    guards = [maskPersonalData()],
    pieces,
    output,
  }: { guards?: readonly TextGuard[]; pieces?: readonly number[]; output?: ChatRequest['output'] } = {},
): Promise<Asked> {
  let seen: readonly ChatMessage[] = [];
  const model: ChatModel = {
    name: 'm',
    generate: async (request) => {
      seen = request.messages;
      const { text, args = [] } = reply(seen);
      let at = 0;
      for (const length of pieces ?? [text.length]) {
        if (at < text.length) request.onToken?.(text.slice(at, at + length));
        at += length;
      }
      if (at < text.length) request.onToken?.(text.slice(at));
      const toolCalls = args.map((one, index) => ({ id: `${index}`, name: 'send', arguments: one }));
      return { text, toolCalls, usage, model: 'm', cached: false };
    },
  };
  const events: (Omit<RunEvent, 'seq' | 'at'> & { type: string; text?: string })[] = [];
  let shown = '';
  const io = {
    guards,
    signal: new AbortController().signal,
    emit: (event: (typeof events)[number]) => {
      events.push(event);
      if (event.type === 'step-reset') shown = '';
      if (event.type === 'token') shown += event.text;
    },
  };
  const { text, toolCalls } = await askModel(model, { task: 't', messages, ...(output ? { output } : {}) }, { io, stream: true });
  return { seen, shown, events, text, args: toolCalls.map((call) => call.arguments) };
}

const user = (content: string): ChatMessage => ({ role: 'user', content });

describe('maskPersonalData', () => {
  it('hides values from the model, and restores them in text, stream and arguments', async () => {
    const { seen, shown, text, args, events } = await ask([user('Write to kim@example.com or 010-1234-5678, kim@example.com.')], () => ({
      text: 'I write to <EMAIL_1>, not <EMAIL_2>.',
      args: ['{"to":"\\u003cEMAIL_1>","text":"call <PHONE_1>"}'],
    }));
    expect(seen[0]?.content).toBe('Write to <EMAIL_1> or <PHONE_1>, <EMAIL_1>.');
    expect([text, shown]).toEqual(Array(2).fill('I write to kim@example.com, not <EMAIL_2>.'));
    expect(args).toEqual(['{"to":"kim@example.com","text":"call 010-1234-5678"}']);
    expect(events.filter(({ type }) => type === 'guard')).toEqual([
      { type: 'guard', guard: 'mask-personal-data', border: 'request', verdict: 'mask', reason: '1 × email, 1 × phone' },
    ]);
  });

  it('does not restore a name that stands in the request, also as an escape', async () => {
    const page: ChatMessage = { role: 'tool', callId: '1', content: 'Say <EMAIL_1> and \\u003cEMAIL_2>!' };
    const { seen, text } = await ask([user('I am kim@example.com'), page], () => ({ text: '<EMAIL_1> <EMAIL_2> <EMAIL_3>' }));
    expect(seen[0]?.content).toBe('I am <EMAIL_3>');
    expect(text).toBe('<EMAIL_1> <EMAIL_2> kim@example.com');
  });

  it('masks arguments of earlier calls, system messages, and numbers in JSON', async () => {
    const { seen } = await ask(
      [
        { role: 'system', content: 'The user is kim@example.com.' },
        { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'send', arguments: '{"to":"kim@example.com"}' }] },
        { role: 'tool', callId: '1', content: '{"line":"a\\nlee@example.com","card":4111111111111111,"id":12345678901234567890}' },
      ],
      () => ({ text: 'ok' }),
    );
    expect(JSON.stringify(seen)).not.toMatch(/example\.com|4111/);
    expect(seen[2]?.content).toBe('{"line":"a\\n<EMAIL_2>","card":"<CARD_1>","id":12345678901234567890}');
  });

  it('restores a typed answer as JSON', async () => {
    const guards = [maskPersonalData({ patterns: { note: /"quoted"\n/ } })];
    const reply = '{"a":"<NOTE_1>", "b":"\\u003cNOTE_1\\u003e"}';
    const { text, shown } = await ask([user('x "quoted"\n y')], () => ({ text: reply }), { guards, output: { type: 'json' } });
    expect(JSON.parse(text)).toEqual({ a: '"quoted"\n', b: '"quoted"\n' });
    expect(shown).toBe(text);
  });

  it('stops at a file if it should', async () => {
    const file: ChatMessage = { role: 'user', content: '', files: [{ mediaType: 'image/png', data: 'aaaa' }] };
    const result: ChatMessage = { ...file, role: 'tool', callId: 'a' };
    await expect(ask([result], () => ({ text: '' }), { guards: [maskPersonalData({ files: 'stop' })] })).rejects.toMatchObject({
      code: 'GUARD_STOPPED',
    });
    await expect(ask([file], () => ({ text: '' }), { guards: [maskPersonalData({ files: 'stop' })] })).rejects.toMatchObject({
      code: 'GUARD_STOPPED',
    });
    await expect(ask([file], () => ({ text: 'seen' }))).resolves.toMatchObject({ text: 'seen' });
  });

  it('gives every text back, however its stream is split', async () => {
    const texts = makePersonalTexts(share(60), 2).map(({ text }) => text);
    const splits = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), fc.constantFrom(...texts), splits, async (one, two, pieces) => {
        const text = `${one} < <E <EMAIL_ ${two}`;
        const made = await ask([user(text)], (seen) => ({ text: seen[0]?.content ?? '' }), { pieces });
        expect([made.text, made.shown]).toEqual([text, text]);
        expect(made.events.some(({ type }) => type === 'step-reset')).toBe(false);
      }),
      { numRuns: share(25_000) },
    );
  });
});

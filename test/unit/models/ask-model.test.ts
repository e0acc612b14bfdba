import { type ChatModel, type ChatReply, type ChatRequest, createRuntime, type StreamEvent, WorkflowError } from 'agent-machines';
import { askModel, scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';
import { scenario } from '../../fixtures/scenario.ts';

const request: ChatRequest = { task: 'trip.answer', messages: [{ role: 'user', content: 'Where to?' }], temperature: 0 };
const usage = { inputTokens: 7, outputTokens: 2 };
const cut = (): WorkflowError => new WorkflowError({ code: 'MODEL_STREAM_CUT', message: 'The stream was cut.' });

interface RecordingIo {
  readonly events: StreamEvent[];
  readonly signal: AbortSignal;
  emit(event: StreamEvent): void;
}

function recordingIo(signal = new AbortController().signal): RecordingIo {
  const events: StreamEvent[] = [];
  return { events, signal, emit: (event) => void events.push(event) };
}

const start = { type: 'model-start', task: 'trip.answer', model: 'scripted' };
const end = { type: 'model-end', task: 'trip.answer', model: 'scripted', durationMs: expect.any(Number), usage, cached: false };
const failed = (code: string): unknown => ({
  ...end,
  usage: { inputTokens: 0, outputTokens: 0 },
  error: expect.objectContaining({ code }),
});
const token = (text: string): StreamEvent => ({ type: 'token', text });

describe('askModel', () => {
  it('passes the request on with the signal of the node and returns the reply', async () => {
    const io = recordingIo();
    const model = scriptedModel([{ reply: 'Busan', usage }]);
    await expect(askModel(model, request, { io })).resolves.toMatchObject({ text: 'Busan', usage, model: 'scripted' });
    expect(model.requests).toEqual([{ ...request, signal: io.signal }]);
    expect(model.requests[0]?.signal).toBe(io.signal);
  });

  it('reports the call with its cost', async () => {
    const io = recordingIo();
    await askModel(scriptedModel([{ reply: 'Busan', usage }]), request, { io });
    expect(io.events).toEqual([start, end]);
    expect(io.events[1]).toMatchObject({ durationMs: expect.toSatisfy((value: number) => value >= 0) });
  });

  it('reports the model that answered, and whether it was called', async () => {
    const io = recordingIo();
    const reply: ChatReply = { text: 'Busan', toolCalls: [], usage, model: 'second choice', cached: true };
    const model: ChatModel = { name: 'first choice', generate: async () => reply };
    await expect(askModel(model, request, { io })).resolves.toBe(reply);
    expect(io.events).toEqual([
      { ...start, model: 'first choice' },
      { ...end, model: 'second choice', cached: true },
    ]);
  });

  it('emits the text as tokens with stream: true', async () => {
    const io = recordingIo();
    await askModel(scriptedModel([{ reply: 'Busan', usage, tokens: ['Bu', 'san'] }]), request, { io, stream: true });
    expect(io.events).toEqual([start, token('Bu'), token('san'), end]);
  });

  it('leaves the text to the listener of the request otherwise', async () => {
    const io = recordingIo();
    const heard: string[] = [];
    const listening = { ...request, onToken: (text: string) => void heard.push(text) };
    await askModel(scriptedModel([{ reply: 'Busan', usage, tokens: ['Bu', 'san'] }]), listening, { io });
    expect(heard).toEqual(['Bu', 'san']);
    expect(io.events).toEqual([start, end]);
  });

  it('emits the reasoning, but never as the answer', async () => {
    const thought = { type: 'thinking', step: 'reasoning', content: 'Near the sea.' };
    const script = [{ reply: 'Busan', usage, reasoning: 'Near the sea.' }];
    const [shown, silent] = [recordingIo(), recordingIo()];
    await askModel(scriptedModel(script), request, { io: shown, stream: true });
    expect(shown.events).toEqual([start, thought, token('Busan'), end]);
    const reply = await askModel(scriptedModel(script), request, { io: silent });
    expect(silent.events).toEqual([start, thought, end]);
    expect(reply).toMatchObject({ text: 'Busan', reasoning: 'Near the sea.' });
  });

  it('retries a cut stream and declares the emitted text void', async () => {
    const io = recordingIo();
    const model = scriptedModel([
      { reply: cut(), tokens: ['Bu', 'sa'] },
      { reply: 'Busan', usage, tokens: ['Busan'] },
    ]);
    await expect(askModel(model, request, { io, stream: true })).resolves.toMatchObject({ text: 'Busan' });
    expect(io.events).toEqual([
      start,
      token('Bu'),
      token('sa'),
      failed('MODEL_STREAM_CUT'),
      { type: 'step-reset' },
      start,
      token('Busan'),
      end,
    ]);
    model.assertConsumed();
  });

  it('retries without an event if nothing was emitted', async () => {
    const io = recordingIo();
    await askModel(scriptedModel([{ reply: cut() }, { reply: 'Busan', usage }]), request, { io });
    expect(io.events).toEqual([start, failed('MODEL_STREAM_CUT'), start, end]);
  });

  it('gives up when the stream is cut twice', async () => {
    const io = recordingIo();
    const last = cut();
    const model = scriptedModel([{ reply: cut() }, { reply: last }, { reply: 'too late' }]);
    await expect(askModel(model, request, { io })).rejects.toBe(last);
    expect(io.events).toEqual([start, failed('MODEL_STREAM_CUT'), start, failed('MODEL_STREAM_CUT')]);
    expect(model.requests).toHaveLength(2);
  });

  it.each(['MODEL_UNAVAILABLE', 'MODEL_TRUNCATED', 'MODEL_REFUSED', 'MODEL_EMPTY'] as const)(
    'rethrows %s at once, retryable or not',
    async (code) => {
      const io = recordingIo();
      const error = new WorkflowError({ code, message: 'No.', retryable: true });
      const model = scriptedModel([{ reply: error }, { reply: 'again' }]);
      await expect(askModel(model, request, { io })).rejects.toBe(error);
      expect(io.events).toEqual([start, failed(code)]);
      expect(model.requests).toHaveLength(1);
    },
  );

  it('wraps an error of another library', async () => {
    const io = recordingIo();
    const model: ChatModel = { name: 'scripted', generate: () => Promise.reject('offline') };
    await expect(askModel(model, request, { io })).rejects.toBe('offline');
    expect(io.events).toMatchObject([start, { error: { code: 'UNKNOWN', message: 'offline' } }]);
  });

  it('makes no request if the call is not allowed', async () => {
    const limit = new WorkflowError({ code: 'LIMIT_EXCEEDED', message: 'Enough.' });
    const io = {
      signal: new AbortController().signal,
      emit: () => {
        throw limit;
      },
    };
    const model = scriptedModel([{ reply: 'Busan' }]);
    await expect(askModel(model, request, { io })).rejects.toBe(limit);
    expect(model.requests).toEqual([]);
  });

  it('stops with the reason of the abort and makes no further request', async () => {
    const stop = new AbortController();
    const io = recordingIo(stop.signal);
    const reason = new Error('enough');
    const model = scriptedModel([{ reply: 'Busan', check: () => stop.abort(reason) }, { reply: 'again' }]);
    await expect(askModel(model, request, { io, stream: true })).rejects.toBe(reason);
    expect(model.requests).toHaveLength(1);
    expect(io.events).toEqual([start]);
  });

  it('does not retry when the abort cut the stream', async () => {
    const stop = new AbortController();
    const io = recordingIo(stop.signal);
    let requests = 0;
    const error = cut();
    const model: ChatModel = {
      name: 'scripted',
      async generate() {
        requests++;
        stop.abort();
        throw error;
      },
    };
    await expect(askModel(model, request, { io, stream: true })).rejects.toBe(error);
    expect(requests).toBe(1);
    expect(io.events).toEqual([start]);
  });

  it('counts towards the limits of a run', async () => {
    const model = scriptedModel([{ reply: 'one' }, { reply: 'two' }, { reply: 'three' }]);
    const work = async (): Promise<object> => ({});
    const workflow = scenario({
      a: async (_state, io) => {
        for (;;) await askModel(model, request, { io });
      },
      left: work,
      right: work,
      c: work,
    });
    const { result } = createRuntime().start(workflow, null, { limits: { modelCalls: 2 } });
    expect(await result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED', data: { limit: 'modelCalls' } } });
    expect(model.requests).toHaveLength(2);
  });
});

describe('askModel: emitted text', () => {
  const types = ({ events }: RecordingIo): readonly string[] => events.map(({ type }) => type);

  it('declares the text of a failed reply void', async () => {
    const io = recordingIo();
    await expect(askModel(scriptedModel([{ reply: cut(), tokens: ['Bu'] }]), request, { io, stream: true })).rejects.toThrow();
    expect(types(io).slice(-1)).not.toEqual(['token']);
    expect(types(io)).toContain('step-reset');
  });

  it('replaces emitted text that differs from the answer', async () => {
    const io = recordingIo();
    const reply: ChatReply = { text: 'Busan', toolCalls: [], usage, model: 'm', cached: false };
    const model: ChatModel = {
      name: 'm',
      generate: async ({ onToken }) => {
        onToken?.('Hm.</think>');
        onToken?.('Busan');
        return reply;
      },
    };
    await askModel(model, request, { io, stream: true });
    expect(io.events.slice(1, -1)).toEqual([token('Hm.</think>'), token('Busan'), { type: 'step-reset' }, token('Busan')]);
  });

  it('obeys the signal of the request', async () => {
    const reason = new Error('enough');
    const asked = askModel(scriptedModel([{ reply: 'x' }]), { ...request, signal: AbortSignal.abort(reason) }, { io: recordingIo() });
    await expect(asked).rejects.toBe(reason);
  });
});

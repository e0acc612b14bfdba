import { type ChatModel, type ChatReply, createRuntime, memoryStore, WorkflowError } from 'agent-machines';
import { type ChatAgentRuleInputs, chatAgent } from 'agent-machines/machines/chat-agent';
import { fallbackModel, offlineModel, scriptedModel, withRuleInput } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

const down = new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'Down.', hint: 'Wait.', retryable: true });
const greet = () => offlineModel<{ greet: { readonly name: string } }>({ greet: ({ ruleInput }) => `Hello ${ruleInput.name}!` });
const request = { task: 'greet', messages: [] } as const;

/** A model that remembers everything that it was given. */
function watched(answer: () => Promise<ChatReply>): ChatModel & { readonly given: unknown[][] } {
  const given: unknown[][] = [];
  return {
    name: 'watched',
    given,
    generate: (...all: unknown[]) => {
      given.push(all);
      return answer();
    },
  };
}

describe('withRuleInput', () => {
  it('returns a model without rules unchanged', () => {
    const model = scriptedModel([]);
    expect(withRuleInput(model, { secret: 1 })).toBe(model);
  });

  it('applies to the returned model only, not to the wrapped one', async () => {
    const model = greet();
    const [ada, bob] = [withRuleInput(model, { name: 'Ada' }), withRuleInput(model, { name: 'Bob' })];
    expect([(await bob.generate(request)).text, (await ada.generate(request)).text]).toEqual(['Hello Bob!', 'Hello Ada!']);
    await expect(model.generate(request)).rejects.toMatchObject({ code: 'OPTION_INVALID', data: { task: 'greet' } });
  });

  it('passes a fallback on to the rules, but not to the remote model', async () => {
    const remote = watched(() => Promise.reject(down));
    const model = fallbackModel([remote, fallbackModel([greet()])]);
    expect((await withRuleInput(model, { name: 'Ada' }).generate(request)).text).toBe('Hello Ada!');
    expect(remote.given).toEqual([[request]]);
  });

  it('is missing if a wrapper does not forward it, which only rules that read it notice', async () => {
    const model = greet();
    const wrapper: ChatModel = { ...model, generate: (asked) => model.generate(asked) };
    await expect(withRuleInput(wrapper, { name: 'Ada' }).generate(request)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    const plain = offlineModel({ greet: () => 'Hello!' });
    expect((await plain.generate(request)).text).toBe('Hello!');
  });
});

describe('rule inputs of a workflow', () => {
  it('reach the rules behind an unavailable model, but no request, event or journal', async () => {
    const remote = watched(() => Promise.reject(down));
    const seen: unknown[] = [];
    const rules = offlineModel<ChatAgentRuleInputs>({
      'chat_agent.router': ({ ruleInput }) => {
        seen.push(ruleInput.hasDocuments);
        return { route: 'agent', reason: '' };
      },
      'chat_agent.agent': ({ ruleInput }) => ruleInput.input.toUpperCase(),
    });
    const store = memoryStore();
    const run = createRuntime({ store }).start(chatAgent({ model: fallbackModel([remote, rules]) }), { input: 'hi' });
    const events: unknown[] = [];
    for await (const event of run.events()) events.push(event);
    expect(await run.result).toMatchObject({ output: { answer: 'HI' } });
    expect(seen).toEqual([false]);
    expect(remote.given.map(({ length }) => length)).toEqual([1, 1]);
    expect(JSON.stringify([remote.given, events, await store.journal(run.id)])).not.toMatch(/hasDocuments|ruleInput/);
  });
});

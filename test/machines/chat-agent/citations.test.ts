// What an answer from documents quotes is compared with them.
import { createRuntime } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { type Script, scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';
import { turn } from './helpers.ts';

const retriever = { search: async () => [{ source: 'rules.md', heading: 'Visitors', text: 'Visitors sign in at the gate.', score: 1 }] };

async function ask(...answers: readonly string[]) {
  const script = [
    { task: 'chat_agent.router', reply: { route: 'rag', reason: 'rules' } },
    ...answers.map((reply) => ({ task: 'chat_agent.agent', reply })),
  ];
  const model = scriptedModel(script as Script);
  const runtime = createRuntime();
  const { output, events } = await turn(runtime, chatAgent({ model, retriever, tools: [] }), 'What do visitors do?', 't');
  model.assertConsumed();
  const thread = await runtime.thread('t');
  return { output, events, requests: model.requests, thread };
}

describe('the citations of chat-agent', () => {
  it('are left unchanged when they are correct', async () => {
    const { output } = await ask('“Visitors sign in at the gate.” (rules.md)');
    expect(output.answer).toBe('“Visitors sign in at the gate.” (rules.md)');
  });

  it('are requested once more with the reasons when they are wrong, and the second answer is shown', async () => {
    const { output, events, requests } = await ask(
      '“Visitors wear a red badge at all times” (badges.md)',
      '“Visitors sign in at the gate.”',
    );
    expect(output.answer).toBe('“Visitors sign in at the gate.”');
    const asked = requests.at(-1)?.messages.at(-1)?.content;
    expect(asked).toContain(
      '- badges.md: no document of this name was looked up\n- "Visitors wear a red badge at all times": no document has',
    );
    const shown = events.map(({ type }) => type);
    expect(shown.indexOf('step-reset')).toBeLessThan(shown.lastIndexOf('token'));
  });

  it('are marked when the second answer is wrong too', async () => {
    const { output, events } = await ask('“Visitors wear a red badge at all times”', '“Visitors pay ten dollars a day”');
    const marked = '“Visitors pay ten dollars a day”\n\nNot confirmed by the documents: “Visitors pay ten dollars a day” (in no document)';
    expect(output.answer).toBe(marked);
    const text = events
      .slice(events.findLastIndex(({ type }) => type === 'step-reset'))
      .flatMap((event) => (event.type === 'token' ? [event.text] : []));
    expect(text.join('')).toBe(marked);
  });
});

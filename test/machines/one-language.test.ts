// An answer is in the language of its question, also when a model or a tool fails. Texts for developers stay in `error`.
import { type ChatModel, createRuntime, WorkflowError } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { calculator } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { errorCodes, type KnownCode, otherLanguageIn } from '../fixtures/one-language.ts';
import { knowledge } from './guide-agent/helpers.ts';

type Options = Parameters<typeof chatAgent>[0];

const contracts = [
  { contract: parseContract({ name: 'c', text: '제1조(목적) 이 계약은 목적을 정한다.\n제2조(기간) 기간은 1년으로 한다.' }) },
];
const agents: readonly (readonly [name: string, make: (options: Options) => ReturnType<typeof chatAgent>])[] = [
  ['tool-agent', (options) => toolAgent(options) as never],
  ['plan-execute', (options) => planExecute(options) as never],
  ['chat-agent', (options) => chatAgent(options)],
  ['guide-agent', (options) => guideAgent({ knowledge, ...options }) as never],
  ['contract-agent', ({ model } = {}) => contractAgent({ contracts, ...(model ? { model } : {}) }) as never],
];

async function answerOf(workflow: ReturnType<typeof chatAgent>, input: string): Promise<string> {
  const result = await createRuntime().start(workflow, { input }).result;
  return 'output' in result ? (result.output as { answer: string }).answer : '';
}

const failing = (code: KnownCode): ChatModel => ({
  name: 'm',
  generate: () =>
    Promise.reject(new WorkflowError({ code, message: 'The provider says no to this.', hint: 'Retry later, or use fallbackModel.' })),
});

describe.each(agents)('%s', (_name, make) => {
  it.each([
    ['What does 제2조 of the plan say about the term?', false],
    ['제2조의 기간은 어떻게 되나요?', true],
  ])('answers %j in its language, whatever error the model has', async (input, korean) => {
    for (const code of errorCodes) {
      const answer = await answerOf(make({ model: failing(code) }), input);
      expect([code, otherLanguageIn(answer, { korean })]).toEqual([code, undefined]);
      expect(answer).not.toMatch(/fallbackModel|The provider says/);
    }
  });
});

describe.each(agents.slice(0, 3))('%s without a model', (_name, make) => {
  const broken = (fail: () => never) => ({ ...calculator(), execute: async () => fail() });
  it.each([
    ['What is 6 * 7?', false],
    ['6 * 7 계산해줘', true],
  ])('answers %j in its language, whatever error a tool has', async (input, korean) => {
    for (const code of errorCodes.filter((code) => !/^(?:CALL_IN_DOUBT|WORKFLOW_|SUBWORKFLOW_)/.test(code))) {
      const fail = (): never => {
        throw new WorkflowError({ code, message: 'The tool says no to this.', hint: 'Retry later, or use fallbackModel.' });
      };
      const answer = await answerOf(make({ tools: [broken(fail)] }), input);
      expect(answer).not.toMatch(/fallbackModel/);
      expect([code, otherLanguageIn(answer, { korean })]).toEqual([code, undefined]);
    }
  });

  it.each([
    ['What is 6 * 7?', false, 'KEY_OF_SUMS is not set, pass it with --key.', 'KEY_OF_SUMS'],
    ['What is 6 * 7?', false, '계산기를 켜야 합니다.', 'not available'],
    ['6 * 7 계산해줘', true, 'KEY_OF_SUMS is not set, pass it with --key.', 'KEY_OF_SUMS, --key'],
    ['6 * 7 계산해줘', true, 'It is broken today.', '쓸 수 없'],
    ['6 * 7 계산해줘', true, '계산기를 켜야 합니다.', '계산기를 켜야 합니다.'],
  ])('answers %j in its language if the tool is unavailable (%s, %s)', async (input, korean, unavailable, part) => {
    const answer = await answerOf(make({ tools: [{ ...calculator(), unavailable }] }), input);
    expect(otherLanguageIn(answer, { korean })).toBeUndefined();
    expect(answer).toContain(part);
  });
});

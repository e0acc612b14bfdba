import fc from 'fast-check';
import type { ChatMessage, ModelToolCall } from '../../core/ports/chat-model.ts';
import type { ToolSpec } from '../../core/ports/tool.ts';
import { arbitraryJson } from './arbitrary-json.ts';
import { arbitraryText } from './arbitrary-text.ts';

export interface ArbitraryMessagesOptions {
  /** Tools that the model may call; `[]` for a conversation without calls. Default: a search and a calculator. */
  readonly tools?: readonly ToolSpec[];
  /** Maximum number of turns, each begun by the user. @default 4 */
  readonly maxTurns?: number;
  /** Makes the last turn answered or not; `false` ends with the user, as in a model request. Default: either. */
  readonly answered?: boolean;
}

/**
 * Conversations in Korean and English, in an order that providers accept. Optional instructions come first, then turns of a question,
 * rounds of calls and an answer. Each call has one result, in the same order. Ids of calls start again in each reply, as with some models.
 *
 * @example fc.property(arbitraryMessages(), (messages) => …)
 */
export function arbitraryMessages(options: ArbitraryMessagesOptions = {}): fc.Arbitrary<readonly ChatMessage[]> {
  const { tools = twoTools, maxTurns = 4, answered } = options;
  const rounds = tools.length === 0 ? fc.constant([]) : fc.array(roundOf(tools), { maxLength: 2 });
  const turn = fc
    .record({ question: said, rounds, answer: said })
    .map(({ question, rounds: all, answer }): readonly ChatMessage[] => [
      { role: 'user', content: question },
      ...all.flat(),
      { role: 'assistant', content: answer },
    ]);
  return fc
    .record({
      instructions: fc.option(arbitraryText()),
      turns: fc.array(turn, { minLength: 1, maxLength: maxTurns }),
      isAnswered: answered === undefined ? fc.boolean() : fc.constant(answered),
    })
    .map(({ instructions, turns, isAnswered }) => {
      const spoken = isAnswered ? turns : [...turns.slice(0, -1), turns.at(-1)?.slice(0, 1) ?? []];
      return [...(instructions === null ? [] : [{ role: 'system' as const, content: instructions }]), ...spoken.flat()];
    });
}

const said = arbitraryText({ minLength: 1 });

const text = { type: 'string', minLength: 1 };
const twoTools: readonly ToolSpec[] = [
  {
    name: 'search',
    inputSchema: { type: 'object', properties: { query: text, limit: { type: 'integer', minimum: 1, maximum: 10 } }, required: ['query'] },
  },
  { name: 'calculator', inputSchema: { type: 'object', properties: { expression: { enum: ['1+1', '6*7'] } }, required: ['expression'] } },
];

/** Makes a reply with calls and their results. */
function roundOf(tools: readonly ToolSpec[]): fc.Arbitrary<readonly ChatMessage[]> {
  const call = fc.oneof(
    ...tools.map(({ name, inputSchema }) => fc.record({ name: fc.constant(name), args: arbitraryJson(inputSchema), result })),
  );
  return fc
    .record({ content: fc.oneof(fc.constant(''), said), calls: fc.array(call, { minLength: 1, maxLength: 3 }) })
    .map(({ content, calls }) => [
      {
        role: 'assistant',
        content,
        toolCalls: calls.map(({ name, args }, index): ModelToolCall => ({ id: `call_${index}`, name, arguments: JSON.stringify(args) })),
      },
      ...calls.map((each, index): ChatMessage => ({ role: 'tool', callId: `call_${index}`, content: each.result })),
    ]);
}

const result = fc.oneof(
  arbitraryText(),
  fc.integer({ min: 0, max: 1_000 }).map(String),
  fc.constant('{"error":{"code":"TOOL_FAILED","message":"The tool has failed."}}'),
);

import type { ChatMessage, ModelToolCall } from '../../core/ports/chat-model.ts';
import { describeFailure } from '../../core/text/describe-error.ts';
import { asObject } from '../../core/util/as-object.ts';
import { jsonOrText } from '../../core/util/parse-json.ts';
import { type DescribeToolOutputOptions, describeToolOutput } from './describe-tool-output.ts';
import type { Need } from './read-needs.ts';

/** A call that has been answered. */
export interface ReturnedCall {
  readonly call: ModelToolCall;
  /** JSON or text, as in the message with the answer. */
  readonly content: string;
}

/** Returns the calls in some messages in order, each with its answer. Leaves out pending calls. */
export function returnedCalls(messages: readonly ChatMessage[]): readonly ReturnedCall[] {
  const contents = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return calls.flatMap((call, index) => {
    const content = contents[index];
    return content === undefined ? [] : [{ call, content }];
  });
}

/** Describes the output of a call, or the reason for its failure. `needs`: the needs of the request, for the unit of a sum. */
export function describeReturnedCall(
  { call, content }: ReturnedCall,
  { needs = [], ...options }: DescribeToolOutputOptions & { readonly needs?: readonly Need[] },
): string {
  const { korean } = options;
  const { name } = call;
  const { expression } = asObject(jsonOrText(call.arguments));
  const output = jsonOrText(content);
  const { error } = asObject(output);
  if (typeof error !== 'string') {
    const sum = needs.find((need) => need.kind === 'calculate' && need.expression === expression);
    const unit = sum?.kind === 'calculate' ? sum.unit : undefined;
    return describeToolOutput(name, output, { ...options, ...(unit === undefined ? {} : { unit }) });
  }
  const [, code = '', message = error] = /^([A-Z_]+): (.*)$/su.exec(error) ?? [];
  const why = describeFailure({ code, message }, { korean });
  if (name === 'calculator') {
    return korean
      ? `죄송합니다. 계산식 “${expression ?? ''}”을(를) 계산하지 못했습니다. ${why}`
      : `Sorry, I could not calculate “${expression ?? ''}”. ${why}`;
  }
  return korean ? `${name}: 실패했습니다. ${why}` : `${name} has failed. ${why}`;
}

import type { JsonObject } from 'agent-machines';
import type { DescriptionFormat, NodeDescription } from 'agent-machines/inspect';
import type { ToolAgentState } from './state.ts';

/** Describes a node of tool-agent in a few words. */
export function describeToolAgent(node: string, patch: JsonObject, { oneLine, waitsFor }: DescriptionFormat): NodeDescription {
  const { pendingCalls = [], messages = [], heldCalls = [], heldBy = [], outcome } = patch as Partial<ToolAgentState>;
  switch (node) {
    case 'agent':
      if (heldBy.length > 0) return { summary: `answer held by ${heldBy.join(', ')}` };
      return pendingCalls.length === 0
        ? { summary: outcome === 'step-limit' ? 'has no steps left' : 'answered' }
        : { summary: 'calls tools', lines: pendingCalls.map((call) => `${call.name}  ${oneLine(call.arguments, 90)}`) };
    case 'tools':
      if (heldCalls.length > 0) return { summary: waitsFor(heldCalls) };
      return {
        summary: `${messages.length} ${messages.length === 1 ? 'result' : 'results'}`,
        lines: messages.map(({ content }) => oneLine(content, 100)),
      };
    default:
      return { summary: '' };
  }
}

import type { JsonObject } from 'agent-machines';
import type { DescriptionFormat, NodeDescription } from 'agent-machines/inspect';
import type { GuideAgentState } from './state.ts';

/** Describes a node of guide-agent in a few words. */
export function describeGuideAgent(node: string, patch: JsonObject, { oneLine, waitsFor }: DescriptionFormat): NodeDescription {
  const state = patch as Partial<GuideAgentState>;
  const { subTasks = [], pendingCalls = [], toolRecommendations = [], taskMessages = [], memories = [], heldCalls = [] } = state;
  switch (node) {
    case 'llm_router':
      return { summary: state.isComplexTask ? 'work of several steps' : 'a question' };
    case 'planning_node':
      return { summary: `${subTasks.length} sub-tasks`, lines: subTasks.map((task, index) => `${index + 1} ${oneLine(task, 90)}`) };
    case 'recommend_tool_node': {
      const [found] = toolRecommendations;
      if (found) {
        return {
          summary: `${found.sub_task} → ${found.status === 'recommended' ? found.service : 'unresolved'}`,
          failed: found.status === 'unresolved',
        };
      }
      return { summary: 'calls tools', lines: pendingCalls.map((call) => `${call.name}  ${oneLine(call.arguments, 90)}`) };
    }
    case 'tool_executor':
      if (heldCalls.length > 0) return { summary: waitsFor(heldCalls) };
      return {
        summary: `${state.toolCallsUsed ?? 0} calls for this sub-task`,
        lines: taskMessages.flatMap((message) =>
          message.role === 'tool' && message.content.startsWith('{"error"') ? [oneLine(message.content, 100)] : [],
        ),
      };
    case 'reflection_node':
      return {
        summary: memories.length === 0 ? 'nothing new to remember' : `remembers ${memories.length}`,
        lines: memories.map(({ text }) => oneLine(text, 90)),
      };
    default:
      return { summary: '' };
  }
}

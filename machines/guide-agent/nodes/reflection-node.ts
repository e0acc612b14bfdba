import type { NodeHandler } from 'agent-machines';
import { executeCalls, toolSignature } from 'agent-machines/executor';
import { askJson } from 'agent-machines/models';
import { parseToolCall, usableTools } from 'agent-machines/tools';
import { memoriesSchema, reflectionPrompt } from '../prompts.ts';
import { workInput } from '../rule-inputs.ts';
import type { GuideAgentServices } from '../services.ts';
import type { GuideAgentState } from '../state.ts';

/** Notes the user's preferences through `write_memory`. One model call; the guide is kept whatever goes wrong. */
export const reflectionNode =
  ({ modelFor, maxRepairs, knowledge, toolsFor, memory }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    const known = memory
      ? await io.step('known', async () => (await memory.list(state.userId)).slice(0, maxKnown).map(({ kind, text }) => ({ kind, text })))
      : [];
    const task = 'guide_agent.reflection_node';
    const request = { task, messages: reflectionPrompt(state, known) };
    const { memories } = await askJson(modelFor(task, { ...workInput(state, knowledge), known }), request, {
      io,
      schema: memoriesSchema,
      maxRepairs,
    });
    const tools = usableTools(toolsFor(state.userId)).filter(({ name }) => name === 'write_memory');
    if (tools.length === 0) return {};
    const calls = memories.map(({ kind, text }, index) =>
      parseToolCall({ id: `memory_${index + 1}`, name: 'write_memory', arguments: JSON.stringify({ kind, text }) }, { tools }),
    );
    // no human is asked here: its prompt has the user's words and names of services, and what it writes keeps the taint
    const approved = calls.map(toolSignature);
    const { results } = await executeCalls(calls, { tools, io, signal: io.signal, taint: state.taint, approved });
    const failed = results.find(({ status }) => status === 'failure');
    return {
      memories: memories.filter((_, index) => results[index]?.status === 'success'),
      ...(failed?.error ? { error: failed.error } : {}),
    };
  };

/** The latest ones. */
const maxKnown = 50;

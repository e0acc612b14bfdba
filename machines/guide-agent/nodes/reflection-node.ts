import type { NodeHandler } from 'agent-machines';
import type { LongTermMemory } from 'agent-machines/memory';
import { askJson } from 'agent-machines/models';
import { executeCalls, parseToolCall } from 'agent-machines/tools';
import { memoriesSchema, reflectionPrompt } from '../prompts.ts';
import { workInput } from '../rule-inputs.ts';
import type { GuideAgentServices } from '../services.ts';
import { type GuideAgentState, isSaidByUser, type Memory } from '../state.ts';
import { writeMemory } from '../tools/write-memory.ts';

/**
 * Stores the user's preferences through `write_memory`. One model call; its failure does not affect the guide. After untrusted text, a
 * memory is held unless it is a sentence of the user.
 */
export const reflectionNode =
  ({ modelFor, maxRepairs, knowledge, memory }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    const known = memory ? await io.step('known', () => listKnown(memory, state.userId)) : [];
    const task = 'guide_agent.reflection_node';
    const request = { task, messages: reflectionPrompt(state, known) };
    const { memories } = await askJson(modelFor(task, { ...workInput(state, knowledge), known }), request, {
      io,
      schema: memoriesSchema,
      maxRepairs,
    });
    if (!memory) return {};
    // new memories may repeat private data of known ones
    const read = known.length > 0 ? { taint: { private: true, untrusted: false } } : {};
    const tools = [writeMemory(memory, state.userId, { isHeld: (text) => !isSaidByUser(text, state) })];
    const calls = memories.map(({ kind, text }, index) =>
      parseToolCall({ id: `memory_${index + 1}`, name: 'write_memory', arguments: JSON.stringify({ kind, text }) }, { tools }),
    );
    const { results } = await executeCalls(calls, { tools, io, signal: io.signal, taint: state.taint });
    const failed = results.find((past) => past.status === 'failure');
    return {
      ...read,
      memories: memories.filter((_, index) => results[index]?.status === 'success'),
      ...(failed ? { error: failed.error } : {}),
    };
  };

/** Returns the latest active memories. Held ones are left out, because they could influence new ones. */
const listKnown = async (memory: LongTermMemory, userId: string): Promise<readonly Memory[]> =>
  (await memory.list(userId))
    .filter(({ held }) => !held)
    .slice(0, maxKnown)
    .map(({ kind, text }) => ({ kind, text }));

const maxKnown = 50;

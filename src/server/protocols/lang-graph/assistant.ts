import type { JsonObject } from '../../../core/ports/json.ts';
import { toGraph } from '../../../engine/define/graph.ts';
import type { ProtocolSpace, ProtocolWorkflow } from '../protocol-space.ts';

/** A workflow as LangGraph's assistant: each workflow has one, which has its id. */
export function toAssistant({ id, title, description, workflow }: ProtocolWorkflow): JsonObject {
  return {
    assistant_id: id,
    graph_id: id,
    config: {},
    context: {},
    created_at: '1970-01-01T00:00:00.000Z',
    updated_at: '1970-01-01T00:00:00.000Z',
    metadata: { created_by: 'system', version: workflow.version },
    version: 1,
    name: title ?? id,
    description: description ?? workflow.machine.root.description ?? null,
  };
}

/** Id of a stored run's assistant. */
export const assistantIdOf = ({ workflows }: ProtocolSpace, workflow: string): string =>
  workflows.find((one) => one.workflow.id === workflow)?.id ?? workflow;

/** The states of a machine as nodes. Edges lead from `__start__` to the first state, and from final states to `__end__`. */
export function toAssistantGraph({ workflow }: ProtocolWorkflow): JsonObject {
  const { initial, states } = toGraph(workflow.machine);
  const ends = states.filter(({ kind, parent }) => kind === 'final' && parent === '');
  const edges = states.flatMap(({ path, edges: out }) =>
    out.flatMap(({ on, guard, target, targets }) =>
      (targets ?? (target === undefined ? [] : [target])).map((to) => ({
        source: path,
        target: to,
        data: guard === undefined ? on : `${on} [${guard}]`,
        conditional: out.length > 1,
      })),
    ),
  );
  return {
    nodes: [
      { id: '__start__', type: 'schema', data: { name: '__start__' } },
      ...states.map(({ path, kind, description }) => ({
        id: path,
        type: 'runnable',
        data: { id: ['agent-machines', kind], name: path },
        ...(description === undefined ? {} : { metadata: { description } }),
      })),
      { id: '__end__', type: 'schema', data: { name: '__end__' } },
    ],
    edges: [
      { source: '__start__', target: initial, conditional: false },
      ...edges,
      ...ends.map(({ path }) => ({ source: path, target: '__end__', conditional: false })),
    ],
  };
}

const messages = { type: 'array', items: { type: 'object' } } as const;

/** JSON Schemas. The input is messages, or the workflow's own input. */
export function toAssistantSchemas({ id, inputSchema }: ProtocolWorkflow): JsonObject {
  const state = { type: 'object', properties: { messages, output: {} } };
  const ofMessages = { type: 'object', properties: { messages }, required: ['messages'] };
  return {
    graph_id: id,
    input_schema: inputSchema ? { anyOf: [ofMessages, inputSchema] } : ofMessages,
    output_schema: state,
    state_schema: state,
    config_schema: { type: 'object', properties: {} },
    context_schema: { type: 'object', properties: {} },
  };
}

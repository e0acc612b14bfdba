import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import {
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  final,
  type JsonObject,
  node,
  schemaState,
  waiting,
} from 'agent-machines';
import { type McpWorkflow, mcpRoutes } from 'agent-machines/mcp';
import { z } from 'zod';

const state = schemaState(z.object({ said: z.string().default('') }));

/** A workflow whose one node says something, or fails. */
const saying = (id: string, say: () => Promise<string>): McpWorkflow['workflow'] =>
  defineWorkflow({
    machine: defineMachine(state, {
      id,
      initial: 'say',
      output: ({ said }) => said,
      states: { say: node('say', { done: 'said', error: 'failed' }), said: final(), failed: final('failure') },
    }),
    nodes: { say: async () => ({ said: await say() }) },
  }) as McpWorkflow['workflow'];

const asking = defineWorkflow({
  machine: defineMachine(schemaState(z.object({ message: z.string() }), { events: { APPROVE: null } }), {
    id: 'test_elicitation',
    initial: 'ask',
    output: ({ message }) => message,
    states: { ask: waiting({ APPROVE: 'said' }), said: final() },
  }),
  nodes: {},
}) as McpWorkflow['workflow'];

/** A workflow that asks for what a form has. */
const filling = (id: string, schema: JsonObject): McpWorkflow['workflow'] => {
  const form = defineState<{ readonly said: string }, object, never, { readonly type: 'FILL' }>({
    onError: (_, { code }) => ({ said: code }),
    events: { FILL: { schema, parse: () => ({ type: 'FILL' }) } },
  });
  return defineWorkflow({
    machine: defineMachine(form, {
      id,
      initial: 'ask',
      context: () => ({ said: 'Filled in.' }),
      output: ({ said }) => said,
      states: { ask: waiting({ FILL: 'said' }), said: final() },
    }),
    nodes: {},
  }) as McpWorkflow['workflow'];
};
const titles = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
];
const options = { type: 'string', enum: ['option1', 'option2', 'option3'] };

/** A workflow of three nodes, each of which a client's log tells of. */
const inThreeSteps = defineWorkflow({
  machine: defineMachine(state, {
    id: 'test_tool_with_logging',
    initial: 'first',
    output: ({ said }) => said,
    states: {
      first: node('say', { done: 'second', error: 'failed' }),
      second: node('say', { done: 'third', error: 'failed' }),
      third: node('say', { done: 'said', error: 'failed' }),
      said: final(),
      failed: final('failure'),
    },
  }),
  nodes: { say: async () => ({ said: 'Done.' }) },
}) as McpWorkflow['workflow'];

const noInput = { type: 'object', properties: {} } as const;

/** The tools that the suite's scenarios ask for, as far as a workflow can be such a tool. */
const workflows: readonly McpWorkflow[] = [
  { id: 'test_simple_text', workflow: saying('test_simple_text', async () => 'A simple text.'), inputSchema: noInput },
  { id: 'test_tool_with_progress', workflow: saying('test_tool_with_progress', async () => 'Done.'), inputSchema: noInput },
  {
    id: 'test_error_handling',
    workflow: saying('test_error_handling', () => Promise.reject(new Error('It fails.'))),
    inputSchema: noInput,
  },
  { id: 'test_tool_with_logging', workflow: inThreeSteps, inputSchema: noInput },
  // each workflow is a prompt, too
  { id: 'test_simple_prompt', workflow: saying('test_simple_prompt', async () => 'Asked.'), inputSchema: noInput },
  {
    id: 'test_prompt_with_arguments',
    workflow: saying('test_prompt_with_arguments', async () => 'Asked.'),
    inputSchema: { type: 'object', properties: { arg1: { type: 'string' }, arg2: { type: 'string' } }, required: ['arg1', 'arg2'] },
  },
  { id: 'test_elicitation', workflow: asking, inputSchema: { type: 'object', properties: { message: { type: 'string' } } } },
  {
    id: 'test_elicitation_sep1034_defaults',
    workflow: filling('test_elicitation_sep1034_defaults', {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    }),
    inputSchema: noInput,
  },
  {
    id: 'test_elicitation_sep1330_enums',
    workflow: filling('test_elicitation_sep1330_enums', {
      type: 'object',
      properties: {
        untitledSingle: options,
        titledSingle: { type: 'string', oneOf: titles },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
        untitledMulti: { type: 'array', items: options },
        titledMulti: { type: 'array', items: { anyOf: titles } },
      },
    }),
    inputSchema: noInput,
  },
  {
    id: 'json_schema_2020_12_tool',
    workflow: saying('json_schema_2020_12_tool', async () => 'Read.'),
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
  },
];

/** The workflows as MCP tools on a socket of this machine. */
export async function startConformanceServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const runtime = createRuntime();
  const hosts: string[] = [];
  const routes = mcpRoutes({ runtime, workflows }, { hosts });
  const server = serve({ fetch: routes.fetch, port: 0, hostname: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  hosts.push(`127.0.0.1:${port}`, `localhost:${port}`);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await routes.close();
      await new Promise((resolve) => server.close(resolve));
      await runtime.close();
    },
  };
}

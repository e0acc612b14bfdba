import { toSafeError } from '../../core/errors/errors.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { clientQuestions } from '../../core/util/is-held-answer.ts';
import type { McpSpace } from './mcp-space.ts';

const prefix = 'agent-machines://runs/';
const mimeType = 'application/json';
const maxListed = 50;

export const runTemplate: Readonly<Record<string, unknown>> = Object.freeze({
  uriTemplate: `${prefix}{runId}`,
  name: 'run',
  title: 'A run',
  description: 'What a run was asked, what has become of it, and what it waits for.',
  mimeType,
});

export async function listRuns({ runtime }: McpSpace): Promise<readonly Record<string, unknown>[]> {
  const runs = await runtime.list({ limit: maxListed });
  return runs.map(({ id, workflow, status, startedAt }) => ({
    uri: `${prefix}${id}`,
    name: id,
    title: `${workflow}, ${status}`,
    description: `Started ${new Date(startedAt).toISOString()}.`,
    mimeType,
  }));
}

/** A run as a resource; `undefined` for an unknown address. */
export async function readRun({ runtime }: McpSpace, uri: string): Promise<Record<string, unknown> | undefined> {
  const id = uri.startsWith(prefix) ? uri.slice(prefix.length) : '';
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return undefined;
  try {
    const { workflow, version, status, threadId, startedAt, updatedAt, input, result } = await runtime.get(id);
    const ended = result?.status === 'failed' ? { ...result, error: toSafeError(result.error) } : result;
    const open = result?.status === 'waiting' ? clientQuestions(result.interrupts) : [];
    const rest = result?.status === 'waiting' ? { ...result, interrupts: open, interrupt: open[0] } : ended;
    const shown = { runId: id, workflow, version, status, threadId, startedAt, updatedAt, input, result: rest };
    return { uri, mimeType, text: JSON.stringify(shown, null, 2) };
  } catch (error) {
    if (hasCode(error, 'RUN_UNKNOWN')) return undefined;
    throw error;
  }
}

import type { RunEvent } from '../../core/ports/run-event.ts';

/** Log levels of MCP, from the lowest. */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export type LogLevel = (typeof levels)[number];

export const isLogLevel = (value: unknown): value is LogLevel => levels.some((level) => level === value);

export const isLoud = (level: LogLevel, least: LogLevel): boolean => levels.indexOf(level) >= levels.indexOf(least);

/** Log line of an event for a client: positions and failures, but no content. */
export function logLineOf(event: RunEvent): { readonly level: LogLevel; readonly data: Readonly<Record<string, unknown>> } | undefined {
  switch (event.type) {
    case 'run-start':
      return { level: 'info', data: { event: event.type, runId: event.runId, workflow: event.workflow } };
    case 'node-start':
      return { level: 'info', data: { event: event.type, node: event.key, attempt: event.attempt } };
    case 'node-retry':
      return { level: 'warning', data: { event: event.type, node: event.key, attempt: event.attempt, code: event.error.code } };
    case 'node-end':
      if (event.error) return { level: 'error', data: { event: event.type, node: event.key, code: event.error.code } };
      return { level: 'debug', data: { event: event.type, node: event.key, durationMs: event.durationMs } };
    case 'edge':
      return { level: 'debug', data: { event: event.type, from: event.from, to: event.to, on: event.on } };
    case 'tool-start':
      return { level: 'info', data: { event: event.type, tool: event.tool } };
    case 'tool-end':
      if (event.error) return { level: 'warning', data: { event: event.type, tool: event.tool, code: event.error.code } };
      return { level: 'debug', data: { event: event.type, tool: event.tool, durationMs: event.durationMs } };
    case 'interrupt':
      return { level: 'notice', data: { event: event.type, state: event.interrupt.key } };
    case 'run-end':
      return { level: event.status === 'failed' ? 'error' : 'info', data: { event: event.type, status: event.status } };
    default:
      return undefined;
  }
}

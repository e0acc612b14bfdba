import type { TextGuard } from '../../core/ports/text-guard.ts';
import { checkTimeZone, describeDatetime, type StoredTimeZone, timeZoneOf } from '../../core/util/local-datetime.ts';
import { joinTaint, readTaint } from '../../core/util/taint.ts';
import { taintOfInput } from '../../core/util/taint-of-input.ts';
import type { RunStart } from '../../engine/define/define-workflow.ts';
import { checkAllowTargets } from '../../plan/executor/allowed-targets.ts';
import { isEgressGranted } from '../../plan/executor/is-egress-granted.ts';
import type { AgentThread } from '../loop/agent-thread.ts';
import { toolReviewQuestion } from '../loop/tool-review.ts';
import type { CallingAgentOptions } from './check-agent-options.ts';

export interface AgentBase {
  /** For the services of the nodes, and for the limits of `offers`. */
  readonly egress: { readonly allowEgress: boolean; readonly allowTargets: readonly string[] };
  /** For `defineWorkflow`. */
  readonly definition: {
    readonly id: string | undefined;
    readonly expiresInMs: number | undefined;
    readonly guards: readonly TextGuard[] | undefined;
    readonly questions: { readonly tool_review: typeof toolReviewQuestion };
  };
  /** For the result of `parseInput`. */
  readonly storedTimeZone: Required<StoredTimeZone>;
  /** For the result of `toMachineInput`. */
  startOf(
    input: { readonly input: string; readonly files?: unknown } & StoredTimeZone,
    start: Pick<RunStart<AgentThread>, 'startedAt' | 'thread' | 'grantEgress'>,
  ): AgentThread & { readonly currentDatetime: string; readonly timeZone: string };
}

/**
 * The part of a factory that is equal in all agents that call tools: time zone, taint, approvals and egress.
 *
 * @throws {WorkflowError} `TIME_ZONE_UNKNOWN`, `OPTION_INVALID`.
 * @example
 * const base = agentBase(options);
 * return defineWorkflow({
 *   machine,
 *   ...base.definition,
 *   nodes: { tools: tools({ ...base.egress }) },
 *   parseInput: ({ input }) => ({ input, ...base.storedTimeZone }),
 *   toMachineInput: (input, start) => ({ input: input.input, ...base.startOf(input, start) }),
 *   thread: { initial: newAgentThread, next: (_thread, { state: { taint, egressGranted } }) => ({ taint, egressGranted }) },
 * });
 */
export function agentBase(options: CallingAgentOptions<string>): AgentBase {
  const timeZone = checkTimeZone(options.timeZone);
  return {
    egress: { allowEgress: options.allowEgress ?? false, allowTargets: checkAllowTargets(options.allowTargets ?? []) },
    definition: {
      id: options.id,
      expiresInMs: options.expiresInMs,
      guards: options.guards,
      questions: { tool_review: toolReviewQuestion },
    },
    storedTimeZone: { timeZone },
    startOf(stored, { startedAt, thread, ...start }) {
      const { input, files } = stored;
      const zone = timeZoneOf(stored);
      // Decision 431: text in an attached file is rarely written by the user.
      const own = taintOfInput(input, { private: options.privateInput ?? false, untrusted: files !== undefined });
      return {
        currentDatetime: describeDatetime(startedAt, zone),
        timeZone: zone,
        taint: joinTaint(readTaint(thread.taint), own),
        egressGranted: thread.egressGranted || isEgressGranted(stored, start),
      };
    },
  };
}

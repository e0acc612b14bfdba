import { WorkflowError } from '../../core/errors/errors.ts';
import { hasEnded } from '../../core/ports/run-store.ts';
import type { ListedRun, RunInfo } from '../../engine/run/runtime.ts';
import type { ProtocolSpace } from './protocol-space.ts';
import type { ThreadRun } from './thread-run.ts';

/** Parts of a request that say where in the conversation it continues. */
interface BranchRequest {
  readonly trigger?: 'submit-message' | 'regenerate-message' | undefined;
  readonly messageId?: string | null | undefined;
  readonly repeatOnce?: boolean | undefined;
  readonly messages: readonly { readonly id?: string | undefined; readonly role: string }[];
}

interface Branch {
  /** Run of the answer that the message follows; `null` for the first message of the conversation. */
  readonly after: string | null;
  /** A run that is still open belongs to the dropped part of the conversation. */
  readonly ifBusy: 'cancel-and-replace';
}

/**
 * Place of a regenerated answer or an edited message: after the answer before it, whose id is that of its run. Returns `undefined` for any
 * other request.
 *
 * @throws {WorkflowError} `FORK_REPEATS_EFFECT` if the regenerated answer's run has made calls that happen once.
 */
export async function branchOf(space: ProtocolSpace, run: ThreadRun | undefined, request: BranchRequest): Promise<Branch | undefined> {
  const { trigger, messageId, messages } = request;
  const last = messages.at(-1);
  const isEdit = typeof messageId === 'string' && last?.role === 'user' && last.id === messageId;
  if (!run || last?.role !== 'user' || !(trigger === 'regenerate-message' || isEdit)) return undefined;
  const before = messages.findLast(({ role }) => role === 'assistant');
  const after = before ? (before.id ?? '') : null;
  if (trigger === 'regenerate-message' && !request.repeatOnce) await assertRepeatable(space, run, after);
  return { after, ifBusy: 'cancel-and-replace' };
}

/** The turns of the conversation as the client sees it, oldest first: without those that a later run has replaced. */
export async function branchTurns({ runtime }: ProtocolSpace, newest: readonly ListedRun[]): Promise<readonly RunInfo[]> {
  const turns: RunInfo[] = [];
  let next: string | null | undefined;
  for (const { id } of newest) {
    if (next === null) break;
    if (next !== undefined && id !== next) continue;
    const run = await runtime.get(id);
    turns.unshift(run);
    next = run.after;
  }
  return turns;
}

/** A new message after a branch that has not reached the thread, because its run has failed or was cancelled. */
export async function tipOf({ runtime }: ProtocolSpace, run: ThreadRun | undefined): Promise<Partial<Pick<Branch, 'after'>>> {
  if (!run) return {};
  const { status, after } = await runtime.get(run.runId);
  return after !== undefined && status !== 'done' && hasEnded(status) ? { after: run.runId } : {};
}

/** @throws {WorkflowError} `FORK_REPEATS_EFFECT` when the run that followed, or the newest, has made calls that happen once. */
async function assertRepeatable({ runtime }: ProtocolSpace, { runId }: ThreadRun, after: string | null): Promise<void> {
  const { threadId } = await runtime.get(runId);
  const turns = threadId === undefined ? [] : await runtime.list({ threadId, limit: Number.MAX_SAFE_INTEGER });
  const index = after === null ? turns.length : turns.findIndex(({ id }) => id === after);
  const replaced = [...new Set([runId, turns[index - 1]?.id ?? runId])].filter((id) => id !== after);
  const entries = (await Promise.all(replaced.map(async (id) => runtime.history(id)))).flat();
  const calls = entries.filter(({ kind }) => kind === 'intent').map(({ key }) => key);
  if (calls.length === 0) return;
  throw new WorkflowError({
    code: 'FORK_REPEATS_EFFECT',
    message: `Another answer may repeat calls that must happen once: ${calls.join(', ')}.`,
    hint: 'Send a new message, or regenerate with repeatOnce: true in the body if the calls are safe to repeat.',
    data: { calls },
  });
}

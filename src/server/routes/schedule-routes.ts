import type { StoredSchedules } from '../../engine/schedules/stored-schedules.ts';
import type { AddSchedule, ScheduleInfo } from '../api/schedules.ts';
import { checkServedInput } from '../http/check-served-input.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { Reply, type RouteHandlers } from '../http/route-handler.ts';
import { type ServedSpace, workflowUnknown } from '../http/served-space.ts';
import { withSettings } from '../http/with-settings.ts';

type ScheduleRoutes = Pick<
  RouteHandlers,
  'listSchedules' | 'addSchedule' | 'pauseSchedule' | 'resumeSchedule' | 'triggerSchedule' | 'backfillSchedule' | 'removeSchedule'
>;

/** Routes for the schedules of the store. */
export const scheduleRoutes: ScheduleRoutes = {
  listSchedules: async ({ space }) => ({ schedules: await (await schedulesOf(space)).list() }),
  addSchedule: async ({ body, space }) => new Reply(201, await addSchedule(space, body)),
  pauseSchedule: async ({ params, space }) => (await schedulesOf(space)).pause(params.id),
  resumeSchedule: async ({ params, space }) => (await schedulesOf(space)).resume(params.id),
  async triggerSchedule({ params, space, request }) {
    const key = idempotencyKeyOf(request);
    const run = await (await schedulesOf(space)).trigger(params.id, key === undefined ? {} : { key });
    return new Reply(run.isNew ? 201 : 200, run);
  },
  backfillSchedule: async ({ params, body, space }) => ({ runs: await (await schedulesOf(space)).backfill(params.id, body) }),
  async removeSchedule({ params, space }) {
    await (await schedulesOf(space)).remove(params.id);
    return { deleted: 1 };
  },
};

/** Loads the parser of patterns on demand. */
async function schedulesOf({ runtime }: ServedSpace): Promise<StoredSchedules> {
  const { storedSchedules } = await import('../../engine/schedules/stored-schedules.ts');
  return storedSchedules(runtime);
}

async function addSchedule(space: ServedSpace, { settings = {}, ...given }: AddSchedule): Promise<ScheduleInfo> {
  const served = space.workflow(given.workflow);
  if (!served) throw workflowUnknown(given.workflow);
  checkServedInput(served, given.input);
  const { workflow, metadata } = await withSettings(served, settings);
  return (await schedulesOf(space)).add({ ...given, workflow, ...(metadata === undefined ? {} : { metadata }) });
}

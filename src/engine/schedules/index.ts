export { type ScheduleOptions, schedule } from './schedule.ts';
export type { Schedule, ScheduleTimes } from './scheduled-run.ts';
export {
  type BackfillOptions,
  type NewSchedule,
  type ScheduleInfo,
  type ScheduleRun,
  type StoredSchedules,
  storedSchedules,
} from './stored-schedules.ts';

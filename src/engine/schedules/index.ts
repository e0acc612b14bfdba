export type { Schedule } from '../workers/schedule.ts';
export { type ScheduleOptions, schedule } from './schedule.ts';

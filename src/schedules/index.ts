export type { Schedule } from '../runtime/schedule.ts';
export { type ScheduleOptions, schedule } from './schedule.ts';

import { WorkflowError } from '../../core/errors/errors.ts';

export const scheduleUnknown = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'SCHEDULE_UNKNOWN',
    message: `There is no schedule "${name}".`,
    hint: 'List the schedules of the store.',
    data: { schedule: name },
  });

export const scheduleExists = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'SCHEDULE_EXISTS',
    message: `There is another schedule "${name}" already.`,
    hint: 'Use another name, or remove that schedule first.',
    data: { schedule: name },
  });

export const scheduleDeclared = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'SCHEDULE_DECLARED',
    message: `The schedule "${name}" belongs to the code of a worker, so it cannot be changed here.`,
    hint: 'Use another name, or change the code of the worker. Its name is free 3 minutes after the last worker with it has ended.',
    data: { schedule: name },
  });

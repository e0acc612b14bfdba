// The process that measures: one task from the command line, its sample as JSON on stdout.
import { measureDurableStep } from './durable-step.ts';
import { measureRuns } from './measure-runs.ts';
import { measureStoredBytes } from './stored-bytes.ts';
import type { Sample, Task } from './task.ts';

const measure = (task: Task): Promise<Sample<Task['measure']>> => {
  switch (task.measure) {
    case 'runs':
      return measureRuns(task.variant, task.quick);
    case 'stored-bytes':
      return measureStoredBytes(task.keeper, task.shape, task.quick);
    case 'durable-step':
      return measureDurableStep(task.quick);
  }
};

// written by fresh-process.ts
const task = JSON.parse(process.argv[2] ?? '') as Task;
process.stdout.write(JSON.stringify(await measure(task)));

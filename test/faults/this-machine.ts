import { cpus, release, totalmem } from 'node:os';

/** Where something was measured. */
export interface MeasuredOn {
  readonly cpu: string | undefined;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
}

export const thisMachine = (): MeasuredOn => ({
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryBytes: totalmem(),
  system: `${process.platform} ${release()}`,
  node: process.version,
});

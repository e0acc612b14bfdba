export { type RestateRun, type RestateRuns, type RestateRunsOptions, restateRuns } from './restate-runs.ts';
export type { RestateSdk } from './restate-sdk.ts';
export { type RestateServicesOptions, restateServices } from './restate-services.ts';
export type { RestResult } from './run-command.ts';

export { defineMachine, type Machine, type MachineOptions } from './define/define-machine.ts';
export type { Questions } from './define/define-workflow.ts';
export type { Guard } from './define/guard.ts';
export { type NodeHandler, type NodeLogic, nodeLogic } from './define/node.ts';
export { type SchemaKit, type SchemaStateOptions, schemaState } from './define/schema-state.ts';
export {
  append,
  defineState,
  type EventDefinition,
  type Reducers,
  type StateEvent,
  type StateKit,
  type StateOptions,
} from './define/state.ts';
export {
  type Edge,
  type Edges,
  final,
  nested,
  node,
  parallel,
  parallelNodes,
  type StateConfig,
  waiting,
} from './define/state-config.ts';
export type { DriveEnd } from './drive/drive-end.ts';
export { drive } from './drive/driver.ts';
export type { Host, Outcome, Wait } from './drive/host.ts';
export type { InspectedDrive } from './drive/run-inspection.ts';
export { type Engine, engineOf, type RunnableWorkflow } from './drive/stepper-of.ts';

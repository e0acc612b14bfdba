import { defineWorkflow, type Engine, engineOf, type Workflow } from 'agent-machines';
import type { PlanExecuteMachineInput, PlanExecuteOutput, PlanExecuteState } from 'agent-machines/machines/plan-execute';
import { machine } from '../../machines/plan-execute/machine.ts';
import { nodes } from './script.ts';

export type ScriptedWorkflow = Workflow<PlanExecuteMachineInput, PlanExecuteState, PlanExecuteOutput>;

/** The machine of `machines/plan-execute`, moved by the table. */
export const tableWorkflow: ScriptedWorkflow = defineWorkflow({ machine, nodes });

/** The same machine, moved by XState. */
export const xstateWorkflow: ScriptedWorkflow = defineWorkflow({ machine, nodes, engine: 'xstate' });

/** @throws when a workflow is moved by another engine than its variant is named after. */
export function assertEngine(workflow: ScriptedWorkflow, expected: Engine['engine']): void {
  const { engine, reason = 'it has a table' } = engineOf(workflow);
  if (engine !== expected) throw new Error(`${engine} moves the machine instead of ${expected}: ${reason}.`);
}

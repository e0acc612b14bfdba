import type { Guard } from 'agent-machines';
import { awaitsApproval, decidesAll } from 'agent-machines/tools';
import type { GuideAgentState } from './state.ts';

/** The request is work of several steps, not a question. */
const isComplexTask: Guard<GuideAgentState> = ({ isComplexTask }) => isComplexTask;

const hasSubTasks: Guard<GuideAgentState> = ({ subTasks }) => subTasks.length > 0;

const hasOldPlan: Guard<GuideAgentState> = ({ subTasks }) => subTasks.length > 0;

const hasToolCall: Guard<GuideAgentState> = ({ pendingCalls }) => pendingCalls.length > 0;

const hasMoreSubTasks: Guard<GuideAgentState> = ({ currentTask, subTasks }) => currentTask < subTasks.length;

/** The guide belongs to a task that was planned and approved. */
const wasComplexTask: Guard<GuideAgentState> = ({ isComplexTask }) => isComplexTask;

/** The answer matches the open question: about the plan, or about a call. */
const answerFits: Guard<GuideAgentState> = ({ answerFits }) => answerFits;

/** The edit is about a call, and another call waits for a human. */
const answerFitsAndAwaitsApproval: Guard<GuideAgentState> = (state) => answerFits(state) && awaitsApproval(state);

export const guards = {
  isComplexTask,
  hasSubTasks,
  hasOldPlan,
  hasToolCall,
  awaitsApproval,
  decidesAll,
  answerFits,
  answerFitsAndAwaitsApproval,
  hasMoreSubTasks,
  wasComplexTask,
};

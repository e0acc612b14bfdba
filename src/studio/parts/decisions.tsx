import type { ReactNode } from 'react';
import type { CallInDoubt, Interrupt } from '../../core/ports/run-event.ts';
import { isObject } from '../../core/util/is-object.ts';
import { type AnswerState, answerKey } from '../state/studio-state.ts';
import { CallReview } from './call-review.tsx';
import { CallsReview, type ShownCall } from './calls-review.tsx';
import { InDoubt } from './in-doubt.tsx';
import { OtherQuestion } from './other-question.tsx';
import { PlanReview } from './plan-review.tsx';
import { useStudioState } from './studio-context.tsx';

interface DecisionsProps {
  readonly runId: string;
  readonly workflow: string;
  readonly since: number;
  readonly interrupts: readonly Interrupt[];
  readonly inDoubt: readonly CallInDoubt[];
}

/** A run's questions to a human: the same cards in its thread and in the list of everything that waits. */
export function Decisions({ runId, workflow, since, interrupts, inDoubt }: DecisionsProps): ReactNode {
  const answers = useStudioState((state) => state.answers);
  return (
    <>
      {interrupts.map((interrupt) => {
        const props = { runId, workflow, since, interrupt, answer: answers[answerKey(runId, interrupt.id)] };
        const kind = kindOf(interrupt);
        // keyed by question, so that a new one starts with fresh state
        if (kind === 'plan') return <PlanReview key={interrupt.key.split('#')[0]} {...props} />;
        const calls = kind === 'call' ? callsIn(interrupt) : [];
        if (calls.length > 1) return <CallsReview key={interrupt.id} {...props} calls={calls} />;
        return kind === 'call' ? <CallReview key={interrupt.id} {...props} /> : <OtherQuestion key={interrupt.id} {...props} />;
      })}
      {inDoubt.map((call) => (
        <InDoubt key={call.callId} runId={runId} call={call} answer={answers[answerKey(runId, call.callId)]} />
      ))}
    </>
  );
}

export interface QuestionProps {
  readonly runId: string;
  readonly workflow: string;
  readonly since: number;
  readonly interrupt: Interrupt;
  readonly answer: AnswerState | undefined;
}

/** The calls that one answer can decide together. */
const callsIn = ({ accepts, question }: Interrupt): readonly ShownCall[] =>
  accepts.includes('DECIDE') && isObject(question) && Array.isArray(question.calls) ? question.calls : [];

export function kindOf({ accepts, question }: Interrupt): 'plan' | 'call' | 'other' {
  if (!isObject(question) || !accepts.includes('APPROVE')) return 'other';
  if (Array.isArray(question.sub_tasks)) return 'plan';
  return typeof question.tool === 'string' ? 'call' : 'other';
}

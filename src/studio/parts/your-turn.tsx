import type { ReactNode } from 'react';
import { clockTime, workflowName } from '../model/format.ts';
import { Decisions, kindOf } from './decisions.tsx';
import { Icon } from './icon.tsx';
import { useLanguage, useStudio, useStudioState, useWords } from './studio-context.tsx';

/** All waiting runs of the store; of the shown ones, the longest wait is on top. */
export function YourTurn(): ReactNode {
  const say = useWords();
  const language = useLanguage();
  const studio = useStudio();
  const more = useStudioState(({ moreWaits }) => moreWaits);
  const waiting = useStudioState((state) => state.waiting);
  const here = useStudioState(({ place }) => place.runIds.at(-1));
  if (waiting.length === 0) return <p className="quiet">{say.nothingWaits}</p>;
  return (
    <div className="asks">
      {waiting.map((item) => {
        const isPlan = item.interrupts.some((interrupt) => kindOf(interrupt) === 'plan');
        // a plan is editable in one place only, its thread
        const inThread = item.id === here;
        return (
          <div className="ask" key={item.id}>
            <p className="row sm t3">
              <span className="grow">
                {clockTime(item.updatedAt, language)} · {workflowName(item.workflow)}
              </span>
              {item.threadId && !inThread ? (
                <a className="link" href={`#/t/${item.threadId}`}>
                  {say.openThread}
                </a>
              ) : null}
            </p>
            {inThread || isPlan ? (
              <div className="row brief">
                <span className="g am">
                  <Icon name="wait" />
                </span>
                <span className="b grow">{isPlan ? say.approvePlan : say.waitingFor}</span>
                <span className="t2">{planSize(item.interrupts[0]?.question, say.subTasks)}</span>
              </div>
            ) : (
              <Decisions
                runId={item.id}
                workflow={item.workflow}
                since={item.updatedAt}
                interrupts={item.interrupts}
                inDoubt={item.inDoubt}
              />
            )}
          </div>
        );
      })}
      {more ? (
        <button type="button" className="link" onClick={() => void studio.showMoreWaiting()}>
          {say.showMoreWaiting}
        </button>
      ) : null}
    </div>
  );
}

function planSize(question: unknown, say: (n: number) => string): string {
  const { sub_tasks: tasks } = (question ?? {}) as { readonly sub_tasks?: unknown };
  return Array.isArray(tasks) ? say(tasks.length) : '';
}

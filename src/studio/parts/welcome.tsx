import type { ReactNode } from 'react';
import { workflowName } from '../model/format.ts';
import { isAboutContracts } from '../model/is-about-contracts.ts';
import { Icon, workflowIcon } from './icon.tsx';
import { useStudio, useStudioState, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';
import { Upload } from './upload.tsx';

/** A thread without a question: the purpose of the workflow, and three example questions. */
export function Welcome(): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const { workflows, place, refused } = useStudioState((state) => state);
  const workflow = workflows.find(({ id }) => id === place.workflow);
  if (refused)
    return <Trouble error={refused.status === 401 ? { code: refused.code, message: say.noSession, hint: say.noSessionHint } : refused} />;
  return (
    <div className="welcome">
      <fieldset className="picks" aria-label={say.newThread}>
        {workflows.map(({ id }) => (
          <button
            key={id}
            type="button"
            className={`chip pick${id === place.workflow ? ' on' : ''}`}
            aria-pressed={id === place.workflow}
            onClick={() => studio.newThread(id)}
          >
            <Icon name={workflowIcon(id)} />
            {workflowName(id)}
          </button>
        ))}
      </fieldset>
      {workflow ? (
        <>
          <h3 className="b welcome-name">{workflowName(workflow.id)}</h3>
          <p className="t2">{workflow.description}</p>
          {isAboutContracts(workflow.id) ? <Upload /> : null}
          {workflow.examples.length > 0 ? <p className="t3 sm">{say.tryOne}</p> : null}
          <ul className="examples">
            {workflow.examples.slice(0, 3).map((example) => (
              <li key={example}>
                <button type="button" className="me" onClick={() => void studio.ask(example)}>
                  {example}
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}

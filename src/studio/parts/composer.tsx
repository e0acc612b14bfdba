import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { ModelInfo } from '../../server/api/calls.ts';
import { documentName } from '../model/document-name.ts';
import { workflowName } from '../model/format.ts';
import { isAboutContracts } from '../model/is-about-contracts.ts';
import { answerKey, type RunState } from '../state/studio-state.ts';
import { isBusy } from './answer-line.tsx';
import { Icon } from './icon.tsx';
import { useStudio, useStudioState, useWords } from './studio-context.tsx';

/** The input field. While a plan waits, the text is feedback for a new plan, never an approval. */
export function Composer({ run, onSent }: { readonly run: RunState | undefined; onSent(): void }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const { workflow } = useStudioState((state) => state.place);
  const model = useStudioState((state) => state.model);
  const own = useStudioState((state) => state.workflows.find(({ id }) => id === workflow)?.model);
  const answers = useStudioState((state) => state.answers);
  const documents = useStudioState((state) => state.documents);
  const [text, setText] = useState('');
  const asked = run && !run.log.view.end ? run.log.view.open.find(({ accepts }) => accepts.includes('REVISE')) : undefined;
  const wish = asked && run && !isBusy(answers[answerKey(run.id, asked.id)]) ? asked : undefined;
  const running = run?.following === true && !run.log.view.end && run.log.view.open.length === 0;
  const document = workflow && isAboutContracts(workflow) ? documents[0] : undefined;
  const send = (): void => {
    const said = text.trim();
    if (said === '' || workflow === undefined) return;
    setText('');
    onSent();
    if (wish && run) void studio.answer(run.id, wish.id, [{ type: 'REVISE', feedback: said }]);
    else void studio.ask(said);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.metaKey || event.ctrlKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const placeholder = wish ? say.changePlaceholder : running ? say.askQueued : run ? say.askNext : say.ask;
  return (
    <form
      className="comp"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        id="composer"
        rows={1}
        value={text}
        placeholder={placeholder}
        aria-label={placeholder}
        maxLength={20_000}
        disabled={workflow === undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={keys}
      />
      <div className="row">
        <span className="sm t3 grow cut">
          {wish
            ? say.changeNote
            : [workflowName(workflow ?? ''), document && documentName(document), answererName(own, model, say.rules)]
                .filter(Boolean)
                .join(' · ')}
        </span>
        {running && run ? (
          <>
            <button type="button" className="btn q small" onClick={() => void studio.act(run.id, 'pause')} data-act="pause">
              <Icon name="pause" />
              {say.pause}
            </button>
            <button type="button" className="btn q small" onClick={() => void studio.act(run.id, 'cancel')} data-act="stop">
              {say.stop}
            </button>
          </>
        ) : null}
        <button type="submit" className="key" disabled={text.trim() === ''} aria-label={say.send}>
          <kbd>↵</kbd>
        </button>
      </div>
    </form>
  );
}

/** Name of the model or rules that will answer, shown before the user asks. */
function answererName(own: string | undefined, model: ModelInfo | undefined, rules: string): string {
  if (model?.offline || (own !== undefined && /offline/.test(own))) return rules;
  return model ? [model.name, model.address].filter(Boolean).join(' · ') : (own ?? '');
}

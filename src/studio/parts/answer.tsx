import type { ReactNode } from 'react';
import { answerOf } from '../model/answer-of.ts';
import { chipsOf } from '../model/chips-of.ts';
import { oneLine } from '../model/one-line.ts';
import { liveText } from '../model/run-log.ts';
import type { RunState } from '../state/studio-state.ts';
import { AnswerText } from './answer-text.tsx';
import { Icon } from './icon.tsx';
import { useStudio, useWords } from './studio-context.tsx';
import { useUi } from './ui-state.tsx';

/** The answer of a run: streaming, and then as stored. */
export function Answer({ run }: { readonly run: RunState }): ReactNode {
  const say = useWords();
  const { view } = run.log;
  const live = liveText(run.log);
  const output = run.info?.output;
  const streams = run.following && !view.end;
  const whole = view.end ? answerOf(output) : '';
  const text = whole || live;
  const early = view.end !== undefined && view.end.status === 'failed' && whole === '' && live !== '';
  if (text === '') return null;
  return (
    <>
      <div className={`ans${streams ? ' streams' : ''}`} aria-live="polite" aria-busy={streams} data-answer={run.id}>
        <AnswerText text={text} />
        {early ? <p className="rd sm">{say.endedEarly}</p> : null}
        {whole === '' ? null : <Chips run={run} />}
      </div>
      {whole === '' ? null : <Thumbs run={run} />}
    </>
  );
}

/** Rates a run up or down; a second click takes the rating back. */
function Thumbs({ run }: { readonly run: RunState }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const ratings = [
    { rating: 'up', icon: 'thumbUp', label: say.goodAnswer },
    { rating: 'down', icon: 'thumbDown', label: say.badAnswer },
  ] as const;
  return (
    <p className="thumbs">
      {ratings.map(({ rating, icon, label }) => (
        <button
          key={rating}
          type="button"
          className="btn q small"
          aria-label={label}
          aria-pressed={run.info?.rating === rating}
          title={label}
          onClick={() => void studio.rate(run.id, rating)}
        >
          <Icon name={icon} />
        </button>
      ))}
    </p>
  );
}

/** Citations of an answer; a click opens the cited text. */
function Chips({ run }: { readonly run: RunState }): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  const cited = chipsOf(run.info?.output, run.log.view.sources);
  if (cited.length === 0) return null;
  const found = cited.filter(({ quote, supported }) => quote !== '' && supported).length;
  return (
    <p className="chips">
      {cited.map(({ label, quote, supported }, index) => {
        const isOpen = ui.tab === 'sources' && ui.citation?.runId === run.id && ui.citation.index === index;
        return (
          <button
            // only the position distinguishes two equal quotes
            key={`${index} ${label}`}
            type="button"
            className={`chip${isOpen ? ' on' : ''}${supported ? '' : ' missing'}`}
            title={oneLine(quote, 200)}
            onClick={() => change({ tab: 'sources', citation: { runId: run.id, label, quote, index }, column: 'machine' })}
          >
            {oneLine(label, 60)}
            {quote === '' ? '' : ` “${oneLine(quote, 18)}”`}
            {supported ? '' : ` · ${say.notInText}`}
          </button>
        );
      })}
      {found > 0 ? <span className="sm t3"> {say.quotesAgree(found)}</span> : null}
    </p>
  );
}

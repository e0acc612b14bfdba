import { type ReactNode, useEffect, useState } from 'react';
import { type ApiError, toApiError } from '../api/api-error.ts';
import type { ArticleName, ArticlePair, Comparison, OutlinePart } from '../api/wire.ts';
import { visibleText } from '../model/visible-text.ts';
import { useStudio, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';

interface CompareProps {
  readonly documentId: string;
  /** Of the document: pairs name their articles by id. */
  readonly parts: readonly OutlinePart[];
}

/** What differs between a contract and the standard one: missing articles, own ones, and changed words. */
export function Compare({ documentId, parts }: CompareProps): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const [found, setFound] = useState<Comparison>();
  const [trouble, setTrouble] = useState<ApiError>();
  useEffect(() => {
    void studio.api.compare(documentId, 'standard').then(setFound, (cause: unknown) => setTrouble(toApiError(cause)));
  }, [studio, documentId]);
  if (trouble) return <Trouble error={trouble} />;
  if (!found) return <p className="quiet">{say.reading}</p>;
  const changed = found.pairs.filter(({ isChanged }) => isChanged);
  return (
    <div className="redline">
      <Names title={say.missingHere} list={found.missing} />
      <Names title={say.onlyHere} list={found.added} />
      <h3 className="grp-title">
        {say.changed} · {changed.length}
      </h3>
      {changed.map((pair) => (
        <Pair key={pair.id} pair={pair} name={parts.find(({ id }) => id === pair.id)} />
      ))}
    </div>
  );
}

function Names({ title, list }: { readonly title: string; readonly list: readonly ArticleName[] }): ReactNode {
  if (list.length === 0) return null;
  return (
    <section>
      <h3 className="grp-title">
        {title} · {list.length}
      </h3>
      <p>
        {list.map((one) => (
          <span key={one.id} className="chip">
            {visibleText(headingOf(one))}
          </span>
        ))}
      </p>
    </section>
  );
}

function Pair({ pair: { id, redline }, name }: { readonly pair: ArticlePair; readonly name: OutlinePart | undefined }): ReactNode {
  return (
    <article className="pair">
      <h4 className="b">{visibleText(name ? headingOf(name) : id)}</h4>
      <p className="law">
        {redline.map(({ kind, text }, index) => {
          const Mark = ({ same: 'span', deleted: 'del', inserted: 'ins' } as const)[kind];
          return <Mark key={`${index} ${kind}`}>{visibleText(text)}</Mark>;
        })}
      </p>
    </article>
  );
}

const headingOf = ({ label, title }: Pick<ArticleName, 'label' | 'title'>): string => (title ? `${label}(${title})` : label);

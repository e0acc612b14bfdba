import { type ReactNode, useEffect, useState } from 'react';
import type { ArticleName, ArticlePair, ContractComparison } from '../../contracts/compare/compare-contracts.ts';
import type { ApiFailure } from '../../server/client/api-failure.ts';
import { toFailure } from '../api/to-failure.ts';
import type { ShownPart } from '../model/shown-part.ts';
import { visibleText } from '../model/visible-text.ts';
import { useStudio, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';

interface CompareProps {
  readonly documentId: string;
  /** Parts of the document, which the pairs refer to by id. */
  readonly parts: readonly ShownPart[];
}

/** Comparison of a contract with the standard one: missing articles, additional ones and changed words. */
export function Compare({ documentId, parts }: CompareProps): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const [found, setFound] = useState<ContractComparison>();
  const [trouble, setTrouble] = useState<ApiFailure>();
  useEffect(() => {
    void studio.api
      .compareDocument({ params: { id: documentId }, query: { with: 'standard' } })
      .then(setFound, (cause: unknown) => setTrouble(toFailure(cause)));
  }, [studio, documentId]);
  if (trouble) return <Trouble error={trouble} />;
  if (!found) return <p className="quiet">{say.reading}</p>;
  const changed = found.pairs.filter(({ difference }) => difference === 'changed');
  return (
    <div className="redline">
      <Names title={say.missingHere} list={found.missing} />
      <Names title={say.onlyHere} list={found.added} />
      <h3 className="grp-title">
        {say.changed} · {changed.length}
      </h3>
      {changed.map((pair) => (
        <Pair key={pair.userId} pair={pair} name={parts.find(({ id }) => id === pair.userId)} />
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

function Pair({ pair: { userId, redline = [] }, name }: { readonly pair: ArticlePair; readonly name: ShownPart | undefined }): ReactNode {
  return (
    <article className="pair">
      <h4 className="b">{visibleText(name ? headingOf(name) : userId)}</h4>
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

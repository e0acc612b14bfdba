import { type ReactNode, useEffect, useState } from 'react';
import type { Json, JsonObject } from '../../ports/json.ts';
import { asObject } from '../../util/as-object.ts';
import { type ApiError, toApiError } from '../api/api-error.ts';
import { visibleText } from '../model/visible-text.ts';
import { useStudio, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';

/** What differs between a contract and the standard one: missing articles, own ones, and changed words. */
export function Compare({ documentId }: { readonly documentId: string }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const [found, setFound] = useState<JsonObject>();
  const [trouble, setTrouble] = useState<ApiError>();
  useEffect(() => {
    void studio.api.compare(documentId, 'standard').then(
      (value) => setFound(asObject(value)),
      (cause: unknown) => setTrouble(toApiError(cause)),
    );
  }, [studio, documentId]);
  if (trouble) return <Trouble error={trouble} />;
  if (!found) return <p className="quiet">{say.reading}</p>;
  const changes = [...listIn(found, 'changes'), ...listIn(found, 'changed'), ...listIn(found, 'pairs'), ...listIn(found, 'matched')];
  return (
    <div className="redline">
      <Names title={say.missingHere} list={listIn(found, 'missing')} />
      <Names title={say.onlyHere} list={[...listIn(found, 'added'), ...listIn(found, 'additional'), ...listIn(found, 'extra')]} />
      <h3 className="grp-title">{say.changed}</h3>
      {changes.map((change, index) => (
        <Pair key={String(index)} change={change} />
      ))}
    </div>
  );
}

function Names({ title, list }: { readonly title: string; readonly list: readonly JsonObject[] }): ReactNode {
  if (list.length === 0) return null;
  return (
    <section>
      <h3 className="grp-title">
        {title} · {list.length}
      </h3>
      <p>
        {list.map((one, index) => (
          <span key={String(index)} className="chip">
            {visibleText([one.label, one.title].filter(Boolean).join(' '))}
          </span>
        ))}
      </p>
    </section>
  );
}

function Pair({ change }: { readonly change: JsonObject }): ReactNode {
  const [before, after] = [
    asObject(change.standard ?? change.before ?? change.base),
    asObject(change.user ?? change.after ?? change.article ?? change.contract),
  ];
  const diff = change.diff ?? change.words ?? change.pieces ?? change.redline;
  return (
    <article className="pair">
      <h4 className="b">
        {visibleText([after.label ?? before.label, after.title ?? before.title].filter((one) => typeof one === 'string').join(' '))}
      </h4>
      {Array.isArray(diff) ? (
        <p className="law">
          {diff.map((piece, index) => (
            <Piece key={String(index)} piece={piece} />
          ))}
        </p>
      ) : (
        <div className="sides">
          <p className="law off">{visibleText(String(before.text ?? ''))}</p>
          <p className="law">{visibleText(String(after.text ?? ''))}</p>
        </div>
      )}
    </article>
  );
}

function Piece({ piece }: { readonly piece: Json }): ReactNode {
  const { text, kind, type, op } = asObject(piece);
  const what = String(kind ?? type ?? op ?? '');
  const shown = visibleText(String(text ?? (typeof piece === 'string' ? piece : '')));
  if (/^(?:add|ins|new|added|inserted|\+)/.test(what)) return <ins>{shown}</ins>;
  return /^(?:rem|del|old|gone|cut|-)/.test(what) ? <del>{shown}</del> : shown;
}

const listIn = (value: JsonObject, name: string): readonly JsonObject[] => {
  const list = value[name];
  return Array.isArray(list) ? list.map(asObject) : [];
};

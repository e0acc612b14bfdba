import { type FormEvent, type ReactNode, useState } from 'react';
import { parseContract } from '../../contracts/parse/parse-contract.ts';
import type { ContractReview } from '../../contracts/review/contract-review.ts';
import { reviewContract } from '../../contracts/review/review-contract.ts';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { ApiFailure } from '../../server/client/api-failure.ts';
import { toFailure } from '../api/to-failure.ts';
import { documentName } from '../model/document-name.ts';
import { visibleText } from '../model/visible-text.ts';
import { Icon } from './icon.tsx';
import { ReviewReport } from './review-report.tsx';
import { useLanguage, useStudio, useStudioState, useWords } from './studio-context.tsx';
import { Foot } from './threads.tsx';
import { Trouble } from './trouble.tsx';
import { columnClass, useUi } from './ui-state.tsx';
import { Upload } from './upload.tsx';
import '../styles/evals.css';
import '../styles/review.css';

interface Reviewed {
  readonly name: string;
  readonly text: string;
  readonly as?: string;
}

/** Reviews a contract by rules, in the browser. */
// biome-ignore lint/style/noDefaultExport: React loads the default export of a lazy part
export default function Review(): ReactNode {
  const say = useWords();
  const language = useLanguage();
  const studio = useStudio();
  const { ui, change } = useUi();
  const [text, setText] = useState('');
  const [reviewed, setReviewed] = useState<Reviewed>();
  const [failure, setFailure] = useState<ApiFailure>();
  const { review, trouble } = reviewed === undefined ? {} : reviewOf(reviewed, language);
  const problem = failure ?? trouble;
  const show = (next: Reviewed): void => {
    setFailure(undefined);
    setReviewed(next);
    change({ column: 'talk' });
  };
  const open = async (id: string): Promise<void> => {
    try {
      const document = await studio.api.getDocument({ params: { id } });
      show({ name: document.name, text: document.text ?? '' });
    } catch (cause) {
      setFailure(toFailure(cause));
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    show({ name: say.reviewText, text });
  };
  return (
    <>
      <Form text={text} onText={setText} onSubmit={submit} onOpen={(id) => void open(id)} />
      <section className={`${columnClass(ui, 'talk')} wide`} aria-label={say.reviewNow}>
        <div className="head">
          <button type="button" className="ib back" aria-label={say.contractReview} onClick={() => change({ column: 'threads' })}>
            <Icon name="left" />
          </button>
          <h2 className="b grow cut">{review ? visibleText(review.title) : say.contractReview}</h2>
        </div>
        {problem ? (
          <div className="pad">
            <Trouble error={problem} />
          </div>
        ) : review && reviewed ? (
          <ReviewReport
            review={review}
            onSide={(as) => setReviewed({ name: reviewed.name, text: reviewed.text, ...(as === undefined ? {} : { as }) })}
          />
        ) : (
          <p className="quiet">{say.reviewHint}</p>
        )}
      </section>
    </>
  );
}

interface FormProps {
  readonly text: string;
  onText(text: string): void;
  onSubmit(event: FormEvent): void;
  onOpen(documentId: string): void;
}

/** The text to review, and the uploaded documents. */
function Form({ text, onText, onSubmit, onOpen }: FormProps): ReactNode {
  const say = useWords();
  const { ui } = useUi();
  const documents = useStudioState((state) => state.documents);
  return (
    <nav className={columnClass(ui, 'threads')} aria-label={say.contractReview}>
      <div className="head">
        <a className="ib" href="#/" aria-label={say.threads} title={say.threads}>
          <Icon name="left" />
        </a>
        <h1 className="b grow">{say.contractReview}</h1>
      </div>
      <form className="review-form pad" onSubmit={onSubmit}>
        <p className="t2 sm">{say.reviewHint}</p>
        <label>
          <span className="sm">{say.reviewText}</span>
          <textarea value={text} rows={12} spellCheck={false} onChange={(event) => onText(event.target.value)} />
        </label>
        <button type="submit" className="btn p" disabled={text.trim() === ''}>
          {say.reviewNow}
        </button>
        <Upload />
        {documents.length === 0 ? null : (
          <ul className="review-documents" aria-label={say.reviewOf}>
            {documents.map((document) => (
              <li key={document.id}>
                <button type="button" className="btn small" onClick={() => onOpen(document.id)}>
                  {say.reviewNow}: {documentName(document)}
                </button>
              </li>
            ))}
          </ul>
        )}
      </form>
      <Foot />
    </nav>
  );
}

function reviewOf(
  { name, text, as }: Reviewed,
  language: 'en' | 'ko',
): { readonly review?: ContractReview; readonly trouble?: Pick<WorkflowError, 'code' | 'message' | 'hint'> } {
  try {
    const today = new Date();
    const date = [today.getFullYear(), today.getMonth() + 1, today.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
    return { review: reviewContract(parseContract({ name, text }), { language, today: date, ...(as === undefined ? {} : { as }) }) };
  } catch (cause) {
    if (!WorkflowError.isInstance(cause)) throw cause;
    const { code, message, hint } = cause;
    return { trouble: { code, message, hint } };
  }
}

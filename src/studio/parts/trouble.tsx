import type { ReactNode } from 'react';
import { visibleText } from '../model/visible-text.ts';

/** An error with its code and the next step. */
export function Trouble({
  error,
  children,
}: {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string | undefined };
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className="failed" role="alert">
      <p>
        <code className="rd">{visibleText(error.code)}</code> {visibleText(error.message)}
      </p>
      {error.hint ? <p className="t2">{visibleText(error.hint)}</p> : null}
      {children ? <div className="acts">{children}</div> : null}
    </div>
  );
}

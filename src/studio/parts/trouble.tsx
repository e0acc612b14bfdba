import type { ReactNode } from 'react';

/** What went wrong, by its code, with the next step. */
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
        <code className="rd">{error.code}</code> {error.message}
      </p>
      {error.hint ? <p className="t2">{error.hint}</p> : null}
      {children ? <div className="acts">{children}</div> : null}
    </div>
  );
}

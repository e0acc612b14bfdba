import { Component, type ErrorInfo, type ReactNode } from 'react';
import { errorDetails } from '../model/error-details.ts';
import { CopyButton } from './copy-button.tsx';
import { useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Name of the panel in the details, for a bug report. */
  readonly panel: string;
  /** Classes of the panel, which preserve the page's layout. */
  readonly className?: string;
  /** The panel renders again when this changes. */
  readonly resetOn?: unknown;
}

interface ErrorState {
  readonly error?: unknown;
  readonly stack?: string;
  readonly failed: boolean;
}

/** Limits an error to one panel; the rest of the page stays usable. React requires a class for this. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorState> {
  override state: ErrorState = { failed: false };

  static getDerivedStateFromError(error: unknown): ErrorState {
    return { error, failed: true };
  }

  override componentDidCatch(_error: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ stack: componentStack ?? '' });
  }

  override componentDidUpdate({ resetOn }: ErrorBoundaryProps): void {
    if (this.state.failed && resetOn !== this.props.resetOn) this.setState({ failed: false });
  }

  override render(): ReactNode {
    const { panel, className = '', children } = this.props;
    const { failed, error, stack } = this.state;
    if (!failed) return children;
    return (
      <div className={`crashed ${className}`}>
        <CrashReport
          details={() => errorDetails({ panel, error, stack: stack ?? '', address: location.href, browser: navigator.userAgent })}
        />
      </div>
    );
  }
}

function CrashReport({ details }: { details(): string }): ReactNode {
  const say = useWords();
  return (
    <Trouble error={{ code: 'PAGE_ERROR', message: say.crashed, hint: say.crashedHint }}>
      <button type="button" className="btn" data-act="reload" onClick={() => location.reload()}>
        {say.reload}
      </button>
      <CopyButton label={say.copyDetails} text={async () => details()} />
    </Trouble>
  );
}

import { CommanderError } from 'commander';
import { WorkflowError } from '../core/errors/errors.ts';
import { messageOf } from '../core/errors/message-of.ts';
import { redactSecrets } from '../core/errors/redact-secrets.ts';
import { hasCode } from '../core/util/has-code.ts';
import { type HintContext, hintOf } from './error-hints.ts';
import { exitCodes } from './exit-codes.ts';
import { programName } from './program-name.ts';
import { isVerbose, stackOf } from './stack-of.ts';
import { breakAt, escapeControls, paint, print, printableJson, wrap } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/**
 * Reports the error that ended a command: on standard error, or with `--json` as one line of JSON on standard output. Returns the exit
 * code.
 */
export function reportError(error: unknown, json: boolean, context: HintContext): number {
  const exitCode = exitCodeOfError(error, context);
  if (exitCode === exitCodes.done) return exitCode; // commander throws errors for --help and --version
  const said = describeFailure(error, context);
  if (json) {
    print(printableJson({ type: 'error', ...said, exitCode }));
    return exitCode;
  }
  if (error instanceof CommanderError) return exitCode; // commander has already printed it
  if (error instanceof UsageError) process.stderr.write(`${escapeControls(error.message)}\n`);
  else if (!WorkflowError.isInstance(error)) process.stderr.write(`${stackOf(error)}\n`);
  else {
    const columns = breakAt(process.stderr);
    const lines = wrap(`${paint('red', '✗')} ${error.code}: ${escapeControls(error.message)}`, columns, 2);
    // do not wrap commands, so that they can be copied
    const hint = said.hint.includes(programName()) ? [said.hint] : wrap(said.hint, columns - 2);
    const hints = hint.filter((line) => line !== '').map((line) => paint('dim', `  ${escapeControls(line)}`));
    const more = paint('dim', `  More: ${programName()} explain ${[error.code, ...lintCodesIn(error)].join(' ')}`);
    process.stderr.write(`${[...lines, ...hints, more, ...(isVerbose() ? [stackOf(error)] : [])].join('\n')}\n`);
  }
  return exitCode;
}

const fileCodes = ['DOCUMENT_INVALID', 'INPUT_INVALID', 'FILE_NOT_FOUND', 'FILE_NOT_REGULAR', 'FILE_NOT_TEXT', 'FILE_TOO_LARGE'] as const;

function exitCodeOfError(error: unknown, { checksFiles = false }: HintContext): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof UsageError) return exitCodes.usage;
  if (checksFiles && hasCode(error, ...fileCodes)) return exitCodes.usage;
  return hasCode(error, 'ID_INVALID', 'OPTION_INVALID', 'CASES_INVALID', 'CASSETTE_INVALID') ? exitCodes.usage : exitCodes.failed;
}

function describeFailure(error: unknown, context: HintContext): { readonly code: string; readonly message: string; readonly hint: string } {
  if (WorkflowError.isInstance(error)) return { code: error.code, message: error.message, hint: hintOf(error, context) };
  const message = redactSecrets(messageOf(error));
  if (error instanceof UsageError) return { code: 'USAGE', message, hint: '' };
  if (error instanceof CommanderError) {
    return { code: 'USAGE', message: message.replace(/^error: /, ''), hint: context.help ?? `Try: ${programName()} --help` };
  }
  return { code: 'UNKNOWN', message, hint: '' };
}

const lintCodesIn = ({ code, message }: WorkflowError): readonly string[] =>
  code === 'WORKFLOW_INVALID' ? [...new Set([...message.matchAll(/^ +([A-Z]+(?:_[A-Z]+)+) /gm)].map(([, issue = '']) => issue))] : [];

import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import { entryTooLarge } from '../../engine/store/store-errors.ts';
import { sqlStateOf } from './database/postgres-trouble.ts';

/** Converts an error of the server or of `pg`. */
export function postgresError(place: string, schema: string, cause: unknown): WorkflowError {
  const state = sqlStateOf(cause);
  // a table or column is missing, or belongs to another program
  if (/^42(?:P01|P07|703|704|710)$/.test(state)) {
    return new WorkflowError({
      code: 'STORE_VERSION',
      message: `The schema ${schema} of the database ${place} does not have the tables of a store: ${messageOf(cause)}.`,
      hint: 'Use another schema. The store creates its tables there.',
      data: { schema },
      cause,
    });
  }
  if (state === '54000') return entryTooLarge(place, cause);
  if (state === '26000' || state === '42P05') {
    const hint = 'Pass pooler: true if a pooler shares connections between clients.';
    return new WorkflowError({
      code: 'STORE_UNAVAILABLE',
      message: `The database ${place} has lost a prepared statement.`,
      hint,
      retryable: true,
      cause,
    });
  }
  return unavailable(place, cause);
}

const unavailable = (place: string, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'STORE_UNAVAILABLE',
    message: `The database ${place} cannot be used: ${messageOf(cause)}.`,
    hint: 'Check the server, its address, the password and the rights of its user. Nothing that was committed is lost.',
    retryable: true,
    data: { server: true },
    cause,
  });

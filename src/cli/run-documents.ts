import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { messageOf } from '../core/errors/message-of.ts';
import { readRegularFile, withOpenFile } from '../core/node/files/read-regular-file.ts';
import { systemCode } from '../core/node/files/system-code.ts';
import { resultStatus } from '../core/ports/run-store.ts';
import { WorkflowError } from '../index.ts';
import { exportRun, importRun } from '../stores/index.ts';
import { checkRunDocument } from '../stores/upkeep/check-run-document.ts';
import { databaseMayExist, openStore, shownDatabase } from './database.ts';
import { commandLine } from './error-hints.ts';
import { type CommonFlags, dbFlag } from './flags.ts';
import { createOpenResources, type OpenResources } from './open-resources.ts';
import { escapeControls, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface ExportFlags extends CommonFlags {
  readonly out?: string;
  readonly snapshot?: boolean;
}

/** Maximum size of a document in bytes, far above that of any run. */
const maxBytes = 1_000_000_000;

/** Writes a run as one JSON document, to a new file or to standard output. */
export async function exportToFile(runId: string, flags: ExportFlags): Promise<void> {
  const { db, out, snapshot = false, json = false } = flags;
  if (!databaseMayExist(db))
    throw new WorkflowError({
      code: 'RUN_UNKNOWN',
      message: `There is no run ${runId}, because there is no database ${shownDatabase(db)}.`,
    });
  await withOpened(async (opened) => {
    const document = await exportRun(await openStore(db, opened), runId, { snapshot });
    const { record } = document;
    if (out === undefined) print(printableJson(document));
    else await writeNew(out, `${JSON.stringify(document)}\n`);
    if (out !== undefined && json) {
      print(printableJson({ type: 'exported', runId, status: resultStatus(record), file: out, snapshot: document.snapshot === true }));
      return;
    }
    const ended = record.status === 'done' || record.status === 'cancelled';
    const lines = [
      `Exported ${runId} (${resultStatus(record)}).`,
      ...(document.snapshot ? ['The run is in progress here. The document has its state at this moment.'] : []),
      ...(ended
        ? []
        : [
            `An import elsewhere makes a second copy. To end this one: ${commandLine(`cancel ${runId}`, dbFlag(flags))}`,
            'While both copies run, a call that may happen only once happens in each.',
          ]),
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
  });
}

/** Imports the run of a document, from a file or from standard input (`-`). */
export async function importFromFile(file: string, flags: CommonFlags): Promise<void> {
  // checked before a database is created
  const document = await checkRunDocument(file === '-' ? await text(process.stdin) : await readDocument(file));
  await withOpened(async (opened) => {
    const { record, isNew, isSnapshot } = await importRun(await openStore(flags.db, opened), document);
    const { id, status, threadId } = record;
    if (flags.json) {
      print(
        printableJson({
          type: 'imported',
          runId: id,
          status: resultStatus(record),
          ...(threadId === undefined ? {} : { threadId }),
          isNew,
          isSnapshot,
        }),
      );
      return;
    }
    const place = escapeControls(shownDatabase(flags.db));
    const lines = [
      isNew ? `Imported ${id} (${resultStatus(record)}) into ${place}.` : `${place} already has the same run ${id}. Nothing was written.`,
      ...(isSnapshot ? ['It was exported while in progress. The original may have continued.'] : []),
      nextStep(id, status, dbFlag(flags)),
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
  });
}

function nextStep(runId: string, status: string, db: string): string {
  if (status === 'running' || status === 'queued') return `A worker resumes it: ${commandLine('work', db)}`;
  if (status === 'done' || status === 'cancelled') return `See it: ${commandLine(`show ${runId}`, db)}`;
  return `Resume it: ${commandLine(`resume ${runId}`, db)}`;
}

/** Readable by the owner only: the file contains the run's data. */
async function writeNew(path: string, content: string): Promise<void> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') throw new UsageError(`The file ${path} exists already and is not overwritten.`);
    throw new UsageError(`${path} cannot be written: ${messageOf(cause)}`);
  }
}

async function readDocument(path: string): Promise<string> {
  try {
    const file = await withOpenFile(path, (opened) => readRegularFile(opened, { maxBytes }));
    if (file.kind === 'read') return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes);
    throw new UsageError(
      file.kind === 'large' ? `${path} is larger than any run.` : `${path} is not a file. Use \`-\` for standard input.`,
    );
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${path} cannot be read: ${messageOf(cause)}`);
  }
}

async function withOpened(work: (opened: OpenResources) => Promise<void>): Promise<void> {
  const opened = createOpenResources();
  try {
    await work(opened);
  } finally {
    await opened.close();
  }
}

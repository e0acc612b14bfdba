import { type BigIntStats, readdirSync, readlinkSync, statSync } from 'node:fs';
import type { SqliteConnection } from '../../core/node/sqlite/sqlite-connection.ts';

interface NamedFile {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
  /** Link to the open descriptor of this process, by which the current file name can be read. Absent on other systems. */
  readonly link?: string | undefined;
}

/** Linux only. */
const ownFiles = '/proc/self/fd';

/**
 * Files of an open database, as found when it was opened. Detects a file that was deleted or replaced. The process would write to the old
 * file without an error, and lose all later commits.
 */
export class WatchedFile {
  readonly #files: readonly NamedFile[];

  private constructor(files: readonly NamedFile[]) {
    this.#files = files;
  }

  /** Returns `undefined` for an in-memory database. */
  static of(db: SqliteConnection): WatchedFile | undefined {
    // SQLite's path is absolute and without symbolic links; the log is next to it
    const main = db.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'").get() as { readonly file?: unknown } | undefined;
    const path = main?.file;
    if (typeof path !== 'string' || path === '') return undefined;
    return new WatchedFile([path, `${path}-wal`].flatMap(name));
  }

  /** Describes the change if the files are no longer the ones that were opened. */
  change(): string | undefined {
    // Decision 47: checked after each commit, because writes to a deleted file succeed.
    for (const { path, device, inode, link } of this.#files) {
      // Decision 151: `stat` reads the file's times, which forces the next write to write them, too. A commit then takes 50 % longer.
      if (link !== undefined && nameOf(link) === path) continue;
      const found = statOf(path);
      if (!found) return `has lost ${path}`;
      if (found.dev !== device || found.ino !== inode) return `has a different file at ${path}`;
    }
    return undefined;
  }
}

const statOf = (path: string): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false });

/** Current name of an open file. Differs from the original after a deletion or replacement. */
function nameOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // the descriptor is closed, or belongs to another system
  }
}

/** Returns an empty array if the file is missing: a file system without shared memory has no log. */
function name(path: string): readonly NamedFile[] {
  const found = statOf(path);
  return found ? [{ path, device: found.dev, inode: found.ino, link: linkOf(path) }] : [];
}

/** Returns a link only if exactly one descriptor has the file open. A descriptor of other code may later belong to another file. */
function linkOf(path: string): string | undefined {
  try {
    const links = readdirSync(ownFiles).map((descriptor) => `${ownFiles}/${descriptor}`);
    const [link, ...others] = links.filter((each) => nameOf(each) === path);
    return others.length === 0 ? link : undefined;
  } catch {
    return undefined; // not Linux
  }
}

import { type BigIntStats, statSync } from 'node:fs';
import type { SqliteConnection } from '../sqlite/sqlite-connection.ts';

/** A file under its name. */
interface NamedFile {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}

/**
 * The files of an open database, as they were when it was opened. A process goes on writing to a file that was deleted or replaced under
 * it, and nobody will ever read that.
 */
export class OpenFile {
  readonly #files: readonly NamedFile[];

  private constructor(files: readonly NamedFile[]) {
    this.#files = files;
  }

  /** `undefined` for a database in memory. */
  static of(db: SqliteConnection): OpenFile | undefined {
    // SQLite's own name of it: absolute, and without symbolic links, beside which it has its log
    const main = db.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'").get() as { readonly file?: unknown } | undefined;
    const path = main?.file;
    if (typeof path !== 'string' || path === '') return undefined;
    return new OpenFile([path, `${path}-wal`].flatMap(name));
  }

  /** What has become of them, when they are not the ones that were opened any more. */
  change(): string | undefined {
    for (const { path, device, inode } of this.#files) {
      const found = look(path);
      if (!found) return `has lost ${path}`;
      if (found.dev !== device || found.ino !== inode) return `has another file as ${path} than before`;
    }
    return undefined;
  }
}

const look = (path: string): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false });

/** A file system that cannot share memory has no log. */
function name(path: string): readonly NamedFile[] {
  const found = look(path);
  return found ? [{ path, device: found.dev, inode: found.ino }] : [];
}

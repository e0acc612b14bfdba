import { type BigIntStats, readdirSync, readlinkSync, statSync } from 'node:fs';
import type { SqliteConnection } from '../sqlite/sqlite-connection.ts';

/** A file under its name. */
interface NamedFile {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
  /** Where the system says under which name this process has it open; absent where it does not. */
  readonly link?: string | undefined;
}

/** Of Linux. */
const ownFiles = '/proc/self/fd';

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
    for (const { path, device, inode, link } of this.#files) {
      // Asking for a file's times makes the next write to it write those, too: a commit that is looked after in that way takes half as long again.
      if (link !== undefined && nameOf(link) === path) continue;
      const found = look(path);
      if (!found) return `has lost ${path}`;
      if (found.dev !== device || found.ino !== inode) return `has another file as ${path} than before`;
    }
    return undefined;
  }
}

const look = (path: string): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false });

/** The name under which an open file stands now; of one that was deleted or replaced it is another one. */
function nameOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // closed, or of another system
  }
}

/** A file system that cannot share memory has no log. */
function name(path: string): readonly NamedFile[] {
  const found = look(path);
  return found ? [{ path, device: found.dev, inode: found.ino, link: linkOf(path) }] : [];
}

/** Only when there is one: a number of somebody else's may be another file's later. */
function linkOf(path: string): string | undefined {
  try {
    const links = readdirSync(ownFiles).map((descriptor) => `${ownFiles}/${descriptor}`);
    const [link, ...others] = links.filter((each) => nameOf(each) === path);
    return others.length === 0 ? link : undefined;
  } catch {
    return undefined; // another system
  }
}

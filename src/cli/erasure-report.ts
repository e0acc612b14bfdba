import { isPostgresAddress } from '../core/util/postgres-address.ts';

/** State of a thread's text in one place after `db forget`. */
export interface ErasedPlace {
  readonly place: 'runs' | 'memories' | 'index' | 'uploads' | 'exports';
  readonly erased: 'bytes gone' | 'rows only' | 'not touched';
  readonly because?: string;
}

/** Store of memories that a command has removed. */
export type MemoryPlace = 'sqlite' | 'chroma';

const postgres = 'PostgreSQL keeps removed rows until VACUUM, and in its write-ahead log and backups';
const chroma =
  "Chroma keeps removed text in its file's free pages, and vectors in its graph; stop the server and run `chroma vacuum --path FOLDER`, which clears the text";

/** Lists every place that may contain text of a removed thread. */
export function erasureReport(db: string, memories: ReadonlySet<MemoryPlace>): readonly ErasedPlace[] {
  return [
    isPostgresAddress(db) ? { place: 'runs', erased: 'rows only', because: postgres } : { place: 'runs', erased: 'bytes gone' },
    memoriesErased(memories),
    { place: 'index', erased: 'not touched', because: 'indexes of documents belong to no thread' },
    { place: 'uploads', erased: 'not touched', because: 'uploaded documents belong to no thread' },
    { place: 'exports', erased: 'not touched', because: 'paths of exported files are not recorded' },
  ];
}

function memoriesErased(memories: ReadonlySet<MemoryPlace>): ErasedPlace {
  if (memories.has('chroma')) return { place: 'memories', erased: 'rows only', because: chroma };
  if (memories.has('sqlite')) return { place: 'memories', erased: 'bytes gone' };
  return { place: 'memories', erased: 'not touched', because: 'its runs name no memory that exists' };
}

import { isPostgresAddress } from '../util/postgres-address.ts';

/** State of a thread's text in one place after `db forget`. */
export interface ErasedPlace {
  readonly place: 'runs' | 'memories' | 'index' | 'uploads' | 'exports';
  readonly erased: 'bytes gone' | 'rows only' | 'not touched';
  readonly because?: string;
}

const postgres = 'PostgreSQL keeps removed rows until VACUUM, and in its write-ahead log and backups';
const sqlite = 'SQLite may keep copies of moved rows in its pages until VACUUM';
const chroma =
  'Chroma keeps removed text in its write-ahead log and free pages; stop the server and run `chroma vacuum --path FOLDER`, which may leave text and vectors';

/** Lists every place that may hold text of a removed thread. */
export function erasureReport(db: string, memoryStores: ReadonlySet<string>): readonly ErasedPlace[] {
  const reasons = [...(memoryStores.has('sqlite') ? [sqlite] : []), ...(memoryStores.has('chroma') ? [chroma] : [])];
  return [
    isPostgresAddress(db) ? { place: 'runs', erased: 'rows only', because: postgres } : { place: 'runs', erased: 'bytes gone' },
    reasons.length > 0
      ? { place: 'memories', erased: 'rows only', because: reasons.join('; ') }
      : { place: 'memories', erased: 'not touched', because: 'no run that was there names a memory' },
    { place: 'index', erased: 'not touched', because: 'indexes of documents belong to no thread' },
    { place: 'uploads', erased: 'not touched', because: 'uploaded documents belong to no thread' },
    { place: 'exports', erased: 'not touched', because: 'paths of exported files are not recorded' },
  ];
}

import type { RunHead } from '../ports/run-storage.ts';
import type { RunStatus, StoreWatch } from '../ports/run-store.ts';
import { PostgresChannel } from '../postgres/postgres-channel.ts';
import type { PostgresDatabase } from '../postgres/postgres-database.ts';
import { hash } from '../util/hash.ts';

export interface PostgresWatch {
  /** Says to all who watch, here and in other processes, how far a run is. */
  readonly tell: (head: RunHead) => void;
  readonly watch: (changed: (head: RunHead | undefined) => void) => StoreWatch;
  close(): Promise<void>;
}

/** Tells of changes by `NOTIFY`, and learns of those of others by `LISTEN`, from the first who watches on. */
export function postgresWatch(database: PostgresDatabase, schema: string): PostgresWatch {
  const watchers = new Set<(head: RunHead | undefined) => void>();
  const tellAll = (head: RunHead | undefined): void => {
    for (const changed of [...watchers]) changed(head);
  };
  const name = `agent_machines_${hash(schema)}`;
  const channel = new PostgresChannel({ database, name, heard: (text) => tellAll(text === undefined ? text : toHead(text)) });
  return {
    tell(head) {
      tellAll(head);
      channel.send(`${head.epoch} ${head.status} ${head.id}`);
    },
    watch(changed) {
      watchers.add(changed);
      channel.listen();
      return {
        get isLive() {
          return channel.isLive;
        },
        stop: () => void watchers.delete(changed),
      };
    },
    close: () => channel.close(),
  };
}

/** What others have sent; all may have changed when it is no such thing, for anybody on the database can send. */
function toHead(text: string): RunHead | undefined {
  const [epoch, status, id] = text.split(' ');
  return id === undefined ? undefined : { id, epoch: Number(epoch), status: status as RunStatus };
}

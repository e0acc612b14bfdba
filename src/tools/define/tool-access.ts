import type { Effect } from '../../core/ports/node-io.ts';
import type { ToolCapabilities } from '../../core/ports/tool.ts';

/**
 * What a tool does with data:
 *
 * - `compute`: works on its arguments and on public constants, such as a calculator or a price list.
 * - `read`: reads data that is not public, such as the own database.
 * - `inbox`: reads data that is not public and holds text of others, such as mail, tickets or uploads.
 * - `search`: asks the outside world, such as a web search. A repeated call does no harm.
 * - `write`: changes the own data once, such as the cancellation of an order.
 * - `send`: changes something outside once, such as a mail or a payment.
 */
export type ToolAccess = 'compute' | 'read' | 'inbox' | 'search' | 'write' | 'send';

interface AccessFacts {
  readonly effect: Effect;
  readonly capabilities: ToolCapabilities;
}

const local: ToolCapabilities = { private: false, untrusted: false, external: false };

/** Effect and capabilities of each access. */
export const accessFacts: Readonly<Record<ToolAccess, AccessFacts>> = {
  compute: { effect: 'pure', capabilities: local },
  read: { effect: 'pure', capabilities: { ...local, private: true } },
  inbox: { effect: 'pure', capabilities: { ...local, private: true, untrusted: true } },
  search: { effect: 'idempotent', capabilities: { ...local, untrusted: true, external: true } },
  write: { effect: 'once', capabilities: local },
  send: { effect: 'once', capabilities: { ...local, external: true } },
};

export const accessHelp: string =
  '"compute" (works on its arguments), "read" (reads data that is not public), "inbox" (reads such data with text of others), ' +
  '"search" (asks the outside world), "write" (changes the own data once) or "send" (changes something outside once)';

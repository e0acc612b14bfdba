import type { Clock } from '../../core/ports/clock.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { localDatetime, machineTimeZone } from '../../core/util/local-datetime.ts';
import { defineTool } from '../define/define-tool.ts';

export interface GetCurrentDatetimeOptions {
  /** Source of the time. Default: the system's clock. */
  readonly clock?: Pick<Clock, 'now'>;
  /** IANA time zone for calls without one. @default that of the run, or else the machine's */
  readonly timeZone?: string;
}

/**
 * The tool `get_current_datetime`: date, time and weekday in a time zone.
 *
 * A call throws `TIME_ZONE_UNKNOWN` for a zone that is not an IANA name.
 *
 * @example getCurrentDatetime({ timeZone: 'Europe/Paris' })
 */
export function getCurrentDatetime({ clock = Date, timeZone }: GetCurrentDatetimeOptions = {}): Tool {
  return defineTool({
    name: 'get_current_datetime',
    description: 'Tells the current date, time and weekday in a time zone.',
    access: 'compute',
    input: objectSchema(
      {
        zone: {
          description: `IANA name of the time zone, for example Europe/Paris. Default: ${timeZone ?? 'the time zone of the run'}.`,
          type: 'string',
        },
      },
      { optional: ['zone'] },
    ),
    async execute({ zone }, { signal, timeZone: ofRun }) {
      signal.throwIfAborted();
      return localDatetime(clock.now(), zone ?? timeZone ?? ofRun ?? machineTimeZone());
    },
  });
}

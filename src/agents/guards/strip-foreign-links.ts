import type { GuardContext, TextGuard } from '../../core/ports/text-guard.ts';
import { filterLinks, type LinkRule, linkFilter, readUrls } from '../../models/foreign-links.ts';
import { areAllowed, checkAllowTargets } from '../../plan/executor/allowed-targets.ts';

export interface StripForeignLinksOptions {
  /** Hosts of images and links that stay: `example.com`, `*.example.com`. @default [] */
  readonly hosts?: readonly string[];
  /** @default 'strip-foreign-links' */
  readonly name?: string;
}

/**
 * Guard that removes images and links to other hosts from answers, because a client that shows an image sends its address there, with
 * whatever the model has put into it. A link also stays if the model has read its URL. In a thread with private data, the shipped agents do
 * this without the guard.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example toolAgent({ model, guards: [stripForeignLinks({ hosts: ['*.example.com'] })] })
 */
export function stripForeignLinks({ hosts = [], name = 'strip-foreign-links' }: StripForeignLinksOptions = {}): TextGuard {
  checkAllowTargets(hosts);
  const rule: LinkRule = { isAllowed: (host) => areAllowed([host], hosts) };
  return {
    name,
    at: ['answer'],
    check(text, context) {
      // a plan needs the URLs that its tools will read
      const kept = context.part === 'inner' ? text : filterLinks(text, rule, sourcesOf(context));
      return kept === text ? { as: 'pass' } : { as: 'mask', text: kept, reason: 'foreign link' };
    },
    stream: (context) => linkFilter(rule, sourcesOf(context)),
  };
}

const sourcesOf = ({ exchange }: GuardContext): readonly string[] => readUrls(exchange?.messages ?? []);

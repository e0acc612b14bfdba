import type { Taint } from '../../core/ports/taint.ts';
import type { AskModelOptions } from '../../models/ask-model.ts';
import { areAllowed } from '../../plan/executor/allowed-targets.ts';

/**
 * Options of `askModel` for an answer: in a thread with private data, images and links to hosts outside `allowTargets` are removed.
 *
 * @example await askModel(model, request, { io, stream: true, ...answerLinks(state.taint, ['*.example.com']) });
 */
export const answerLinks = (taint: Taint, allowTargets: readonly string[]): Pick<AskModelOptions, 'links'> =>
  taint.private ? { links: { isAllowed: (host) => areAllowed([host], allowTargets) } } : {};

import type { Awaitable } from '../../core/ports/run-store.ts';
import type { Metrics } from '../../inspect/metrics/create-metrics.ts';
import type { Calls } from '../api/calls.ts';
import type { RouteName } from '../api/routes.ts';
import type { ServedSpace } from './served-space.ts';
import type { ServerLimits } from './server-limits.ts';
import type { StreamSlots } from './stream-slots.ts';

type InputOf<TName extends RouteName, TPart extends string> = TPart extends keyof Calls[TName]
  ? NonNullable<Calls[TName][TPart]>
  : undefined;

/** An authenticated and parsed request. */
interface RouteRequest<TName extends RouteName> {
  readonly params: InputOf<TName, 'params'>;
  readonly query: InputOf<TName, 'query'>;
  readonly body: InputOf<TName, 'body'>;
  readonly space: ServedSpace;
  readonly request: Request;
  readonly requestId: string;
  readonly streams: StreamSlots;
  readonly limits: ServerLimits;
  /** Metrics of the process, if the server has one tenant. */
  readonly metrics: Metrics | undefined;
}

type AnswerOf<TName extends RouteName> = Calls[TName] extends { readonly answer: infer TAnswer } ? TAnswer : never;

/** Handles a route. The returned value is sent with status 200; a `Reply` sets another status. */
export type RouteHandler<TName extends RouteName> = (
  request: RouteRequest<TName>,
) => Awaitable<AnswerOf<TName> | Reply<AnswerOf<TName>> | Response>;

export type RouteHandlers = { readonly [TName in RouteName]: RouteHandler<TName> };

export class Reply<TAnswer> {
  readonly status: number;
  readonly answer: TAnswer;

  constructor(status: number, answer: TAnswer) {
    this.status = status;
    this.answer = answer;
  }
}

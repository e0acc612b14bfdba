import type { RouteHandlers } from '../http/route-handler.ts';
import { libraryRoutes } from './library-routes.ts';
import { runRoutes } from './run-routes.ts';
import { serviceRoutes } from './service-routes.ts';
import { threadRoutes } from './thread-routes.ts';
import { workflowRoutes } from './workflow-routes.ts';

/** Handlers of all routes. */
export const handlers: RouteHandlers = { ...workflowRoutes, ...runRoutes, ...threadRoutes, ...libraryRoutes, ...serviceRoutes };

/** Where each call of the API goes: what the server listens to, the client asks, and the OpenAPI document tells. */
export const routes = {
  listWorkflows: { method: 'GET', path: '/api/workflows' },
  getWorkflow: { method: 'GET', path: '/api/workflows/:id' },
  getDrawing: { method: 'GET', path: '/api/workflows/:id/drawing' },
  startRun: { method: 'POST', path: '/api/runs' },
  listRuns: { method: 'GET', path: '/api/runs' },
  listWaiting: { method: 'GET', path: '/api/runs/waiting' },
  getRun: { method: 'GET', path: '/api/runs/:id' },
  streamEvents: { method: 'GET', path: '/api/runs/:id/events' },
  getJournal: { method: 'GET', path: '/api/runs/:id/journal' },
  answerRun: { method: 'POST', path: '/api/runs/:id/answer' },
  resolveCall: { method: 'POST', path: '/api/runs/:id/resolve' },
  cancelRun: { method: 'POST', path: '/api/runs/:id/cancel' },
  resumeRun: { method: 'POST', path: '/api/runs/:id/resume' },
  pauseRun: { method: 'POST', path: '/api/runs/:id/pause' },
  forkRun: { method: 'POST', path: '/api/runs/:id/fork' },
  listThreads: { method: 'GET', path: '/api/threads' },
  getThread: { method: 'GET', path: '/api/threads/:id' },
} as const;

export type RouteName = keyof typeof routes;

import { agentServer } from '../../../src/server.ts';

// POST /api/runs starts a run, GET /api/runs/ID/events streams it, POST /api/runs/ID/answer answers its question
const handle = async (request: Request): Promise<Response> => agentServer().fetch(request);

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST };

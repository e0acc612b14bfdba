import { WorkflowError } from '../../core/errors/errors.ts';
import type { LongTermMemory } from '../../core/ports/long-term-memory.ts';
import type { Tool } from '../../core/ports/tool.ts';
import type { ToolSummary } from '../api/calls.ts';
import type { DocumentShelf } from '../http/document-library.ts';
import { checkMediaType, readBody } from '../http/read-body.ts';
import { Refusal, requestInvalid } from '../http/refusal.ts';
import { Reply, type RouteHandlers } from '../http/route-handler.ts';
import type { ServedSpace } from '../http/served-space.ts';

/** User of the memories when the request names none. */
const defaultUser = 'local';
const maxNameChars = 200;

type LibraryRoutes = Pick<
  RouteHandlers,
  | 'listDocuments'
  | 'addDocument'
  | 'getDocument'
  | 'compareDocument'
  | 'deleteDocument'
  | 'listEvals'
  | 'getEval'
  | 'listMemories'
  | 'exportMemories'
  | 'forgetMemories'
  | 'forgetMemory'
  | 'releaseMemory'
  | 'listTools'
  | 'getModel'
>;

/** Routes for documents, evals, memories, tools and the model. */
export const libraryRoutes: LibraryRoutes = {
  listDocuments: async ({ space }) => (await space.documents?.list()) ?? [],
  async addDocument({ space, request, limits }) {
    const file = await fileOf(request, limits.uploadBytes, limits.bodyMs, space);
    const shelf = shelfOf(space);
    return new Reply(201, await space.room.adding(shelf, file.bytes.length, () => shelf.add(file)));
  },
  getDocument: async ({ params, space }) => (await space.documents?.get(params.id)) ?? documentUnknown(),
  compareDocument: async ({ params, query, space }) =>
    (await space.documents?.compare(params.id, query.with ?? 'standard')) ?? documentUnknown(),
  async deleteDocument({ params, space }) {
    if (!(await space.documents?.remove(params.id))) documentUnknown();
    return { deleted: 1 };
  },
  async listEvals({ query: { limit }, space: { evals } }) {
    const list = limit === 0 ? noEvals : ((await evals?.list()) ?? noEvals);
    return { available: evals !== undefined, ...list, evals: list.evals.slice(0, limit) };
  },
  getEval: async ({ params, space }) => (await space.evals?.get(params.id)) ?? notHere('eval', 'GET /api/evals'),
  async listMemories({ query: { user = defaultUser, q }, space }) {
    const memories = await memoriesOf(space);
    return { memories: q === undefined ? await memories.list(user) : await memories.search(user, q, { limit: 20, includeHeld: true }) };
  },
  exportMemories: async ({ query: { user = defaultUser }, space }) => (await memoriesOf(space)).export(user),
  forgetMemories: async ({ query, space }) => ({ deleted: await (await memoriesOf(space)).forget(query.user, 'all') }),
  forgetMemory: async ({ params, query: { user = defaultUser }, space }) => ({
    deleted: await (await memoriesOf(space)).forget(user, [params.id]),
  }),
  releaseMemory: async ({ params, query: { user = defaultUser }, space }) => ({
    released: await (await memoriesOf(space)).release(user, [params.id]),
  }),
  listTools: async ({ space }) => ((await space.tools?.()) ?? []).map(toToolSummary),
  async getModel({ space: { model, workflows } }) {
    if (model) return model();
    const name = workflows.find(({ workflow }) => workflow.model !== undefined)?.workflow.model;
    return { ...(name === undefined ? {} : { name }), offline: name === undefined };
  },
};

const noEvals = { evals: [], refused: [] };

const shelfOf = ({ documents }: ServedSpace): DocumentShelf => {
  if (documents) return documents;
  throw new Refusal({ status: 404, code: 'NOT_FOUND', message: 'This server does not store documents.' });
};

async function memoriesOf({ memories }: ServedSpace): Promise<LongTermMemory> {
  if (memories) return memories();
  throw new Refusal({ status: 404, code: 'NOT_FOUND', message: 'This server does not store memories of users.' });
}

const documentUnknown = (): never => notHere('document', 'GET /api/documents');

function notHere(what: string, list: string): never {
  throw new WorkflowError({ code: 'FILE_NOT_FOUND', message: `There is no such ${what} here.`, hint: `List them with ${list}.` });
}

async function fileOf(
  request: Request,
  maxBytes: number,
  timeoutMs: number,
  { clock }: ServedSpace,
): Promise<Parameters<DocumentShelf['add']>[0]> {
  checkMediaType(request, 'multipart/form-data');
  const bytes = await readBody(request, { maxBytes: maxBytes + 65_536, timeoutMs }, clock); // room for the form's own bytes around the file
  const type = request.headers.get('content-type') ?? '';
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData().catch(() => undefined);
  const [file, ...more] = form ? [...form.values()] : [];
  if (!(file instanceof File) || more.length > 0) throw requestInvalid('The form does not have exactly one file.');
  const name = file.name.replace(/^.*[\\/]/, '').replace(/[\p{Cc}\p{Cf}]/gu, '');
  if (name === '' || name.length > maxNameChars || name.startsWith('.'))
    throw requestInvalid(`The name of the document must have 1 to ${maxNameChars} characters and no leading dot.`);
  return { name, bytes: new Uint8Array(await file.arrayBuffer()) };
}

function toToolSummary({ name, description = '', effect = 'once', risk = 'low', capabilities, unavailable }: Tool): ToolSummary {
  const touched = capabilities
    ? Object.entries(capabilities).flatMap(([capability, has]) => (has ? [capability] : []))
    : ['private', 'untrusted', 'external'];
  const more = unavailable === undefined ? {} : { whyNot: unavailable };
  return { name, description, effect, risk, capabilities: touched, available: unavailable === undefined, ...more };
}

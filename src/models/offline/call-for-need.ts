import type { AnsweredCall } from '../model-answer.ts';
import type { Need } from './read-needs.ts';

/** Returns the tool call for a need, or `undefined` for a known answer. */
export function callForNeed(need: Need): AnsweredCall | undefined {
  switch (need.kind) {
    case 'calculate':
      return { name: 'calculator', arguments: { expression: need.expression } };
    case 'datetime':
      return { name: 'get_current_datetime', arguments: need.zone === undefined ? {} : { zone: need.zone } };
    case 'weather':
      return { name: 'get_weather', arguments: { location: need.query } };
    case 'read':
      return { name: 'read_file', arguments: { path: need.path } };
    case 'wikipedia':
      return { name: 'search_wikipedia', arguments: { query: need.query } };
    case 'web':
      return { name: 'web_search', arguments: { query: need.query } };
    case 'documents':
      return { name: 'search_documents', arguments: { query: need.query } };
    case 'known':
      return undefined;
  }
}

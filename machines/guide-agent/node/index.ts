export * from '../example-knowledge.ts';

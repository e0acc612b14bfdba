import { mean } from '../engine/statistics.ts';

/** How well one question was answered, each from 0 to 1. */
export interface Measures {
  /** Share of what is relevant among the first. */
  readonly recall1: number;
  readonly recall5: number;
  /** 1 when the first one is relevant. */
  readonly hit1: number;
  readonly ndcg10: number;
}

/** @param ranked what was found, best first, each once; @param relevant what should have been, at least one. */
export function measuresOf(ranked: readonly string[], relevant: ReadonlySet<string>): Measures {
  const recall = (k: number): number => ranked.slice(0, k).filter((each) => relevant.has(each)).length / relevant.size;
  const gain = (rank: number): number => 1 / Math.log2(rank + 2);
  let found = 0;
  for (const [rank, each] of ranked.slice(0, 10).entries()) if (relevant.has(each)) found += gain(rank);
  let possible = 0;
  for (let rank = 0; rank < Math.min(10, relevant.size); rank++) possible += gain(rank);
  return { recall1: recall(1), recall5: recall(5), hit1: relevant.has(ranked[0] ?? '') ? 1 : 0, ndcg10: found / possible };
}

export function meanMeasures(all: readonly Measures[]): Measures {
  return {
    recall1: mean(all.map(({ recall1 }) => recall1)),
    recall5: mean(all.map(({ recall5 }) => recall5)),
    hit1: mean(all.map(({ hit1 }) => hit1)),
    ndcg10: mean(all.map(({ ndcg10 }) => ndcg10)),
  };
}

/** A topic of contracts, with the cues of its questions and its wording. `toCuePattern` defines the syntax of cues. */
export interface ContractTopic {
  /** Name in English and in Korean. */
  readonly en: string;
  readonly ko: string;
  /**
   * True if questions about other topics contain its words, such as `how long` and `how much`. Any other topic in the question excludes it.
   */
  readonly general?: boolean;
  /**
   * True for a topic of several things: pets and parking are both uses of a house. The passage must also contain the thing in the question.
   */
  readonly many?: boolean;
  /** Cues of a question about the topic. */
  readonly asks: readonly string[];
  /** Questions about the topic in everyday words. The nearest one guesses the topic of a question without a cue. */
  readonly examples?: readonly string[];
  /** Cues of the wording that settles the topic. */
  readonly settles: readonly string[];
  /** Cues of wording that only touches on the topic. */
  readonly touches: readonly string[];
  /** English names of topics to exclude from a question about this one, although it contains their words. */
  readonly not?: readonly string[];
}

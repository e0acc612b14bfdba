/** A matter that contracts settle, and how it is asked for and settled. The cues are written as `toCue` reads them. */
export interface ContractTopic {
  /** What it is called in English and in Korean. */
  readonly en: string;
  readonly ko: string;
  /** Questions about other topics have its words, too, as `how long` and `how much`; every other topic that is asked for rules it out. */
  readonly general?: boolean;
  /** It is a matter of many things, as pets and parking are both uses of a house: the thing that is asked for has to be there, too. */
  readonly many?: boolean;
  /** What a question about it has. */
  readonly asks: readonly string[];
  /** The wording that settles it: where this stands, the matter is dealt with. */
  readonly settles: readonly string[];
  /** What only touches on it. */
  readonly touches: readonly string[];
  /** English names of topics that a question about this one is not about, though it has their words. */
  readonly not?: readonly string[];
}

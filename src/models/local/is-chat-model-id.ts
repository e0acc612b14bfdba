/** Words in the names of models for other work: embedding, ranking, hearing, speech, images or moderation. */
const otherWork =
  /(?:^|[^a-z])(?:embed(?:der|dings?|dinggemma)?|bge|gte|e5(?!\d)|minilm|mpnet|colbert|arctic-embed|re-?rank(?:er|ing)?|whisper|parakeet|tts|kokoro|bark|stable-diffusion|sdxl|flux|llama-?guard|shieldgemma|clip|siglip)(?![a-z])/i;

/** A draft model of llama.cpp, or an image projector. */
const parts = /(?:^|[^a-z])(?:mmproj|draft)(?![a-z])/i;

/** False for a model that is not for chat by its name, and for one that runs on another machine (`:cloud`). */
export const isChatModelId = (id: string): boolean => !otherWork.test(id) && !parts.test(id) && !/[:-]cloud$/i.test(id);

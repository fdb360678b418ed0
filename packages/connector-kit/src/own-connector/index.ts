/** Destinations that workspaces describe themselves: their check, their test vectors, and where their secrets go. */
export { hiddenTextsOf } from '../description/requests/hidden-texts.ts'
export { hiddenHeadersOf, tokensIn } from './hidden-texts.ts'
export { type OwnProblem, type OwnReading, readOwn } from './read-own.ts'
export { type GivenRow, rowOf } from './row-of.ts'
export { runVectors, type VectorResult } from './run-vectors.ts'
export { secretsSentElsewhere } from './secret-origins.ts'

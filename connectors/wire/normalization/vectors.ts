/** Reads a table of test vectors: pairs of a given and an expected text, `["given","expected"]`, with commas between. */
export const vectorsOf = (table: string): [string, string][] => JSON.parse(`[${table}]`) as [string, string][]

const pair = /("(?:[^"\\]|\\.)*")=("(?:[^"\\]|\\.)*")/g

/** Reads pairs of a given and an expected text from a table of test vectors, `"given"="expected"` in JSON. */
export const vectorsOf = (table: string): [string, string][] =>
  [...table.matchAll(pair)].map(([, given = '', expected = '']) => [JSON.parse(given), JSON.parse(expected)])

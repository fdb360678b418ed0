/** An expression that takes more than linear time, and the reason why this is harmless. */
export type Exception = {
  file: string
  source: string
  /** The maximum length of the texts on which the expression is used. */
  maxLength: number
  /** The test that proves the limit: its file and title. */
  test: readonly [file: string, title: string]
}

export const maxExceptions = 10

/** Expressions that are used only on texts of limited length. */
export const exceptions: readonly Exception[] = [
  {
    file: 'packages/collect/src/redact.ts',
    source: String.raw`"((?:[^"\\]|\\.){1,100})"\s*:\s*("(?:[^"\\]|\\.)*"?|[^\s,}\]"]+)`,
    maxLength: 4800,
    test: [
      'packages/collect/src/redact.test.ts',
      'a sample of a rejected request reads only 4,800 bytes of its body: %s',
    ],
  },
]

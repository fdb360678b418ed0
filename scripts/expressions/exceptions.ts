/** An expression that takes more than linear time, and why that does no harm. */
export type Exception = {
  file: string
  source: string
  /** The characters that a text may have before the expression sees it. */
  maxLength: number
  /** The test that sees the limit: its file and title. */
  test: readonly [file: string, title: string]
}

export const maxExceptions = 10

/** Expressions that stand behind a limit of their text's length. */
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

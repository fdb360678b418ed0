/** Texts that have broken out of literals, comments and placeholders in other programs. */
// biome-ignore format: a table
export const hostileTexts: readonly string[] = [
  "'", "''", '\\', "\\'", "\\\\'", "'; drop table events --", '"', '`', '{', '}', '{a:String}', '/*', '*/', '--', '#', '\0',
  '\n\r\t\b\f\v\x07', '\\N', '\\x27', '\\0', 'NULL', '', ' ', "$$'$$", '😀ß', '\u2028', '%27', '+', '&param_b=1',
  "'||(select 1)||'", '\u2018\u2019', 'a'.repeat(20_000),
]

/** A deterministic sequence, so that a failure can be repeated (Park and Miller's generator). */
const sequence = (seed: number): ((below: number) => number) => {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

const randomText = (next: (below: number) => number): string => {
  const pieces = [
    "'",
    '\\',
    '"',
    '`',
    '{',
    '}',
    ':',
    ';',
    '--',
    '/*',
    '*/',
    '\0',
    '\n',
    '\t',
    '\\N',
    'x',
    '27',
    '(',
    ')',
    ',',
    '[',
    ']',
    'é',
    '😀',
    ' ',
    '#',
    '$',
  ]
  return Array.from({ length: next(12) }, () => pieces[next(pieces.length)] ?? '').join('')
}

/** Random combinations of texts that matter to an SQL parser, the same in every run. */
export const randomTexts = (count: number): string[] => {
  const next = sequence(20_261_121)
  return Array.from({ length: count }, () => randomText(next))
}

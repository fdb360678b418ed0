/** The parts of a statement: texts, quoted names, comments, and everything else. */
const part = /('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(`(?:[^`\\]|\\.)*`)|(#[^\n]*|--[^\n]*)|([^'"`#-]+|-)/gsu

const unescaped = (text: string): string =>
  text.slice(1, -1).replace(/\\(.)/gs, (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter)

/** Names of types and functions that DuckDB calls otherwise. */
const words: readonly [RegExp, string][] = [
  [/\bBIGNUMERIC\s*$/i, 'DECIMAL(38, 10) '],
  [/\bBIGNUMERIC\b/gi, 'DECIMAL(38, 10)'],
  [/\bNUMERIC\b(?!\s*\()/gi, 'DECIMAL(38, 9)'],
  [/\bINT64\b/gi, 'BIGINT'],
  [/\bFLOAT64\b/gi, 'DOUBLE'],
  [/\bBYTES\b/gi, 'BLOB'],
  [/\bDATETIME\b/gi, 'TIMESTAMP'],
]

/**
 * Translates a statement of GoogleSQL, of the kind that the connectors send, to DuckDB: quoted names, texts with
 * escapes, comments, and names of types. A project is an attached database.
 */
export const toDuckDb = (sql: string): string => {
  let translated = ''
  for (const [, text, name, comment, rest] of sql.matchAll(part)) {
    if (text !== undefined) translated += `'${unescaped(text).replaceAll("'", "''")}'`
    else if (name !== undefined) translated += `"${unescaped(name).replaceAll('"', '""')}"`
    else if (comment !== undefined) translated += `--${comment.replace(/^(?:#|--)/, '')}`
    else
      translated += words.reduce(
        (all, [pattern, word]) => all.replace(pattern, word),
        (rest ?? '').replace(/\bTIMESTAMP\b/gi, 'TIMESTAMPTZ'),
      )
  }
  return translated
}

/**
 * Returns the kind of a statement as BigQuery names it (JobStatistics2.statementType), by its first words; `count` is
 * the number of statements in the text.
 */
export const kindOf = (sql: string, count: number): string => {
  if (count > 1) return 'SCRIPT'
  const plain = sql.replace(/(?:#|--)[^\n]*/g, ' ').replace(/\/\*.*?\*\//gs, ' ')
  const [first = '', second = ''] = plain.toUpperCase().match(/[A-Z_]+|\(/g) ?? []
  if (first === '(' || first === 'WITH' || first === 'SELECT') return 'SELECT'
  if (first === 'CREATE' && /\bAS\s+(?:\(|SELECT|WITH)/i.test(plain)) return 'CREATE_TABLE_AS_SELECT'
  if (['CREATE', 'DROP', 'ALTER', 'TRUNCATE', 'EXPORT', 'LOAD', 'GRANT'].includes(first)) return `${first}_${second}`
  return first
}

import { EngineError, syntaxError } from './engine-error.ts'
import { paramLiteral } from './literals.ts'

// Parts of the text that contain no placeholders: strings, quoted identifiers (both with backslash escapes and doubled
// quotes), comments.
const opaque =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`\\]|\\[\s\S]|``)*`|--[^\n]*|\/\*[\s\S]*?\*\/|#[ !][^\n]*/y
const heredoc = /\$([A-Za-z0-9_]*)\$[\s\S]*?\$\1\$/y
const placeholder = /\{\s*([A-Za-z_]\w*)\s*:\s*([A-Za-z][^{}]*)\}/y
const unfinished = /['"`]|\/\*/y

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const onlyBlank = (text: string): boolean => {
  let at = 0
  while (at < text.length) {
    const comment = /^(?:--|\/\*|#)/.test(text.slice(at, at + 2)) ? matchAt(opaque, text, at) : null
    if (comment !== null) at += comment[0].length
    else if (/[\s;]/.test(text[at] ?? '')) at += 1
    else return false
  }
  return true
}

/**
 * Replaces `{name:Type}` outside of strings, quoted identifiers and comments by typed literals. Rejects a second
 * statement after a semicolon, and unfinished quotes (62), as ClickHouse's HTTP interface does. A parameter without a
 * value has code 456.
 */
export const substituteParams = (sql: string, params: ReadonlyMap<string, string>): string => {
  let out = ''
  let at = 0
  while (at < sql.length) {
    const skip = matchAt(opaque, sql, at) ?? (sql[at] === '$' ? matchAt(heredoc, sql, at) : null)
    if (skip !== null) {
      out += skip[0]
      at += skip[0].length
      continue
    }
    if (matchAt(unfinished, sql, at) !== null)
      throw syntaxError(`Syntax error: a quote or comment that begins at position ${at + 1} is not closed`)
    const character = sql[at] ?? ''
    const found = character === '{' ? matchAt(placeholder, sql, at) : null
    if (found !== null) {
      const [whole, name = '', type = ''] = found
      const value = params.get(name)
      if (value === undefined)
        throw new EngineError(456, 'UNKNOWN_QUERY_PARAMETER', `Substitution \`${name}\` is not set`)
      out += paramLiteral(name, type.trimEnd(), value)
      at += whole.length
      continue
    }
    if (character === ';') {
      if (!onlyBlank(sql.slice(at))) throw syntaxError('Syntax error (Multi-statements are not allowed)')
      return out
    }
    out += character
    at += 1
  }
  return out
}

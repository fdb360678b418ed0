/** An error as ClickHouse reports it: a numeric code, its name and a message (ErrorCodes.cpp of the engine). */
export class EngineError extends Error {
  readonly code: number
  readonly codeName: string
  constructor(code: number, codeName: string, message: string) {
    super(message)
    this.name = 'EngineError'
    this.code = code
    this.codeName = codeName
  }

  /** The body of the HTTP response, in the form that every ClickHouse client parses. */
  toBody(): string {
    return `Code: ${this.code}. DB::Exception: ${this.message} (${this.codeName})\n`
  }
}

export const tooBusy = (message: string): EngineError => new EngineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', message)
export const badParameter = (message: string): EngineError => new EngineError(457, 'BAD_QUERY_PARAMETER', message)
export const syntaxError = (message: string): EngineError => new EngineError(62, 'SYNTAX_ERROR', message)

const head = /^(?:Error: )?Code: (\d+)\. (?:DB::Exception: )?/

/** Splits `Code: 62. DB::Exception: words (SYNTAX_ERROR) (version 25.8)`; undefined for any other text. */
const partsOf = (text: string): { code: number; name: string; words: string } | undefined => {
  const [begin = '', code] = head.exec(text) ?? []
  if (code === undefined) return undefined
  let rest = text.slice(begin.length).trimEnd()
  const version = rest.lastIndexOf('(version ')
  if (version >= 0 && /^[^)]*\)\.?$/.test(rest.slice(version))) rest = rest.slice(0, version).trimEnd()
  const open = rest.lastIndexOf('(')
  const [, name] = open < 0 ? [] : (/^\(([A-Z][A-Z0-9_]+)\)$/.exec(rest.slice(open)) ?? [])
  return name === undefined ? undefined : { code: Number(code), name, words: rest.slice(0, open).trimEnd() }
}

/** Parses the engine's error text; anything else counts as UNKNOWN_EXCEPTION (1002). */
export const parseEngineError = (error: unknown): EngineError => {
  if (error instanceof EngineError) return error
  const text = error instanceof Error ? error.message : String(error)
  const parts = partsOf(text)
  if (parts !== undefined) return new EngineError(parts.code, parts.name, parts.words)
  const code = /Code: (\d+)/.exec(text)
  return new EngineError(code === null ? 1002 : Number(code[1]), 'UNKNOWN_EXCEPTION', text)
}

const badRequestCodes = new Set([6, 16, 26, 27, 36, 38, 41, 43, 44, 46, 47, 50, 53, 57, 62, 72, 82, 115, 117, 457, 456])
const notFoundCodes = new Set([60, 81])

/** The HTTP status that ClickHouse uses for the code; clients decide by the code. */
export const statusOf = (code: number): number => {
  if (badRequestCodes.has(code)) return 400
  if (notFoundCodes.has(code)) return 404
  if (code === 516) return 403
  if (code === 202) return 503
  return 500
}

/** An error as ClickHouse answers it: a numeric code, its name and a message (ErrorCodes.cpp of the engine). */
export class EngineError extends Error {
  readonly code: number
  readonly codeName: string
  constructor(code: number, codeName: string, message: string) {
    super(message)
    this.name = 'EngineError'
    this.code = code
    this.codeName = codeName
  }

  /** The body of the HTTP answer, in the form that every ClickHouse client parses. */
  toBody(): string {
    return `Code: ${this.code}. DB::Exception: ${this.message} (${this.codeName})\n`
  }
}

export const tooBusy = (message: string): EngineError => new EngineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', message)
export const badParameter = (message: string): EngineError => new EngineError(457, 'BAD_QUERY_PARAMETER', message)
export const syntaxError = (message: string): EngineError => new EngineError(62, 'SYNTAX_ERROR', message)

const pattern =
  /^(?:Error: )?Code: (\d+)\. (?:DB::Exception: )?([\s\S]*?)\s*\(([A-Z][A-Z0-9_]+)\)\s*(?:\(version [^)]*\)\.?)?\s*$/

/** Reads the engine's own text; anything else counts as UNKNOWN_EXCEPTION (1002). */
export const parseEngineError = (error: unknown): EngineError => {
  if (error instanceof EngineError) return error
  const text = error instanceof Error ? error.message : String(error)
  const found = pattern.exec(text)
  if (found !== null) return new EngineError(Number(found[1]), found[3] ?? 'UNKNOWN_EXCEPTION', found[2] ?? text)
  const code = /Code: (\d+)/.exec(text)
  return new EngineError(code === null ? 1002 : Number(code[1]), 'UNKNOWN_EXCEPTION', text)
}

const badRequestCodes = new Set([6, 16, 26, 27, 36, 38, 41, 43, 44, 46, 47, 50, 53, 57, 62, 72, 82, 115, 117, 457, 456])
const notFoundCodes = new Set([60, 81])

/** The status that ClickHouse's HTTP interface gives to the code; clients decide by the code. */
export const statusOf = (code: number): number => {
  if (badRequestCodes.has(code)) return 400
  if (notFoundCodes.has(code)) return 404
  if (code === 516) return 403
  if (code === 202) return 503
  return 500
}

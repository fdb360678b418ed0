import { isJsonObject, RetryableError } from '@tributary/connector-kit'
import { notDatabricks, plainWords, Refusal } from './failures.ts'

/** An answer of the API without its rows. */
export type Frame = {
  id: string
  state: string
  /** The error of a statement that failed. */
  error: Readonly<Record<string, unknown>>
  sqlState: string
  totalRows: number | undefined
  totalChunks: number | undefined
  isTruncated: boolean
  nextChunk: number | undefined
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isJsonObject(value) ? value : {})
const textOr = (value: unknown): string => (typeof value === 'string' ? value : '')
const countOr = (value: unknown): number | undefined => {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined
}

/**
 * Reads the members of a `StatementResponse`, or of the `ResultData` of one chunk
 * (docs.databricks.com/api/statement-execution/v1/statement-execution/object).
 */
export const frameOf = (answer: unknown, isChunk: boolean): Frame => {
  if (!isJsonObject(answer)) throw notDatabricks()
  const [status, manifest] = [objectOf(answer.status), objectOf(answer.manifest)]
  const result = isChunk ? answer : objectOf(answer.result)
  const state = isChunk ? 'SUCCEEDED' : textOr(status.state)
  if (!/^[A-Z_]+$/.test(state)) throw notDatabricks()
  return {
    id: textOr(answer.statement_id),
    state,
    error: objectOf(status.error),
    sqlState: textOr(status.sql_state),
    totalRows: countOr(manifest.total_row_count),
    totalChunks: countOr(manifest.total_chunk_count),
    isTruncated: manifest.truncated === true,
    nextChunk: countOr(result.next_chunk_index),
  }
}

/** Throws the reason if a statement has ended without a result: Refusal, or a DeliveryError. */
export const requireSuccess = ({ state, error, sqlState }: Frame): void => {
  if (state === 'SUCCEEDED') return
  if (state === 'CANCELED') throw new RetryableError('The statement was canceled in Databricks')
  if (state === 'CLOSED') throw new RetryableError('Databricks no longer has the result of the statement')
  if (state !== 'FAILED') throw notDatabricks()
  const words = plainWords(textOr(error.message)) || 'The statement failed without a reason'
  throw new Refusal(words, { code: textOr(error.error_code), sqlState })
}

import { DataQueryError } from '@tributary/connector-kit'
import { AppError } from '@tributary/kernel'
import { MissingColumn } from './row-values.ts'

/** Maximum number of attempts to reach a database. */
const maxTries = 3

/** Returns the message for users about a failure to read and compare; undefined for a temporary failure. */
export const failureOf = (error: unknown, attempt: number): string | undefined => {
  if (error instanceof MissingColumn) return error.message
  if (error instanceof DataQueryError) return error.message
  if (!(error instanceof AppError)) return undefined
  if (error.code === 429 || error.code >= 500) return undefined
  if (error.code === 412 && attempt < maxTries) return undefined
  const { detail } = error.metadata
  return detail === undefined ? error.message : `${error.message} ${detail}`
}

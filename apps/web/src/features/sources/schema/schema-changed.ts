import { ApiError } from '../../../lib/api/errors.ts'

/** Why a whole schema is saved; the history of the schema shows it. */
export type SchemaOrigin = 'edited' | 'imported' | 'inferred' | 'restored'

/** True if saving a schema failed because another user had changed it after it was loaded. */
export const isSchemaChanged = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.body.reason === 'SCHEMA_CHANGED'

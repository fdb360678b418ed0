import { ApiError } from '../../../lib/api/errors.ts'

/** Why a whole schema is saved, for its history. */
export type SchemaOrigin = 'edited' | 'imported' | 'inferred' | 'restored'

/** True if a schema was not saved because another user has changed it since its version. */
export const isSchemaChanged = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.body.reason === 'SCHEMA_CHANGED'

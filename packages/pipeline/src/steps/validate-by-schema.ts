import { type SourceSchema, type ValidationResult, validateValues } from '@tributary/contract'
import type { NormalEvent } from '../event-types.ts'

/**
 * Validates an event with a valid envelope by the schema of its source. Unlike the other steps, the result may differ
 * when a record is read again, since the schema may have changed.
 */
export const validateBySchema = (event: NormalEvent, schema: SourceSchema): ValidationResult =>
  validateValues(schema, event.type, event.event, event.validated)

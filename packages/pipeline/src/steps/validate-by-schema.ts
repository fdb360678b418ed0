import { type SourceSchema, type ValidationResult, validateValues } from '@tributary/contract'
import type { NormalEvent } from '../event-types.ts'

/**
 * Validates an event that its envelope let pass by the schema of its source. Unlike the other steps it may say something
 * else when its record is read again, since the schema may have changed meanwhile.
 */
export const validateBySchema = (event: NormalEvent, schema: SourceSchema): ValidationResult =>
  validateValues(schema, event.type, event.event, event.validated)

import { type Judgement, judgeValues, type SourceSchema } from '@tributary/contract'
import type { NormalEvent } from '../event-types.ts'

/**
 * Judges an event that its envelope let pass by the schema of its source. Unlike the other steps it may say something
 * else when its record is read again, since the schema may have changed meanwhile.
 */
export const judgeBySchema = (event: NormalEvent, schema: SourceSchema): Judgement =>
  judgeValues(schema, event.type, event.event, event.judged)

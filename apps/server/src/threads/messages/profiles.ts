import { z } from 'zod'
import { type Messages, needed, refresh } from './message.ts'

/** Messages to profiles, sent only by the process with their thread. */
export const profilesMessages = {
  refresh,
  needed,
  /** Returns the progress of reading the stored events of a workspace at the start; undefined when all are read. */
  progress: { request: z.string(), answer: z.object({ read: z.number(), total: z.number() }).optional() },
} satisfies Messages

export type ProfilesMessages = typeof profilesMessages

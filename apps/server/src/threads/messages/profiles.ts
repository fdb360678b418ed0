import { z } from 'zod'
import { type Messages, needed, refresh } from './message.ts'

/** Messages to profiles, which only the process with their thread sends. */
export const profilesMessages = {
  refresh,
  needed,
  /**
   * Answers with how much of the stored events of a workspace were read at the start; undefined when all of them were.
   */
  progress: { request: z.string(), answer: z.object({ read: z.number(), total: z.number() }).optional() },
} satisfies Messages

export type ProfilesMessages = typeof profilesMessages

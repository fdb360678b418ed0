import type { Client } from './messages/message.ts'
import type { ProfilesMessages } from './messages/profiles.ts'

/**
 * Creates the query for how much of the stored events of a workspace profiles have read at their start. It returns
 * undefined when they have read all, and where profiles are not made. Rejects while the thread cannot answer.
 */
export const createProfileReading =
  (profiles: Client<ProfilesMessages> | undefined) =>
  async (workspaceId: string): Promise<{ read: number; total: number } | undefined> =>
    await profiles?.ask('progress', workspaceId)

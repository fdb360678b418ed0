import type { Client } from './messages/message.ts'
import type { ProfilesMessages } from './messages/profiles.ts'

/**
 * Creates a query for how many stored events of a workspace profiles have read at their start. It returns undefined
 * when they have read all, or profiles are switched off. Rejects while the thread cannot respond.
 */
export const createProfileReading =
  (profiles: Client<ProfilesMessages> | undefined) =>
  async (workspaceId: string): Promise<{ read: number; total: number } | undefined> =>
    await profiles?.ask('progress', workspaceId)

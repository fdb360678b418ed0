import { z } from 'zod'
import type { RoleThread } from './roles/role-thread.ts'

const progress = z.object({ read: z.number(), total: z.number() }).optional()

/**
 * Tells how far profiles are with the stored events of a workspace that they read first; undefined when they are through, and
 * where they are not made. Rejects while that cannot be asked.
 */
export const createProfileReading =
  (profiles: Pick<RoleThread, 'ask'> | undefined) =>
  async (workspaceId: string): Promise<{ read: number; total: number } | undefined> =>
    progress.parse(await profiles?.ask('progress', workspaceId))

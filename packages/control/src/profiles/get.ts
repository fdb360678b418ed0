import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { isMasked, maskProfile } from './mask.ts'
import { readProfile } from './read.ts'

/**
 * Returns a profile with its traits, identifiers and history. For a merged profile, returns the profile that it was
 * merged into.
 */
export const getProfile =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.profiles.get> =>
  async ({ actor, workspace, params }) => {
    const profile = await readProfile(db, workspace.id, params.profile)
    return isMasked(actor, workspace) ? maskProfile(profile) : profile
  }

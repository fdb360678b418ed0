import { audit } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { currentProfileId, readProfile } from './read.ts'

const refusals = {
  nothing_left: 'Leave at least one identifier in the profile',
  unknown_identifier: 'Choose identifiers of this profile',
} as const

/** Splits identifiers from a profile into a profile of their own. Returns the remaining profile. */
export const splitProfile =
  ({
    db,
    profileLedger,
    clock,
  }: Pick<ControlDeps, 'db' | 'profileLedger' | 'clock'>): Handler<typeof methods.profiles.split> =>
  async ({ actor, workspace, params, body }) => {
    const time = new Date(clock())
    const id = await db.transaction().execute(async (tx) => {
      const profileId = await currentProfileId(tx, workspace.id, params.profile)
      const request = { profileId, identifiers: body.identifiers, actorId: actor.userId, time }
      const result = await profileLedger.split(tx, workspace.id, request)
      if ('refused' in result) {
        const text = refusals[result.refused]
        throw badRequest('VALIDATION', `identifiers: ${text}`, { identifiers: text })
      }
      const nameOf = (profile: string): string => resourceNames.profile.format({ workspace: workspace.id, profile })
      await audit(
        tx,
        nameOf(profileId),
        // The record has only the types of identifiers: the audit log must not contain personal data.
        { profile: nameOf(result.made), types: body.identifiers.map(({ type }) => type) },
      )
      return profileId
    })
    return await readProfile(db, workspace.id, id)
  }

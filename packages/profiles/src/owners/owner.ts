import type { Identifier } from '../identifiers.ts'
import { profileIdOf } from '../ids.ts'

/**
 * Returns the owner of a profile's events in the event store: the first 8 bytes of the profile ID, as a decimal number.
 */
export const ownerOfProfile = (profileId: string): string =>
  BigInt(`0x${profileId.replaceAll('-', '').slice(0, 16)}`).toString()

/** Returns the column `owner` of the events that belong to an identifier, as a decimal number. */
export const ownerOf = (workspaceId: string, identifier: Identifier): string =>
  ownerOfProfile(profileIdOf(workspaceId, identifier, 0))

import type { Identifier } from '../identifiers.ts'
import { profileIdOf } from '../ids.ts'

/** What the event store knows a profile by: the first 8 bytes of its id, as a decimal number. */
export const ownerOfProfile = (profileId: string): string =>
  BigInt(`0x${profileId.replaceAll('-', '').slice(0, 16)}`).toString()

/** The column `owner` of the events that belong to an identifier, as a decimal number. */
export const ownerOf = (workspaceId: string, identifier: Identifier): string =>
  ownerOfProfile(profileIdOf(workspaceId, identifier, 0))

import { resourceNames } from '@tributary/contract'

/** The ids in a resource name of the API. Throws when the name is of another kind, which is a fault of the server. */
const idsOf = <Ids>(kind: { pattern: string; parse(name: string): Ids | undefined }, name: string): Ids => {
  const ids = kind.parse(name)
  if (ids === undefined) throw new Error(`${name} is not a ${kind.pattern}`)
  return ids
}

// The ids in the names of each kind of resource.
export const userIds = (name: string) => idsOf(resourceNames.user, name)
export const organizationIds = (name: string) => idsOf(resourceNames.organization, name)
export const membershipIds = (name: string) => idsOf(resourceNames.membership, name)
export const invitationIds = (name: string) => idsOf(resourceNames.invitation, name)
export const invitationLinkIds = (name: string) => idsOf(resourceNames.invitationLink, name)
export const sessionIds = (name: string) => idsOf(resourceNames.session, name)
export const notificationIds = (name: string) => idsOf(resourceNames.notification, name)
export const workspaceIds = (name: string) => idsOf(resourceNames.workspace, name)
export const sourceIds = (name: string) => idsOf(resourceNames.source, name)
export const destinationIds = (name: string) => idsOf(resourceNames.destination, name)
export const replayIds = (name: string) => idsOf(resourceNames.replay, name)
export const failureGroupIds = (name: string) => idsOf(resourceNames.failureGroup, name)
export const connectionIds = (name: string) => idsOf(resourceNames.connection, name)
export const writekeyIds = (name: string) => idsOf(resourceNames.writekey, name)

/** The slug of a catalogue entry: "catalogSources/http" → "http". */
export const slugOf = (name: string): string => name.slice(name.indexOf('/') + 1)

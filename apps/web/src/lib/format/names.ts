import { type PathParams, type ResourcePattern, resourceNames } from '@tributary/contract'

/**
 * Returns the IDs in a resource name of the API. For a name of another kind, such as one that is not loaded yet, the
 * IDs are empty. A query can then be created, but no call accepts the IDs (`formatPath`).
 */
const idsOf = <Pattern extends string>(kind: ResourcePattern<Pattern>, name: string): PathParams<Pattern> =>
  kind.parse(name) ??
  // The keys are exactly the names of the pattern's parameters.
  (Object.fromEntries([...kind.pattern.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => [id, ''])) as PathParams<Pattern>)

// Functions that return the IDs in the resource names of each kind.
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
export const heldWorkIds = (name: string) => idsOf(resourceNames.heldWork, name)
export const replayIds = (name: string) => idsOf(resourceNames.replay, name)
export const failureGroupIds = (name: string) => idsOf(resourceNames.failureGroup, name)
export const profileKeyIds = (name: string) => idsOf(resourceNames.profileKey, name)
export const profileIds = (name: string) => idsOf(resourceNames.profile, name)
export const suppressionIds = (name: string) => idsOf(resourceNames.suppression, name)
export const audienceIds = (name: string) => idsOf(resourceNames.audience, name)
export const computedTraitIds = (name: string) => idsOf(resourceNames.computedTrait, name)
export const dataSourceIds = (name: string) => idsOf(resourceNames.dataSource, name)
export const modelIds = (name: string) => idsOf(resourceNames.model, name)
export const syncIds = (name: string) => idsOf(resourceNames.sync, name)
export const syncDryRunIds = (name: string) => idsOf(resourceNames.syncDryRun, name)
export const alertChannelIds = (name: string) => idsOf(resourceNames.alertChannel, name)
export const customDomainIds = (name: string) => idsOf(resourceNames.customDomain, name)
export const apiKeyIds = (name: string) => idsOf(resourceNames.apiKey, name)
export const syncTokenIds = (name: string) => idsOf(resourceNames.syncToken, name)
export const signalIds = (name: string) => idsOf(resourceNames.signal, name)
export const syncRunIds = (name: string) => idsOf(resourceNames.syncRun, name)
export const ownConnectorIds = (name: string) => idsOf(resourceNames.ownConnector, name)
export const connectionIds = (name: string) => idsOf(resourceNames.connection, name)
export const writekeyIds = (name: string) => idsOf(resourceNames.writekey, name)

/** Returns the last part of a catalog entry's name: "http" for "catalogSources/http". */
export const slugOf = (name: string): string => name.slice(name.indexOf('/') + 1)

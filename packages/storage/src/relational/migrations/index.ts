import type { Migration } from '../migrate.ts'
import { up as core } from './0001-core.ts'
import { up as directoryVersion } from './0002-directory-version.ts'
import { up as accounts } from './0003-accounts.ts'
import { up as sourceSchemas } from './0004-source-schemas.ts'
import { up as mappings } from './0005-mappings.ts'
import { up as oauthGrants } from './0006-oauth-grants.ts'
import { up as replays } from './0007-replays.ts'
import { up as parkedEvents } from './0008-parked-events.ts'
import { up as replayedParts } from './0009-replayed-parts.ts'
import { up as signInPlaces } from './0010-sign-in-places.ts'
import { up as directoryChanges } from './0011-directory-changes.ts'
import { up as mailJobs } from './0012-mail-jobs.ts'
import { up as untoldOutcomes } from './0013-untold-outcomes.ts'
import { up as parkedKey } from './0014-parked-key.ts'
import { up as profiles } from './0015-profiles.ts'
import { up as traitHistory } from './0016-trait-history.ts'
import { up as privacy } from './0017-privacy.ts'
import { up as identitySettings } from './0018-identity-settings.ts'
import { up as profileKeys } from './0019-profile-keys.ts'
import { up as profilePlaces } from './0020-profile-places.ts'
import { up as privacyDestinations } from './0021-privacy-destinations.ts'
import { up as privacyChanges } from './0022-privacy-changes.ts'
import { up as suppressedOwners } from './0023-suppressed-owners.ts'
import { up as audiences } from './0024-audiences.ts'
import { up as computedTraits } from './0026-computed-traits.ts'
import { up as audienceHistory } from './0027-audience-history.ts'
import { up as audienceTouches } from './0028-audience-touches.ts'
import { up as traitSets } from './0029-trait-sets.ts'
import { up as traitDates } from './0030-trait-dates.ts'
import { up as audienceVersions } from './0031-audience-versions.ts'
import { up as forgottenOwners } from './0032-forgotten-owners.ts'
import { up as dataSources } from './0033-data-sources.ts'
import { up as pausedAudiences } from './0033-paused-audiences.ts'
import { up as audienceDestinations } from './0034-audience-destinations.ts'
import { up as untoldDestinations } from './0035-untold-destinations.ts'
import { up as fasterTraitValues } from './0036-faster-trait-values.ts'
import { up as computedTraitPlaces } from './0037-computed-trait-places.ts'
import { up as syncs } from './0037-syncs.ts'
import { up as leftAudiences } from './0038-left-audiences.ts'
import { up as audienceRuns } from './0039-audience-runs.ts'
import { up as audienceLists } from './0041-audience-lists.ts'
import { up as syncDrafts } from './0042-sync-drafts.ts'
import { up as audienceProgress } from './0043-audience-progress.ts'
import { up as syncRunSteps } from './0043-sync-run-steps.ts'
import { up as syncDryRuns } from './0044-sync-dry-runs.ts'
import { up as syncSchedules } from './0045-sync-schedules.ts'
import { up as syncAlerts } from './0046-sync-alerts.ts'
import { up as syncTokens } from './0047-sync-tokens.ts'
import { up as uploads } from './0048-uploads.ts'
import { up as syncsOfEvents } from './0049-syncs-of-events.ts'
import { up as audienceModels } from './0050-audience-models.ts'
import { up as syncReruns } from './0051-sync-reruns.ts'
import { up as privacySyncs } from './0052-privacy-syncs.ts'
import { up as syncScheduleStates } from './0053-sync-schedule-states.ts'
import { up as alertChannels } from './0054-alert-channels.ts'
import { up as billing } from './0061-billing.ts'
import { up as payments } from './0063-payments.ts'
import { up as planUsage } from './0064-plan-usage.ts'
import { up as apiKeys } from './0065-api-keys.ts'
import { up as customDomains } from './0066-custom-domains.ts'
import { up as ownedObjects } from './0067-owned-objects.ts'
import { up as usagePeriods } from './0067-usage-periods.ts'
import { up as removedHeldEvents } from './0068-removed-held-events.ts'
import { up as paymentConfirmations } from './0069-payment-confirmations.ts'
import { up as deletedOrganizations } from './0070-deleted-organizations.ts'
import { up as syncDraftsOfKeys } from './0071-sync-drafts-of-keys.ts'
import { up as deletedWorkspaces } from './0072-deleted-workspaces.ts'
import { up as syncCursors } from './0072-sync-cursors.ts'
import { up as organizationCreators } from './0073-organization-creators.ts'
import { up as signals } from './0080-signals.ts'
import { up as keptUsage } from './0081-kept-usage.ts'
import { up as signalDrafts } from './0082-signal-drafts.ts'
import { up as coordination } from './0090-coordination.ts'
import { up as journals } from './0091-journals.ts'
import { up as setAsideRequests } from './0092-set-aside-requests.ts'
import { up as partitionGroups } from './0093-partition-groups.ts'
import { up as deliveryLanes } from './0094-delivery-lanes.ts'
import { up as processSchemas } from './0095-process-schemas.ts'
import { up as workspaceSpreads } from './0096-workspace-spreads.ts'
import { up as overtakenWorkspaces } from './0097-overtaken-workspaces.ts'

/** Those of versions of which no two ran together: a process that does not know all of these refuses to start. No new one comes here. */
const ofOneVersion: readonly Pick<Migration, 'name' | 'up'>[] = [
  { name: '0001-core', up: core },
  { name: '0002-directory-version', up: directoryVersion },
  { name: '0003-accounts', up: accounts },
  { name: '0004-source-schemas', up: sourceSchemas },
  { name: '0005-mappings', up: mappings },
  { name: '0006-oauth-grants', up: oauthGrants },
  { name: '0007-replays', up: replays },
  { name: '0008-parked-events', up: parkedEvents },
  { name: '0009-replayed-parts', up: replayedParts },
  { name: '0010-sign-in-places', up: signInPlaces },
  { name: '0011-directory-changes', up: directoryChanges },
  { name: '0012-mail-jobs', up: mailJobs },
  { name: '0013-untold-outcomes', up: untoldOutcomes },
  { name: '0014-parked-key', up: parkedKey },
  { name: '0015-profiles', up: profiles },
  { name: '0016-trait-history', up: traitHistory },
  { name: '0017-privacy', up: privacy },
  { name: '0018-identity-settings', up: identitySettings },
  { name: '0019-profile-keys', up: profileKeys },
  { name: '0020-profile-places', up: profilePlaces },
  { name: '0021-privacy-destinations', up: privacyDestinations },
  { name: '0022-privacy-changes', up: privacyChanges },
  { name: '0023-suppressed-owners', up: suppressedOwners },
  { name: '0024-audiences', up: audiences },
  { name: '0026-computed-traits', up: computedTraits },
  { name: '0027-audience-history', up: audienceHistory },
  { name: '0028-audience-touches', up: audienceTouches },
  { name: '0029-trait-sets', up: traitSets },
  { name: '0030-trait-dates', up: traitDates },
  { name: '0031-audience-versions', up: audienceVersions },
  { name: '0032-forgotten-owners', up: forgottenOwners },
  { name: '0033-data-sources', up: dataSources },
  { name: '0033-paused-audiences', up: pausedAudiences },
  { name: '0034-audience-destinations', up: audienceDestinations },
  { name: '0035-untold-destinations', up: untoldDestinations },
  { name: '0036-faster-trait-values', up: fasterTraitValues },
  { name: '0037-computed-trait-places', up: computedTraitPlaces },
  { name: '0037-syncs', up: syncs },
  { name: '0038-left-audiences', up: leftAudiences },
  { name: '0039-audience-runs', up: audienceRuns },
  { name: '0041-audience-lists', up: audienceLists },
  { name: '0042-sync-drafts', up: syncDrafts },
  { name: '0043-audience-progress', up: audienceProgress },
  { name: '0043-sync-run-steps', up: syncRunSteps },
  { name: '0044-sync-dry-runs', up: syncDryRuns },
  { name: '0045-sync-schedules', up: syncSchedules },
  { name: '0046-sync-alerts', up: syncAlerts },
  { name: '0047-sync-tokens', up: syncTokens },
  { name: '0048-uploads', up: uploads },
  { name: '0049-syncs-of-events', up: syncsOfEvents },
  { name: '0050-audience-models', up: audienceModels },
  { name: '0051-sync-reruns', up: syncReruns },
  { name: '0052-privacy-syncs', up: privacySyncs },
  { name: '0053-sync-schedule-states', up: syncScheduleStates },
  { name: '0054-alert-channels', up: alertChannels },
  { name: '0061-billing', up: billing },
  { name: '0063-payments', up: payments },
  { name: '0064-plan-usage', up: planUsage },
  { name: '0065-api-keys', up: apiKeys },
  { name: '0066-custom-domains', up: customDomains },
  { name: '0067-owned-objects', up: ownedObjects },
  { name: '0067-usage-periods', up: usagePeriods },
  { name: '0068-removed-held-events', up: removedHeldEvents },
  { name: '0069-payment-confirmations', up: paymentConfirmations },
  { name: '0070-deleted-organizations', up: deletedOrganizations },
  { name: '0071-sync-drafts-of-keys', up: syncDraftsOfKeys },
  { name: '0072-deleted-workspaces', up: deletedWorkspaces },
  { name: '0072-sync-cursors', up: syncCursors },
  { name: '0073-organization-creators', up: organizationCreators },
  { name: '0080-signals', up: signals },
  { name: '0081-kept-usage', up: keptUsage },
  { name: '0082-signal-drafts', up: signalDrafts },
  { name: '0090-coordination', up: coordination },
  { name: '0091-journals', up: journals },
  { name: '0092-set-aside-requests', up: setAsideRequests },
  { name: '0093-partition-groups', up: partitionGroups },
  { name: '0094-delivery-lanes', up: deliveryLanes },
]

/** Every migration of the relational store. New ones come at the end, and say what they are. */
export const migrations: readonly Migration[] = [
  ...ofOneVersion.map((migration) => ({ ...migration, kind: 'expand' as const })),
  { name: '0095-process-schemas', kind: 'expand', up: processSchemas },
  { name: '0096-workspace-spreads', kind: 'expand', up: workspaceSpreads },
  { name: '0097-overtaken-workspaces', kind: 'expand', up: overtakenWorkspaces },
]

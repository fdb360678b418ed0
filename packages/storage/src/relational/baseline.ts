import { type QueryExecutorProvider, sql } from 'kysely'
import { OlderStore } from '../older-store.ts'
import type { AppliedSchema } from './applied-schemas.ts'
import { baselineName, baselineTables } from './migrations/0200-baseline/baseline.ts'

/** The migrations of the last commit of version 0.1. */
export const earlierMigrations: readonly string[] = `
0001-core 0002-directory-version 0003-accounts 0004-source-schemas 0005-mappings 0006-oauth-grants 0007-replays 0008-parked-events
0009-replayed-parts 0010-sign-in-places 0011-directory-changes 0012-mail-jobs 0013-untold-outcomes 0014-parked-key 0015-profiles
0016-trait-history 0017-privacy 0018-identity-settings 0019-profile-keys 0020-profile-places 0021-privacy-destinations 0022-privacy-changes
0023-suppressed-owners 0024-audiences 0026-computed-traits 0027-audience-history 0028-audience-touches 0029-trait-sets 0030-trait-dates
0031-audience-versions 0032-forgotten-owners 0033-data-sources 0033-paused-audiences 0034-audience-destinations 0035-untold-destinations
0036-faster-trait-values 0037-computed-trait-places 0037-syncs 0038-left-audiences 0039-audience-runs 0041-audience-lists 0042-sync-drafts
0043-audience-progress 0043-sync-run-steps 0044-sync-dry-runs 0045-sync-schedules 0046-sync-alerts 0047-sync-tokens 0048-uploads
0049-syncs-of-events 0050-audience-models 0051-sync-reruns 0052-privacy-syncs 0053-sync-schedule-states 0054-alert-channels 0061-billing
0063-payments 0064-plan-usage 0065-api-keys 0066-custom-domains 0067-owned-objects 0067-usage-periods 0068-removed-held-events
0069-payment-confirmations 0070-deleted-organizations 0071-sync-drafts-of-keys 0072-deleted-workspaces 0072-sync-cursors
0073-organization-creators 0080-signals 0081-kept-usage 0082-signal-drafts 0090-coordination 0091-journals 0092-set-aside-requests
0093-partition-groups 0094-delivery-lanes 0095-process-schemas 0096-workspace-spreads 0097-overtaken-workspaces`
  .trim()
  .split(/\s+/)

/**
 * Finds how a database gets to the baseline: `done` if it is there, `complete` if it is of the last commit of version
 * 0.1, `create` if it is empty.
 *
 * @throws OlderStore for any other database
 */
export const stepToBaseline = async (
  db: QueryExecutorProvider,
  applied: readonly AppliedSchema[],
): Promise<'done' | 'complete' | 'create'> => {
  const names = new Set(applied.map(({ name }) => name))
  if (names.has(baselineName)) return 'done'
  if (names.size === 0) {
    const { rows } = await sql<{ name: string }>`
      select name from unnest(${baselineTables}::text[]) as name where to_regclass(quote_ident(name)) is not null`.execute(
      db,
    )
    if (rows.length === 0) return 'create'
    const found = rows.map(({ name }) => name).slice(0, 3)
    throw new OlderStore('The database', `it has tables such as ${found.join(', ')}, and no record of their version`)
  }
  const missing = earlierMigrations.filter((name) => !names.has(name))
  const unknown = [...names].filter((name) => !earlierMigrations.includes(name))
  if (missing.length === 0 && unknown.length === 0) return 'complete'
  throw new OlderStore(
    'The database',
    unknown.length > 0
      ? `it has migrations that no release had (${unknown.join(', ')})`
      : `${missing.length} of the ${earlierMigrations.length} migrations of version 0.1 are missing (the last one is ${missing.at(-1)})`,
  )
}

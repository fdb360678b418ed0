import type { Db, Tx } from '@tributary/api-kit'
import { type methods, type Onboarding, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'

/** Selects onboardings with their users and organizations. */
export const selectOnboardings = (db: Db | Tx) =>
  db
    .selectFrom('onboardings')
    .innerJoin('users', 'users.id', 'onboardings.user_id')
    .innerJoin('organizations', 'organizations.id', 'onboardings.organization_id')
    .selectAll('onboardings')
    .select(['users.email', 'organizations.title'])

type Row = Awaited<ReturnType<ReturnType<typeof selectOnboardings>['executeTakeFirstOrThrow']>>

/** An onboarding as the API returns it. */
export const presentOnboarding = (
  row: Row,
  { clock, publicUrl }: Pick<ControlDeps, 'clock' | 'publicUrl'>,
): Onboarding => ({
  name: resourceNames.onboarding.format({ onboarding: row.id }),
  email: row.email,
  organization: row.title,
  setup_amount: row.setup_amount,
  yearly_amount: row.yearly_amount,
  create_time: row.create_time.toISOString(),
  expire_time: row.expire_time.toISOString(),
  state:
    row.complete_time !== null
      ? 'completed'
      : row.revoke_time !== null
        ? 'revoked'
        : row.expire_time.getTime() <= clock()
          ? 'expired'
          : 'open',
  invoice_url: row.invoice_url === null ? '' : new URL(row.invoice_url, publicUrl()).href,
})

/** Onboarding links, newest first. Platform admins only. */
export const listOnboardings =
  (deps: Pick<ControlDeps, 'db' | 'clock' | 'publicUrl'>): Handler<typeof methods.onboardings.list> =>
  async () => {
    const rows = await selectOnboardings(deps.db)
      .orderBy('onboardings.create_time', 'desc')
      .orderBy('onboardings.id', 'desc')
      .limit(100)
      .execute()
    return { onboardings: rows.map((row) => presentOnboarding(row, deps)) }
  }

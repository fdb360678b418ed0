import type { Tx } from '@tributary/api-kit'
import { editors, type SyncRunState, sentSyncRuns } from '@tributary/contract'
import type { ControlDeps } from '../../deps.ts'
import { queueMail } from '../../mail/queue-mail.ts'
import { syncAlertMail } from '../../mail/templates.ts'
import { type Announce, notify } from '../../notifications/notify.ts'
import { alertsOf, countsOf, presentRun, readSyncRun, type SyncRow } from '../read.ts'
import { alertOf } from './alert-of.ts'

/** Runs that tell how many rows are usual. */
const usualRuns = 10
/** For how long a mail of an alert is of use, ms. */
const usefulMs = 24 * 60 * 60_000
/** Characters of a body. */
const bodyCharacters = 500

type Deps = Pick<ControlDeps, 'jobs' | 'clock' | 'publicUrl'>

const quiet: Announce = () => {}

/**
 * Notifies administrators and collaborators, in inbox and mail, when a run that has just ended is the first one to be told of by
 * the rules of its sync, and when it is the first one after that to be as it should be. A canceled run says nothing. Call
 * what it returns once the transaction is committed.
 */
export const alertRun = async (tx: Tx, deps: Deps, sync: SyncRow, id: string): Promise<Announce> => {
  const run = await readSyncRun(tx, sync.workspace_id, { sync: sync.id, run: id })
  if (run.state === 'canceled') return quiet
  const told: readonly SyncRunState[] = [...sentSyncRuns, 'failed']
  const before = await tx
    .selectFrom('sync_runs')
    .select(['state', 'counts', 'alert', 'rerun_of'])
    .where('sync_id', '=', sync.id)
    .where('number', '<', run.number)
    .where('state', 'in', [...told])
    .orderBy('number', 'desc')
    .limit(usualRuns)
    .execute()
  const counts = countsOf(run)
  const { start_time, finish_time } = run
  const alert = alertOf(
    alertsOf(sync),
    {
      failed: run.state === 'failed',
      message: run.message,
      read: counts?.read ?? 0,
      rejected: counts?.rejected ?? 0,
      milliseconds: start_time === null || finish_time === null ? null : Number(finish_time) - Number(start_time),
    },
    // A run of rejected rows alone tells nothing of how many are usual.
    run.rerun_of !== null
      ? []
      : before.flatMap((each) =>
          sentSyncRuns.includes(each.state) && each.rerun_of === null ? [countsOf(each)?.read ?? 0] : [],
        ),
  )
  if (alert !== '') await tx.updateTable('sync_runs').set({ alert }).where('id', '=', id).execute()
  const alertedBefore = (before[0]?.alert ?? '') !== ''
  const recovered = alertedBefore && sentSyncRuns.includes(run.state)
  if (alert === '' ? !recovered : alertedBefore) return quiet
  const { organization_id } = await tx
    .selectFrom('workspaces')
    .select('organization_id')
    .where('id', '=', sync.workspace_id)
    .executeTakeFirstOrThrow()
  const people = await tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email'])
    .where('memberships.organization_id', '=', organization_id)
    .where('memberships.role', 'in', editors)
    .execute()
  const now = deps.clock()
  const link = `/${presentRun(run).name}`
  const title = alert === '' ? `${sync.title} has recovered` : `${sync.title} needs attention`
  const text = alert === '' ? 'The last run was as it should be.' : `${alert}.`
  const body = text.length > bodyCharacters ? `${text.slice(0, bodyCharacters).toWellFormed()}…` : text
  const mail = syncAlertMail({ sync: sync.title, body, recovered: alert === '', url: `${deps.publicUrl()}${link}` })
  for (const { email } of people)
    await queueMail(tx, deps.jobs, {
      recipient: email,
      mail,
      time: new Date(now),
      expireTime: new Date(now + usefulMs),
    })
  return await notify(
    tx,
    people.map((each) => each.id),
    { organizationId: organization_id, kind: 'sync_alert', title, body, link, cause: link, now },
  )
}

import { createMailSender, type MailTransport, mailJob, queueWaitingMails } from '@tributary/api-kit'
import { computeJob } from '@tributary/audiences'
import { releaseJob } from '@tributary/billing'
import type { Control } from '@tributary/control'
import { type Logger, type Metrics, systemClock } from '@tributary/kernel'
import { erasureJob } from '@tributary/privacy'
import { type JobKind, type Jobs, openPgBossJobs, type Relational } from '@tributary/storage'
import { alertJob, dryRunJob, syncJob } from '@tributary/syncs'
import { loadJob } from '@tributary/warehouses'
import { z } from 'zod'

const nothing = z.object({})

/** Defines a periodic job for the whole deployment. Only one process runs it at a time. */
const housekeeping = (name: string): JobKind<z.output<typeof nothing>> => ({
  name,
  data: nothing,
  // There is no retry, because the job runs again in the next minute.
  retries: { most: 0, pauseSeconds: 1, maxPauseSeconds: 1 },
  leaseSeconds: 60,
  maxSeconds: 10 * 60,
  atOnce: 1,
  exclusive: true,
  keepSeconds: 60 * 60,
})

const clearExpired = housekeeping('clear-expired')
const notifyFailing = housekeeping('tell-failing-destinations')
const notifyEnding = housekeeping('tell-ending-versions')
const notifyBacklogs = housekeeping('tell-backlogged-workspaces')
const finishPrivacy = housekeeping('finish-privacy-requests')
/** Large tables take long, so the time limit of this job is longer. It is still less than the interval of the job. */
const removeFiles: JobKind<z.output<typeof nothing>> = { ...housekeeping('remove-from-files'), maxSeconds: 5 * 3600 }
const queueAudiences = housekeeping('compute-stale-audiences')
const forgetChanges = housekeeping('forget-audience-changes')
const checkDomains = housekeeping('check-custom-domains')
const settleSubscriptions = housekeeping('settle-subscriptions')
const measureUsage = housekeeping('measure-plan-usage')
const removeOrganizations = housekeeping('remove-deleted-organizations')
const queueSyncs = housekeeping('run-due-syncs')
const queueLoads = housekeeping('load-due-warehouses')
const compareLoads = housekeeping('compare-warehouses')

/** Opens the jobs of the product. They can be sent immediately, and run after `startJobs`. */
export const openJobs = (deps: { pool: Relational['pool']; logger: Logger; metrics: Metrics }): Promise<Jobs> =>
  openPgBossJobs({
    ...deps,
    kinds: [
      mailJob,
      erasureJob,
      computeJob,
      clearExpired,
      checkDomains,
      notifyFailing,
      notifyEnding,
      notifyBacklogs,
      finishPrivacy,
      removeFiles,
      queueAudiences,
      forgetChanges,
      syncJob,
      dryRunJob,
      alertJob,
      queueSyncs,
      loadJob,
      queueLoads,
      compareLoads,
      settleSubscriptions,
      measureUsage,
      removeOrganizations,
      releaseJob,
    ],
  })

/** Runs all kinds of jobs in this process, and updates the schedules to this version. */
export const startJobs = async (
  jobs: Jobs,
  deps: {
    db: Relational['db']
    transport: MailTransport
    control: Pick<
      Control,
      | 'checkCustomDomains'
      | 'clearExpired'
      | 'computeAudience'
      | 'dryRunSync'
      | 'erasePeople'
      | 'finishPrivacyRequests'
      | 'removeFromFiles'
      | 'measureUsage'
      | 'releaseHeld'
      | 'forgetAudienceChanges'
      | 'notifyBackloggedWorkspaces'
      | 'notifyEndingVersions'
      | 'notifyFailingDestinations'
      | 'compareWarehouses'
      | 'queueDueLoads'
      | 'queueDueSyncs'
      | 'runLoads'
      | 'queueStaleAudiences'
      | 'runSync'
      | 'sendAlert'
      | 'settleSubscriptions'
      | 'removeDeletedOrganizations'
    >
  },
): Promise<void> => {
  const { db, transport, control } = deps
  await jobs.start()
  await queueWaitingMails(db, jobs, systemClock())
  await jobs.work(mailJob, createMailSender({ db, transport, clock: systemClock }))
  await jobs.work(erasureJob, control.erasePeople)
  await jobs.work(computeJob, control.computeAudience)
  await jobs.work(syncJob, control.runSync)
  await jobs.work(loadJob, control.runLoads)
  await jobs.work(dryRunJob, control.dryRunSync)
  await jobs.work(alertJob, control.sendAlert)
  await jobs.work(releaseJob, control.releaseHeld)
  for (const [kind, run, cron] of [
    [clearExpired, () => control.clearExpired(), '* * * * *'],
    [checkDomains, () => control.checkCustomDomains(), '* * * * *'],
    [notifyFailing, () => control.notifyFailingDestinations(), '* * * * *'],
    [notifyEnding, () => control.notifyEndingVersions(), '41 * * * *'],
    [notifyBacklogs, () => control.notifyBackloggedWorkspaces(), '* * * * *'],
    [finishPrivacy, () => control.finishPrivacyRequests(), '* * * * *'],
    [removeFiles, (_: unknown, run: { signal: AbortSignal }) => control.removeFromFiles(run), '* * * * *'],
    [queueAudiences, () => control.queueStaleAudiences(), '* * * * *'],
    [forgetChanges, (_: unknown, run: { signal: AbortSignal }) => control.forgetAudienceChanges(run), '23 * * * *'],
    [settleSubscriptions, (_: unknown, run: { signal: AbortSignal }) => control.settleSubscriptions(run), '* * * * *'],
    [measureUsage, (_: unknown, run: { signal: AbortSignal }) => control.measureUsage(run), '* * * * *'],
    [
      removeOrganizations,
      (_: unknown, run: { signal: AbortSignal }) => control.removeDeletedOrganizations(run),
      '* * * * *',
    ],
    [queueSyncs, () => control.queueDueSyncs(), '* * * * *'],
    [queueLoads, () => control.queueDueLoads(), '* * * * *'],
    [compareLoads, () => control.compareWarehouses(), '17 * * * *'],
  ] as const) {
    await jobs.schedule(kind, {}, { cron, timeZone: 'UTC' })
    await jobs.work(kind, run)
  }
}

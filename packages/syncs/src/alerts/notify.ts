import { type Announce, notify, queueMail, syncAlertMail, type Tx } from '@tributary/api-kit'
import { editors, resourceNames } from '@tributary/contract'
import { cutText } from '@tributary/kernel'
import type { AlertMessage } from '../alert-channels/message.ts'
import { queueAlerts } from '../alert-channels/queue.ts'
import type { SyncServices } from '../services.ts'

/** Time in ms after which a mail about an alert is no longer useful. */
const usefulMs = 24 * 60 * 60_000
/** Maximum characters of a body. */
const bodyCharacters = 500

export type NotifyDeps = Pick<SyncServices, 'jobs' | 'clock' | 'publicUrl'>

/** A report about a sync. */
export type SyncNews = {
  type: Exclude<AlertMessage['type'], 'test'>
  sync: { id: string; workspace_id: string; title: string }
  /** The name of the run; '' for none. */
  run: string
  /** The problem as the end of the title, such as "needs attention". */
  what: string
  /** The body, in complete sentences. */
  body: string
  /** Path of the related page. */
  link: string
  /** The cause. Each user gets at most one notification per cause in the inbox. */
  cause: string
}

/**
 * Notifies administrators and collaborators about a sync by inbox, by mail, and in its alert channels, in the
 * transaction of the reported change. Call the returned function after the commit.
 */
export const notifyOfSync = async (tx: Tx, deps: NotifyDeps, news: SyncNews): Promise<Announce> => {
  const { sync, what, type, link, cause } = news
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
  const body = news.body.length > bodyCharacters ? `${cutText(news.body, bodyCharacters).toWellFormed()}…` : news.body
  const mail = syncAlertMail({ sync: sync.title, what, body, url: `${deps.publicUrl()}${link}` })
  for (const { email } of people)
    await queueMail(tx, deps.jobs, {
      recipient: email,
      mail,
      time: new Date(now),
      expireTime: new Date(now + usefulMs),
    })
  const title = `${sync.title} ${what}`
  await queueAlerts(
    tx,
    deps,
    { workspaceId: sync.workspace_id, syncId: sync.id },
    {
      type,
      sync: resourceNames.sync.format({ workspace: sync.workspace_id, sync: sync.id }),
      run: news.run,
      title,
      text: body,
      url: `${deps.publicUrl()}${link}`,
    },
  )
  const kind = type === 'sync.stalled' ? 'sync_stalled' : 'sync_alert'
  return await notify(
    tx,
    people.map((each) => each.id),
    { organizationId: organization_id, kind, title, body, link, cause, now },
  )
}

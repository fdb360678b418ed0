import { type Announce, notify, planUsageMail, queueMail, type Tx } from '@tributary/api-kit'
import { amountText, profileBlock, resourceNames } from '@tributary/contract'
import type { BillingServices } from '../services.ts'
import type { Warning } from './decide.ts'
import type { UsagePeriod } from './period.ts'
import type { PlanPeriod, PlanUsage } from './read-usage.ts'

/** Time in ms after which a mail about usage is no longer sent. */
const usefulMs = 24 * 3_600_000

/** A notification for administrators. Its `key` identifies it within a period. */
export type UsageNews = { key: string; title: string; body: string }

const number = (count: number): string => count.toLocaleString('en-US')
const events = (count: number): string => (count === 1 ? '1 event' : `${number(count)} events`)
const money = (minor: number, currency: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }).format(
    Number(amountText(minor, currency)),
  )
const day = (time: Date): string =>
  time.toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Returns the notice that a share of a limit is reached, and what happens next. */
export const warningNews = (
  { what, percent }: Warning,
  given: Pick<PlanPeriod, 'plan' | 'period' | 'overage'> & {
    usage: PlanUsage
    holdsFrom: Date | undefined
    paid: boolean
  },
): UsageNews => {
  const { usage, plan, period, holdsFrom, paid, overage } = given
  const used = `${number(usage[what])} of ${number(plan.features[what])} ${what} of the plan ${plan.title} are used. The period ends on ${day(period.end)}.`
  const then = paid
    ? what === 'profiles' && overage !== undefined
      ? ` Additional profiles cost +${money(overage.price, overage.currency)} per extra ${number(profileBlock)} profiles.`
      : ''
    : holdsFrom === undefined
      ? ' Beyond the limit, events are held. Upgrade to a larger plan to have them delivered.'
      : ` Events are held from ${day(holdsFrom)}. Upgrade to a larger plan to have them delivered.`
  return {
    key: `${what}:${percent}`,
    title: percent === 100 ? `The plan's limit of ${what} is reached` : `${percent}% of the plan's ${what} are used`,
    body: used + then,
  }
}

/** Returns the notice that nothing more is billed because of the cap, and what happens next. */
export const capNews = (holdsFrom: Date): UsageNews => ({
  key: 'cap',
  title: 'The cap on additional profiles is reached',
  body: `No more additional profiles are billed in this period. Events are held from ${day(holdsFrom)}. Raise the cap to have them delivered.`,
})

/** Returns the notice that events are held, because the limit of a free plan or the cap is exceeded. */
export const holdNews = ({ end }: UsagePeriod, free: boolean): UsageNews => ({
  key: 'held',
  title: 'Events are held',
  body: `The organization is over ${free ? 'a limit of its plan' : 'its cap on additional profiles'}. Events are stored, but not delivered. They are released when the ${free ? 'plan is upgraded' : 'cap is raised'}, or when the next period begins on ${day(end)}.`,
})

export const releaseNews: UsageNews = {
  key: 'released',
  title: 'Held events were released',
  body: 'The organization is within its plan or its cap again. All events that were held are delivered.',
}

/** Returns the notice, some days ahead, that retention will remove held events. */
export const removalNews = (ahead: 7 | 1, count: number, first: Date): UsageNews => ({
  key: `removal:${ahead}:${first.toISOString().slice(0, 10)}`,
  title: `${count === 1 ? '1 held event is' : `${number(count)} held events are`} removed ${ahead === 1 ? 'tomorrow' : 'in 7 days'}`,
  body: `From ${day(first)}, ${events(count)} that the plan's limit holds will be older than events are kept, and will be removed without having been delivered. Upgrade to a larger plan to release them.`,
})

/** Returns the notice that held events were removed, and why. */
export const removedNews = (count: number, at: Date): UsageNews => ({
  key: `removed:${at.toISOString().slice(0, 13)}`,
  title: `${count === 1 ? '1 held event was' : `${number(count)} held events were`} removed`,
  body: `They were held by a limit of the plan until they were older than events are kept. They were not delivered.`,
})

type Deps = Pick<BillingServices, 'jobs' | 'clock' | 'publicUrl'>

/**
 * Notifies the administrators of an organization by inbox and mail, in the transaction of the change that is reported.
 */
export const notifyOfUsage = async (
  tx: Tx,
  deps: Deps,
  organizationId: string,
  period: UsagePeriod,
  news: readonly UsageNews[],
): Promise<Announce> => {
  if (news.length === 0) return () => {}
  const people = await tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['users.id', 'users.email', 'organizations.title'])
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', '=', 'ORG_ADMIN')
    .execute()
  const workspace = await tx
    .selectFrom('workspaces')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('delete_time', 'is', null)
    .orderBy('create_time')
    .limit(1)
    .executeTakeFirst()
  const link =
    workspace === undefined
      ? ''
      : `/${resourceNames.workspace.format({ workspace: workspace.id })}/settings/organization/billing`
  const now = deps.clock()
  const announces: Announce[] = []
  for (const { key, title, body } of news) {
    for (const { email, title: organization } of people)
      await queueMail(tx, deps.jobs, {
        recipient: email,
        mail: planUsageMail({ organization, title, body, url: `${deps.publicUrl()}${link}` }),
        time: new Date(now),
        expireTime: new Date(now + usefulMs),
      })
    announces.push(
      await notify(
        tx,
        people.map(({ id }) => id),
        {
          organizationId,
          kind: 'plan_usage',
          title,
          body,
          link,
          cause: `${resourceNames.organization.format({ organization: organizationId })}/usage/${period.start.toISOString()}/${key}`,
          now,
        },
      ),
    )
  }
  return (live) => {
    for (const announce of announces) announce(live)
  }
}

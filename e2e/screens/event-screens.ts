import type { Page } from '@playwright/test'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const filled = (path: (seed: Seed['filled']) => string) => (seed: Seed) => `/${path(seed.filled)}`
const empty = (path: (seed: Seed['empty']) => string) => (seed: Seed) => `/${path(seed.empty)}`

const share: Readonly<Record<string, number>> = { compatible: 0.72, needsAttention: 0.14, incompatible: 0.09 }

/** Fakes counts of some weeks, because all events of the screenshots arrived within the last minute. */
const history = async (page: Page): Promise<void> => {
  await page.route(
    (url) => url.pathname.endsWith('/metrics'),
    async (route) => {
      const query = new URL(route.request().url()).searchParams
      const hours = query.get('granularity') === 'hour'
      const length = hours ? 3600 : 86_400
      const start = Number(query.get('start_date.seconds'))
      const end = Number(query.get('end_date.seconds'))
      const of = query.get('metric') === 'events_received' ? 1 : 0.004
      const counts: Record<string, number> = {}
      for (let at = start - (start % length); at < end; at += length) {
        const name = new Date(at * 1000)
          .toISOString()
          .slice(0, hours ? 13 : 10)
          .replaceAll(/[-T]/g, '')
        const index = at / length
        const wave = 5200 + 2600 * Math.sin(index / 1.1) + 900 * Math.sin(index * 2.7) + (index % 40) * 35
        counts[name] = Math.round(wave * of * (share[query.get('compatibility') ?? ''] ?? 1))
      }
      const total = Object.values(counts).reduce((sum, value) => sum + value, 0)
      await route.fulfill({ json: query.get('granularity') === 'total' ? { total: Math.round(total * 0.31) } : counts })
    },
  )
}

const pointAtBar = async (page: Page): Promise<void> => {
  await settled(page)
  const plot = page.getByRole('slider')
  await plot.scrollIntoViewIfNeeded()
  const box = await plot.boundingBox()
  if (box !== null) await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.5)
}

const asTable = async (page: Page): Promise<void> => {
  await settled(page)
  await page.getByRole('button', { name: 'Show table' }).click()
}

const masks = (page: Page): Promise<void> =>
  page.addInitScript(() => localStorage.setItem('mask_metric_values', 'true')).then(() => undefined)

const homeScreens: Screen[] = [
  { name: 'overview-history', path: filled(({ workspace }) => workspace), prepare: history, ready: pointAtBar },
  {
    name: 'overview-history-90days',
    path: filled(({ workspace }) => `${workspace}?range=90days`),
    prepare: history,
    ready: settled,
  },
  {
    name: 'overview-history-masked',
    path: filled(({ workspace }) => workspace),
    prepare: async (page) => {
      await masks(page)
      await history(page)
    },
    ready: pointAtBar,
  },
  {
    name: 'overview-history-table',
    // The tooltip of the pressed button is open.
    opensMenu: true,
    path: filled(({ workspace }) => workspace),
    prepare: history,
    ready: asTable,
  },
  {
    name: 'overview-counts-error',
    path: filled(({ workspace }) => workspace),
    prepare: failing(/\/metrics$/),
    expectsFailedCalls: true,
    ready: settled,
  },
]

const sourceScreens: Screen[] = [
  {
    name: 'source-overview-filled',
    path: filled(({ source }) => `${source}?range=30days#overview`),
    prepare: history,
    ready: pointAtBar,
  },
  {
    name: 'source-overview-24hours',
    path: filled(({ source }) => `${source}?range=1day#overview`),
    prepare: history,
    ready: settled,
  },
  { name: 'source-overview-empty', path: empty(({ source }) => `${source}#overview`), ready: settled },
  {
    name: 'source-overview-error',
    path: filled(({ source }) => `${source}#overview`),
    prepare: failing(/\/metrics$/),
    expectsFailedCalls: true,
    ready: settled,
  },
]

/** Opens the first event of the list whose row contains a text. */
const openEvent =
  (row: RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('row', { name: row }).first().getByRole('link').click()
    await page.getByRole('heading', { name: 'What happened' }).waitFor()
    await settled(page)
  }

const everyFilter =
  'search=order&type=track&status=accepted&test=true&user=customer-6&property=currency&value=EUR&from=2026-01-01T00:00:00Z'

const explorerScreens: Screen[] = [
  { name: 'events-filled', path: filled(({ workspace }) => `${workspace}/events`), ready: settled },
  { name: 'events-filters', path: filled(({ workspace }) => `${workspace}/events?${everyFilter}`), ready: settled },
  {
    name: 'events-no-match',
    path: filled(({ workspace }) => `${workspace}/events?search=nothing+like+this`),
    ready: settled,
  },
  {
    name: 'events-event-time',
    path: filled(({ workspace }) => `${workspace}/events?by=event_time`),
    ready: settled,
  },
  { name: 'events-empty', path: empty(({ workspace }) => `${workspace}/events`), ready: settled },
  {
    name: 'events-error',
    path: filled(({ workspace }) => `${workspace}/events`),
    prepare: failing(/\/api\/workspaces\/[^/]+\/events$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'event-filled',
    path: filled(({ workspace }) => `${workspace}/events?search=order`),
    ready: openEvent(/Order Completed/),
  },
  {
    name: 'event-rejected',
    path: filled(({ workspace }) => `${workspace}/events?status=rejected`),
    ready: openEvent(/Rejected/),
  },
  {
    name: 'event-missing',
    path: filled(({ workspace }) => `${workspace}/events/0-0-0`),
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByRole('alert').waitFor()
      await settled(page)
    },
  },
]

/** The screens with figures of a workspace and of a source, and the events explorer. */
export const eventScreens: Screen[] = [...homeScreens, ...sourceScreens, ...explorerScreens]

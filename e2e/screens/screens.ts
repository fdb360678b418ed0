import type { Page } from '@playwright/test'
import { listedDestinations } from '@tributary/connectors'
import { audienceScreens } from './audience-screens.ts'
import { authScreens, registrationScreens } from './auth-screens.ts'
import { computedTraitScreens } from './computed-trait-screens.ts'
import { dataSourceScreens } from './data-source-screens.ts'
import { docsScreens } from './docs-screens.ts'
import { eventScreens } from './event-screens.ts'
import { frameScreens } from './frame-screens.ts'
import { grantScreens } from './grant-screens.ts'
import { liveScreens } from './live-screens.ts'
import { manyScreens } from './many-screens.ts'
import { mappingScreens } from './mapping-screens.ts'
import { ownScreens } from './own-screens.ts'
import { backlogged, failing, settled } from './prepare.ts'
import { privacyScreens } from './privacy-screens.ts'
import { profileScreens } from './profile-screens.ts'
import { schemaScreens } from './schema-screens.ts'
import type { Seed } from './seed.ts'
import { settingsScreens } from './settings-screens.ts'
import { signalScreens } from './signal-screens.ts'
import { signalSourceScreens } from './signal-source-screens.ts'
import { syncScreens } from './sync-screens.ts'

/** A screenshot: a page in a state. */
export type Screen = {
  name: string
  path: (seed: Seed) => string
  /** Resolves when the page is ready for the screenshot. */
  ready: (page: Page, seed: Seed) => Promise<void>
  /** Replaces responses of the server by responses that a real server would not give in a test. */
  prepare?: (page: Page, seed: Seed) => Promise<void>
  signedOut?: boolean
  /** Whether a guest of the organization opens the page, instead of its administrator. */
  asGuest?: boolean
  /** Whether the screenshot is taken before any organization exists. */
  before?: boolean
  /**
   * Whether a menu or tooltip is open. It is outside the landmarks, because its content belongs to the button that
   * opened it.
   */
  opensMenu?: boolean
  /** Widths of the page in px, if they are not the usual ones. */
  widths?: readonly number[]
  /** Whether the screenshot has only the visible part, because the height of the page depends on its rows. */
  inView?: boolean
  /** Whether the screen shows failed calls, so that the browser's own message about them is not a problem. */
  expectsFailedCalls?: boolean
}

const heading =
  (name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('heading', { name }).first().waitFor()
    await page.waitForLoadState('networkidle')
  }

const filled = (path: (seed: Seed['filled']) => string) => (seed: Seed) => `/${path(seed.filled)}`
const empty = (path: (seed: Seed['empty']) => string) => (seed: Seed) => `/${path(seed.empty)}`

/** Returns a screen of the workspace in its three states. In the error state, the calls of the API part `call` fail. */
const states = (
  name: string,
  full: (seed: Seed) => string,
  bare: ((seed: Seed) => string) | undefined,
  call: RegExp,
): Screen[] => [
  { name: `${name}-filled`, path: full, ready: settled },
  ...(bare === undefined ? [] : [{ name: `${name}-empty`, path: bare, ready: settled }]),
  { name: `${name}-error`, path: full, ready: settled, prepare: failing(call), expectsFailedCalls: true },
]

export const screens: Screen[] = [
  {
    name: 'login',
    path: () => '/auth/login',
    ready: async (page) => page.getByRole('button', { name: 'Sign in' }).waitFor(),
    signedOut: true,
  },
  {
    name: 'login-error',
    path: () => '/auth/login',
    signedOut: true,
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByRole('textbox', { name: 'Email' }).fill('nobody@example.com')
      await page.getByRole('textbox', { name: 'Password' }).fill('Wrong-password-1')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').first().waitFor()
    },
  },
  {
    name: 'login-required',
    path: () => '/auth/login',
    signedOut: true,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Password is required').waitFor()
    },
  },
  ...settingsScreens,
  ...manyScreens,
  ...authScreens,
  ...docsScreens,
  ...registrationScreens.map((screen): Screen => ({ ...screen, before: true })),
  {
    name: 'no-organization',
    path: () => '/',
    ready: async (page) => page.getByText('No organization found').waitFor(),
    before: true,
  },
  { name: 'onboarding', path: () => '/onboarding/', ready: settled, before: true },
  { name: 'workspaces-filled', path: () => '/', ready: settled },
  {
    name: 'workspaces-error',
    path: () => '/',
    ready: settled,
    prepare: failing(/\/api\/workspaces$/),
    expectsFailedCalls: true,
  },
  {
    name: 'not-found',
    path: () => '/nowhere/at/all',
    // The server responds to the page itself with 404.
    expectsFailedCalls: true,
    ready: heading('The requested page was not found.'),
  },
  ...states(
    'overview',
    filled(({ workspace }) => workspace),
    empty(({ workspace }) => workspace),
    /\/api\/workspaces\/[^/]+\/(sources|destinations|events)$/,
  ),
  ...states(
    'sources',
    filled(({ workspace }) => `${workspace}/sources`),
    empty(({ workspace }) => `${workspace}/sources`),
    /\/api\/workspaces\/[^/]+\/sources$/,
  ),
  ...states(
    'catalog-sources',
    filled(({ workspace }) => `${workspace}/catalog-sources`),
    undefined,
    /\/catalogSources$/,
  ),
  ...states(
    'new-source',
    filled(({ workspace }) => `${workspace}/catalog-sources/javascript/new`),
    undefined,
    /\/catalogSources\/?/,
  ),
  {
    name: 'new-source-lists-error',
    path: filled(({ workspace }) => `${workspace}/catalog-sources/javascript/new`),
    ready: settled,
    prepare: failing(/\/sourceSchemaTemplates$/),
    expectsFailedCalls: true,
  },
  {
    name: 'new-source-required',
    path: filled(({ workspace }) => `${workspace}/catalog-sources/javascript/new`),
    ready: async (page) => {
      await page.getByRole('textbox', { name: 'Title' }).fill('')
      await page.getByRole('button', { name: 'Clear Schema' }).click()
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('Schema template is required').waitFor()
    },
  },
  {
    name: 'new-source-schema',
    opensMenu: true,
    path: filled(({ workspace }) => `${workspace}/catalog-sources/javascript/new`),
    ready: async (page) => {
      await page.getByRole('combobox', { name: 'Schema' }).click()
      await page.getByRole('option').first().waitFor()
      await settled(page)
    },
  },
  ...states(
    'source-live',
    filled(({ source }) => source),
    empty(({ source }) => source),
    /\/api\/workspaces\/[^/]+\/sources\/[^/]+(\/events)?$/,
  ),
  ...states(
    'source-refused',
    filled(({ source }) => `${source}#refused`),
    empty(({ source }) => `${source}#refused`),
    /\/refusedRequests$/,
  ),
  {
    name: 'source-backlog',
    path: filled(({ source }) => source),
    ready: async (page) => {
      await page.getByRole('region', { name: 'Events are being refused' }).waitFor()
      await settled(page)
    },
    prepare: backlogged,
  },
  ...states(
    'source-setup',
    filled(({ source }) => `${source}#setup`),
    empty(({ source }) => `${source}#setup`),
    /\/writekeys$/,
  ),
  ...states(
    'source-connections',
    filled(({ source }) => `${source}#connections`),
    undefined,
    /\/connections$/,
  ),
  ...states(
    'source-settings',
    filled(({ source }) => `${source}#settings`),
    undefined,
    /\/api\/workspaces\/[^/]+\/sources\/[^/]+$/,
  ),
  ...schemaScreens,
  ...signalSourceScreens,
  ...mappingScreens,
  ...grantScreens,
  {
    name: 'source-setup-signed',
    path: filled(({ payments }) => `${payments}#setup`),
    ready: async (page) => {
      await page.getByText('is not set yet').waitFor()
      await settled(page)
    },
  },
  {
    name: 'source-settings-template',
    path: filled(({ tickets }) => `${tickets}#settings`),
    ready: async (page) => page.getByText('"Ticket closed"').waitFor(),
  },
  {
    name: 'source-settings-template-wrong',
    expectsFailedCalls: true,
    path: filled(({ tickets }) => `${tickets}#settings`),
    ready: async (page) => {
      await page.locator('.cm-editor').first().waitFor()
      await page.getByLabel('Template', { exact: true }).fill('{\n  "event": "{{ body.state | shout }}"\n}')
      await page.getByRole('region', { name: 'Preview' }).getByRole('alert').waitFor()
      await page
        .getByText(/^Error at/)
        .nth(1)
        .waitFor()
    },
  },
  {
    name: 'source-event',
    path: filled(({ source }) => source),
    ready: async (page) => {
      await page.getByRole('table').getByRole('row').nth(3).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().waitFor()
      await settled(page)
    },
  },
  {
    name: 'source-event-rejected',
    path: filled(({ source }) => source),
    ready: async (page) => {
      await page
        .getByRole('row', { name: /Rejected/ })
        .first()
        .click()
      await page.getByRole('dialog').getByText('A track event needs its name').waitFor()
      await settled(page)
    },
  },
  {
    name: 'source-left-out-error',
    path: filled(({ source }) => `${source}#refused`),
    ready: settled,
    prepare: failing(/\/droppedEvents$/),
    expectsFailedCalls: true,
  },
  {
    name: 'source-key-create',
    path: filled(({ source }) => `${source}#setup`),
    ready: async (page) => {
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'source-key-rotate',
    path: filled(({ source }) => `${source}#setup`),
    ready: async (page) => {
      await page.getByRole('button', { name: 'Rotate' }).first().click()
      await page.getByRole('alertdialog').or(page.getByRole('dialog')).first().waitFor()
    },
  },
  {
    name: 'source-delete',
    path: filled(({ source }) => `${source}#settings`),
    ready: async (page) => {
      await page.getByRole('button', { name: 'Delete source' }).click()
      await page.getByRole('alertdialog').or(page.getByRole('dialog')).first().waitFor()
    },
  },
  ...states(
    'destinations',
    filled(({ workspace }) => `${workspace}/destinations`),
    empty(({ workspace }) => `${workspace}/destinations`),
    /\/api\/workspaces\/[^/]+\/destinations$/,
  ),
  ...states(
    'catalog-destinations',
    filled(({ workspace }) => `${workspace}/catalog-destinations`),
    undefined,
    /\/catalogDestinations$/,
  ),
  ...states(
    'new-destination',
    filled(({ workspace }) => `${workspace}/catalog-destinations/webhook/new`),
    undefined,
    /\/catalogDestinations\/?/,
  ),
  ...listedDestinations.map(
    ({ slug }): Screen => ({
      name: `new-destination-${slug}`,
      path: filled(({ workspace }) => `${workspace}/catalog-destinations/${slug}/new`),
      ready: settled,
    }),
  ),
  ...states(
    'destination-overview',
    filled(({ destination }) => destination),
    empty(({ destination }) => destination),
    /\/deliveryOverview$/,
  ),
  ...states(
    'destination-failing',
    filled(({ failing: name }) => name),
    undefined,
    /\/deliveryOverview$/,
  ),
  {
    name: 'connections-panel',
    path: filled(({ workspace }) => `${workspace}/connections`),
    ready: async (page) => {
      await page.getByRole('button', { name: /^Connection from Online shop to Archive/ }).click()
      await page.getByRole('dialog', { name: 'Connection' }).getByRole('button', { name: 'Add condition' }).click()
      await settled(page)
    },
  },
  ...states(
    'destination-connections',
    filled(({ destination }) => `${destination}#connections`),
    undefined,
    /\/connections$/,
  ),
  ...states(
    'destination-settings',
    filled(({ destination }) => `${destination}#settings`),
    undefined,
    /\/api\/workspaces\/[^/]+\/destinations\/[^/]+$/,
  ),
  { name: 'destination-paused', path: filled(({ paused }) => paused), ready: settled },
  ...(['waiting', 'paused'] as const).map(
    (key): Screen => ({
      name: `destination-failures-${key}`,
      path: filled((seed) => `${seed[key]}#failures`),
      ready: settled,
    }),
  ),
  ...states(
    'destination-failures',
    filled(({ failing: name }) => `${name}#failures`),
    empty(({ destination }) => `${destination}#failures`),
    /\/failureGroups$/,
  ),
  {
    name: 'destination-failure-group',
    path: filled((seed) => `${seed.failing}#failures`),
    ready: async (page) => {
      await page.getByRole('table', { name: 'Failures' }).getByRole('row').nth(1).click()
      await page.getByRole('region', { name: 'Affected events' }).waitFor()
      await settled(page)
    },
  },
  ...states(
    'destination-replay',
    filled(({ replayed }) => `${replayed}#replay`),
    empty(({ destination }) => `${destination}#replay`),
    /\/replays$/,
  ),
  {
    name: 'destination-replay-delivering',
    path: filled(({ replayed }) => `${replayed}#replay`),
    prepare: async (page) => {
      await page.route(/\/replays(\?|$)/, async (route) => {
        const response = await route.fetch().catch(() => undefined)
        if (response === undefined) return await route.abort().catch(() => {})
        const { replays, ...rest } = (await response.json()) as { replays: object[] }
        const counts = { event_count: 43, sent_count: 43, delivered_count: 30, filtered_count: 3, failed_count: 1 }
        const delivering = { ...replays[0], ...counts, state: 'delivering' }
        await route.fulfill({ response, json: { ...rest, replays: [delivering, ...replays.slice(1)] } })
      })
    },
    ready: async (page) => {
      await page.getByRole('listitem', { name: 'History, delivering' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'destination-replay-new',
    path: filled(({ waiting }) => `${waiting}?replay=history#replay`),
    ready: async (page) => {
      const form = page.getByRole('dialog', { name: 'New replay' })
      await form.getByRole('button', { name: 'Add condition' }).click()
      await form.getByLabel('Field of condition 1').fill('type')
      await form.getByLabel('Value of condition 1').fill('track')
      await form.getByRole('button', { name: 'Count events' }).click()
      await form.getByRole('status').waitFor()
      await form.getByRole('status').scrollIntoViewIfNeeded()
      await settled(page)
    },
  },
  {
    name: 'destination-replay-dead',
    path: filled(({ failing }) => `${failing}?replay=dead#replay`),
    ready: async (page) => {
      const form = page.getByRole('dialog', { name: 'New replay' })
      await form.getByLabel('Event name').fill('Order Completed')
      await form.getByRole('button', { name: 'Add condition' }).click()
      await form.getByLabel('Field of condition 1').fill('properties.total')
      await form.getByLabel('Value of condition 1').fill('19.9')
      await form.getByRole('button', { name: 'Count events' }).click()
      await form.getByRole('button', { name: /^Replay \d/ }).waitFor()
      await settled(page)
    },
  },
  ...states(
    'destination-deliveries',
    filled(({ destination }) => `${destination}#deliveries`),
    empty(({ destination }) => `${destination}#deliveries`),
    /\/deliveries$/,
  ),
  {
    name: 'destination-delivery-notes',
    path: filled(({ destination }) => `${destination}#deliveries`),
    prepare: async (page) => {
      await page.route(
        ({ pathname }) => pathname.endsWith('/deliveries'),
        async (route) => {
          const response = await route.fetch()
          const { deliveries, ...rest } = (await response.json()) as { deliveries: { status: string }[] }
          const reason =
            '"Email" (customer.email) is not sent: the profile is not known; currency: the default EUR is used; ' +
            "values of the profile by the profile's consent of 2026-01-02T03:04:05.000Z"
          const noted = deliveries.map((each) => (each.status === 'delivered' ? { ...each, reason } : each))
          await route.fulfill({ response, json: { ...rest, deliveries: noted } })
        },
      )
    },
    ready: async (page) => {
      await settled(page)
      await page.getByRole('row').filter({ hasText: 'Delivered' }).first().click()
      await page.getByRole('dialog').waitFor()
      await settled(page)
    },
  },
  {
    name: 'destination-paused-settings',
    path: filled(({ paused }) => `${paused}#settings`),
    ready: async (page) => {
      await settled(page)
      const batches = page.getByRole('switch', { name: 'Send in batches' })
      if (!(await batches.isChecked())) {
        await batches.click()
        await page.getByRole('button', { name: 'Save', exact: true }).click()
      }
      await page.getByRole('textbox', { name: 'Events per batch' }).waitFor()
      await page.getByText('Setting Updated').waitFor({ state: 'detached' })
    },
  },
  {
    name: 'new-destination-batches',
    path: filled(({ workspace }) => `${workspace}/catalog-destinations/webhook/new`),
    ready: async (page) => {
      await page.getByRole('switch', { name: 'Send in batches' }).click()
      await page.getByRole('textbox', { name: 'URL' }).fill('https://example.com/hook')
      await page.getByRole('textbox', { name: 'Events per batch' }).fill('5000')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('At most 1,000', { exact: true }).waitFor()
    },
  },
  {
    name: 'help-menu',
    opensMenu: true,
    path: filled(({ workspace }) => workspace),
    ready: async (page) => {
      await settled(page)
      if (!(await page.getByRole('button', { name: 'Help' }).isVisible()))
        await page
          .getByRole('button', { name: /menu|navigation/i })
          .first()
          .click()
      await page.getByRole('button', { name: 'Help' }).click()
      await page.getByRole('menuitem', { name: /API documentation/ }).waitFor()
    },
  },
  {
    name: 'source-missing',
    path: filled(({ workspace }) => `${workspace}/sources/00000000-0000-7000-8000-000000000000`),
    ready: settled,
    expectsFailedCalls: true,
  },
  {
    name: 'source-forbidden',
    path: filled(({ source }) => source),
    ready: settled,
    prepare: failing(/\/api\/workspaces\/[^/]+\/sources\/[^/]+$/, 403),
    expectsFailedCalls: true,
  },
  {
    name: 'overview-masked',
    path: filled(({ workspace }) => workspace),
    prepare: async (page) => {
      await page.addInitScript(() => localStorage.setItem('mask_metric_values', 'true'))
    },
    ready: settled,
  },
  {
    name: 'source-warehouse-away',
    path: filled(({ workspace }) => `${workspace}/sources`),
    ready: settled,
    prepare: failing(/\/api\/workspaces\/[^/]+\/sources$/, 412),
    expectsFailedCalls: true,
  },
  {
    name: 'page-fault',
    path: filled(({ workspace }) => `${workspace}/sources`),
    prepare: async (page) => {
      await page.route(/\/assets\/sources-page-[^/]*\.js$/, (route) =>
        route.fulfill({ contentType: 'text/javascript', body: "throw new Error('Broken on purpose')" }),
      )
    },
    ready: heading('Ooops, something went wrong!'),
    expectsFailedCalls: true,
  },
  ...liveScreens,
  ...frameScreens,
  ...eventScreens,
  ...profileScreens,
  ...computedTraitScreens,
  ...privacyScreens,
  ...audienceScreens,
  ...dataSourceScreens,
  ...ownScreens,
  ...syncScreens,
  ...signalScreens,
]

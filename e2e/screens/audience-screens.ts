import type { Page } from '@playwright/test'
import type { MethodResponse, methods } from '@tributary/contract'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const list = ({ filled }: Seed): string => `/${filled.workspace}/audiences`
const builder = ({ filled }: Seed): string => `/${filled.workspace}/audiences/new?template=high-value`

const newList = ({ filled }: Seed): string => `/${filled.workspace}/audiences/new?from=list`

/** A file of a shop, in which one person has a profile with the email. */
const shopFile = [
  'name,customer_id,email',
  'Ada,customer-1,ada@example.com',
  'Nobody,customer-90,nobody@example.com',
  'Broken,customer-91,broken',
  'Ada,customer-1,ADA@example.com',
].join('\n')

const pasteList = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Identifiers' }).fill(text)
  await page.getByRole('button', { name: 'Check identifiers' }).click()
}

/** Opens the audience that was created from a list, on one of its tabs. */
const openList =
  (tab: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('table', { name: 'Audiences' }).getByRole('link', { name: 'Invited customers' }).click()
    await page.getByRole('tab', { name: tab }).click()
    await settled(page)
  }

/** Opens the audience that was created for the screenshots, on one of its tabs. */
const openAudience =
  (tab: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('table', { name: 'Audiences' }).getByRole('link', { name: 'Repeat customers' }).click()
    await page.getByRole('tab', { name: tab }).click()
    await settled(page)
  }

/** Changes the server's responses to calls of a path. */
const rewriting =
  <T>(path: RegExp, change: (answer: T) => object) =>
  async (page: Page): Promise<void> => {
    await page.route(
      (url) => path.test(url.pathname),
      async (route) => {
        // A repeated request may still be running when the page is closed.
        const response = await route.fetch().catch(() => undefined)
        const answer = (await response?.json().catch(() => undefined)) as T | undefined
        if (response !== undefined && answer !== undefined)
          await route.fulfill({ response, json: change(answer) }).catch(() => {})
      },
    )
  }

type Answer = MethodResponse<typeof methods.audiences.get>

/** Changes the server's response for an audience. Responses for resources below it are unchanged. */
const answering = (change: Partial<Answer>) =>
  rewriting<Answer>(/\/api\/workspaces\/[^/]+\/audiences\/[^/]+$/, (answer) => ({ ...answer, ...change }))

const reading = { step: 'events', share: 0.4567 } as const
const tooHeavy = 'This audience has too many profiles to look at. Choose shorter times or rarer events'

/** Fakes a list with one audience of each state. */
const answeringStates = rewriting<MethodResponse<typeof methods.audiences.list>>(
  /\/api\/workspaces\/[^/]+\/audiences$/,
  ({ audiences: [first], ...rest }) => {
    const states = [
      { title: 'New customers of the last four weeks', state: 'preparing', size: null, as_of: null },
      { title: 'Abandoned carts', state: 'computing', progress: reading, size: 12_480 },
      {
        title: 'First orders',
        state: 'computing',
        progress: { step: 'waiting', share: null },
        size: null,
        as_of: null,
      },
      { title: 'High value', state: 'live' },
      { title: 'Lapsed', state: 'paused' },
      { title: 'Everyone who ever saw a page', state: 'failed' },
    ]
    return { ...rest, audiences: states.map((each, index) => ({ ...first, name: `${first?.name}${index}`, ...each })) }
  },
)

/** Fakes destinations in each state: receiving the present members, live, failing, and paused. */
const answeringDestinations = rewriting<MethodResponse<typeof methods.audiences.listDestinations>>(
  /\/audiences\/[^/]+\/destinations$/,
  (answer) => {
    const row = {
      app: { display_name: 'Webhook', extra: { app_icon: '' } },
      state: 'live' as const,
      enabled: true,
      fill_count: 12_480,
      fill_sent_count: 12_480,
      connect_time: '2026-03-04T05:06:07.890Z',
      waiting_count: 0,
      dead_count: 0,
      last_error: '',
    }
    const changes = [
      { title: 'Data team webhook', state: 'filling', fill_sent_count: 4300 },
      {
        title: 'Nightly import of a partner with a long name',
        waiting_count: 3,
        last_error: 'HTTP 503: back in an hour',
      },
      { title: 'Archive', dead_count: 128, last_error: 'HTTP 404: {"error":"no such hook"}' },
      { title: 'Partner feed', enabled: false },
    ]
    const of = answer.available[0]?.name.slice(0, -1) ?? ''
    return { ...answer, destinations: changes.map((each, index) => ({ ...row, ...each, name: `${of}${index}` })) }
  },
)

/** Opens the audience that was created for the screenshots, on a tab, and opens a dialog there. */
const openDialog = (tab: string, button: string) => async (page: Page) => {
  await openAudience(tab)(page)
  await page.getByRole('button', { name: button }).first().click()
  await page.getByRole('dialog').waitFor()
  await settled(page)
}

/** Fakes a preview of many profiles, which stays an estimate: the exact number never arrives. */
const estimating = async (page: Page): Promise<void> => {
  await page.route(/\/audiences:preview$/, async (route) => {
    const { estimate } = route.request().postDataJSON() as { estimate: boolean }
    if (!estimate) return
    const response = await route.fetch()
    const counts = { size: 48_391, email_count: 40_112, phone_count: 9120, device_count: 47_002 }
    await route.fulfill({ response, json: { ...(await response.json()), ...counts, exact: false } })
  })
}

/** The screens of the list of audiences, the builder, and an audience with each of its tabs. */
export const audienceScreens: Screen[] = [
  { name: 'audiences-filled', path: list, ready: settled },
  { name: 'audiences-empty', path: ({ empty }) => `/${empty.workspace}/audiences`, ready: settled },
  {
    name: 'audiences-error',
    path: list,
    prepare: failing(/\/api\/workspaces\/[^/]+\/audiences$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'audience-builder',
    path: builder,
    ready: async (page) => {
      await page.getByText('Exact as of').waitFor()
      await settled(page)
    },
  },
  {
    name: 'audiences-states',
    path: list,
    prepare: answeringStates,
    ready: async (page) => {
      await page.getByText('Computing 45%').waitFor()
      await settled(page)
    },
  },
  ...(
    [
      ['preparing', { state: 'preparing', size: null, as_of: null }],
      ['computing', { state: 'computing', progress: reading }],
      ['paused', { state: 'paused' }],
      ['failed', { state: 'failed', failure: tooHeavy }],
    ] satisfies [string, Partial<Answer>][]
  ).map(
    ([state, answer]): Screen => ({
      name: `audience-${state}`,
      path: list,
      prepare: answering(answer),
      // The page of an audience that is being computed never settles, because its button keeps turning.
      ready: async (page) => {
        await page.getByRole('table', { name: 'Audiences' }).getByRole('link', { name: 'Repeat customers' }).click()
        await page.getByRole('table', { name: 'Profiles' }).getByRole('row').nth(1).waitFor()
        await page.waitForLoadState('networkidle')
      },
    }),
  ),
  {
    name: 'audience-builder-estimate',
    path: builder,
    prepare: estimating,
    ready: async (page) => {
      await page.getByText('Estimated from a sample').waitFor()
    },
  },
  {
    name: 'audience-builder-too-heavy',
    path: builder,
    prepare: async (page) => {
      const json = { code: 400, reason: 'QUERY_TOO_LARGE', message: tooHeavy, metadata: {} }
      await page.route(/\/audiences:preview$/, (route) => route.fulfill({ status: 400, json }))
    },
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByText('Could not count the profiles').waitFor()
      await settled(page)
    },
  },
  {
    name: 'audience-builder-groups',
    path: builder,
    ready: async (page) => {
      await page.getByText('Exact as of').waitFor()
      await page.getByRole('button', { name: 'Add segment' }).first().click()
      await page.getByRole('button', { name: 'Add trait condition' }).first().click()
      await page.getByRole('button', { name: 'Add audience condition' }).first().click()
      await page.getByRole('button', { name: 'Add group' }).click()
      await settled(page)
    },
  },
  {
    name: 'audience-builder-warnings',
    path: builder,
    ready: async (page) => {
      await page.getByRole('combobox', { name: 'Property' }).fill('totl')
      await page.getByText('No property named').waitFor()
      await page.getByRole('button', { name: 'Add trait condition' }).first().click()
      await page.getByRole('combobox', { name: 'Trait' }).fill('plam')
      await page.getByLabel('Value').last().fill('team')
      await page.getByRole('heading', { name: 'Who is in it' }).click()
      await page.getByText('No trait named').waitFor()
      await settled(page)
    },
  },
  {
    name: 'audience-builder-errors',
    path: ({ filled }) => `/${filled.workspace}/audiences/new`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add trait condition' }).click()
      await page.getByRole('textbox', { name: 'Times' }).fill('1a')
      await page.getByRole('button', { name: 'Add group' }).click()
      await page.getByRole('button', { name: 'Create' }).click()
      await settled(page)
    },
  },
  {
    name: 'audience-builder-dates',
    path: ({ filled }) => `/${filled.workspace}/audiences/new`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add trait condition' }).click()
      await page.getByRole('button', { name: 'Delete condition 1' }).click()
      for (const comparison of ['is before', 'is between', 'is in the last … days', 'is today (UTC)']) {
        await page.getByRole('button', { name: 'Add trait', exact: true }).click()
        await page.getByRole('combobox', { name: 'Type' }).last().selectOption('Date')
        await page.getByRole('combobox', { name: 'Comparison' }).last().selectOption(comparison)
      }
      await settled(page)
    },
  },
  {
    name: 'audience-builder-no-count',
    path: builder,
    prepare: failing(/\/audiences:preview$/),
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByText('Could not count the profiles').waitFor()
      await settled(page)
    },
  },
  { name: 'audience-profiles', path: list, ready: openAudience('Profiles') },
  { name: 'audience-history', path: list, ready: openAudience('History') },
  {
    name: 'audience-check',
    path: list,
    ready: async (page) => {
      await openAudience('Check a profile')(page)
      await page
        .getByRole('button', { name: /^Check / })
        .first()
        .click()
      await page.getByRole('list', { name: 'Conditions' }).waitFor()
      await settled(page)
    },
  },
  { name: 'audience-versions', path: list, ready: openAudience('Versions') },
  {
    name: 'audience-version',
    path: list,
    ready: async (page) => {
      await openAudience('Versions')(page)
      await page.getByRole('table', { name: 'Versions' }).getByRole('row').last().click()
      await page.getByRole('dialog').waitFor()
      await settled(page)
    },
  },
  {
    name: 'audience-edit-conflict',
    path: list,
    expectsFailedCalls: true,
    prepare: async (page) => {
      const metadata = { version: '1', author: 'Grace Hopper', time: '2026-03-04T05:06:07.890Z' }
      const body = { code: 409, reason: 'AUDIENCE_CHANGED', message: 'Grace Hopper changed this audience', metadata }
      await page.route(/\/audiences\/[^/?]+\?/, (route) =>
        route.request().method() === 'PATCH' ? route.fulfill({ status: 409, json: body }) : route.fallback(),
      )
    },
    ready: async (page) => {
      await page.getByRole('table', { name: 'Audiences' }).getByRole('link', { name: 'Repeat customers' }).click()
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByRole('button', { name: 'Save Changes' }).click()
      await page.getByRole('alert', { name: 'The audience has changed' }).waitFor()
      await settled(page)
    },
  },
  { name: 'audience-destinations', path: list, ready: openAudience('Destinations') },
  {
    name: 'audience-destinations-connected',
    path: list,
    prepare: answeringDestinations,
    ready: openAudience('Destinations'),
  },
  { name: 'audience-connect', path: list, ready: openDialog('Destinations', 'Connect destination') },
  {
    name: 'audience-resend',
    path: list,
    prepare: answeringDestinations,
    ready: openDialog('Destinations', 'Resend to'),
  },
  {
    name: 'audience-delete',
    path: list,
    prepare: answeringDestinations,
    ready: openDialog('Settings', 'Delete audience'),
  },
  {
    name: 'audience-delete-in-use',
    path: list,
    prepare: answering({ dependents: [{ name: 'workspaces/a/audiences/b', title: 'Lapsed customers' }] }),
    ready: openAudience('Settings'),
  },
  { name: 'audience-list-new', path: newList, ready: settled },
  {
    name: 'audience-list-errors',
    path: newList,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Check identifiers' }).click()
      await settled(page)
    },
  },
  {
    name: 'audience-list-checked',
    path: newList,
    ready: async (page) => {
      await page.getByRole('textbox', { name: 'Title' }).fill('Invited by mail')
      await page.getByRole('textbox', { name: 'Identifiers' }).fill(shopFile)
      await page.getByRole('combobox', { name: 'Column' }).selectOption('email')
      await page.getByRole('button', { name: 'Check identifiers' }).click()
      await page.getByRole('region', { name: 'Result' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'audience-list-nobody',
    path: newList,
    ready: async (page) => {
      await pasteList(page, 'nobody\nno one')
      await page.getByText('No profile has one of these identifiers.').waitFor()
      await settled(page)
    },
  },
  {
    name: 'audience-list-failed',
    path: newList,
    prepare: failing(/\/audiences:importList$/),
    expectsFailedCalls: true,
    ready: async (page) => {
      await pasteList(page, 'ada')
      await page.getByText('Could not look up the identifiers').waitFor()
      await settled(page)
    },
  },
  { name: 'audience-list-profiles', path: list, ready: openList('Profiles') },
  { name: 'audience-list-versions', path: list, ready: openList('Versions') },
  {
    name: 'audience-list-remove',
    path: list,
    ready: async (page) => {
      await openList('Profiles')(page)
      await page
        .getByRole('button', { name: /^Remove .* from the list$/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
      await settled(page)
    },
  },
  {
    name: 'audience-list-edit',
    path: list,
    ready: async (page) => {
      await openList('Profiles')(page)
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByRole('combobox', { name: 'Change' }).selectOption('Replace the list')
      await settled(page)
    },
  },
  { name: 'audience-sql', path: list, ready: openAudience('SQL') },
  { name: 'audience-settings', path: list, ready: openAudience('Settings') },
  {
    name: 'audience-missing',
    path: ({ filled }) => `/${filled.workspace}/audiences/unknown`,
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByRole('alert').waitFor()
      await settled(page)
    },
  },
]

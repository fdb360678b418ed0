import type { Page } from '@playwright/test'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'
import type { SignalSeed } from './signal-seed.ts'

const at = (path: (seed: SignalSeed) => string) => (seed: Seed) => `/${path(seed.signals)}`
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const list = ({ workspace }: SignalSeed): string => `${workspace}/signals`
const wizard = ({ workspace }: SignalSeed): string => `${workspace}/signals/new`

/** Fakes an empty draft, so that values entered for other screenshots do not appear. */
const withoutDraft = async (page: Page): Promise<void> => {
  await page.route(/\/signalDraft(\?|$)/, (route) =>
    route.fulfill({ json: { name: 'workspaces/w/signalDraft', entered: {}, update_time: null } }),
  )
}

/** Opens the steps of a new signal one by one, up to the given step. */
const toStep =
  (step: number) =>
  async (page: Page): Promise<void> => {
    await settled(page)
    const act = [
      async () => {
        await button(page, 'Add source').click()
        await page.getByRole('option', { name: /^Online shop/ }).click()
      },
      async () => {},
      async () => {},
      async () => {},
      async () => {
        await page.getByRole('checkbox', { name: 'Meta pixel of the shop' }).check()
        await page.getByRole('checkbox', { name: 'Analytics of the shop' }).check()
      },
    ]
    for (let done = 0; done < step; done++) {
      await act[done]?.()
      await button(page, 'Continue').click()
      await settled(page)
    }
  }

/** Fakes a version of an API that ends soon, because no current version does. */
const ending = async (page: Page): Promise<void> => {
  await page.route(/\/signals:listPlatforms\?/, async (route) => {
    const answer = await route.fetch()
    const { platforms, ...rest } = await answer.json()
    const api_notice = 'Version v25.0 of the API of Meta ends on 2027-02-18. Update Tributary before'
    await route.fulfill({ json: { ...rest, platforms: platforms.map((each: object) => ({ ...each, api_notice })) } })
  })
}

/** Waits until a tab of a signal's page shows its data. */
const tabShown = async (page: Page): Promise<void> => {
  await page.getByRole('tab', { name: 'Overview' }).waitFor()
  await settled(page)
}

const tabs = ['', 'quality', 'attribution', 'conversions', 'settings'] as const
const calls = {
  '': /:getOverview$/,
  quality: /:getQuality$/,
  attribution: /:getAttribution$/,
  conversions: /\/conversions$/,
  settings: /:listPlatforms$/,
} as const

const tabScreens = tabs.flatMap((tab): Screen[] => {
  const name = `signal-${tab === '' ? 'overview' : tab}`
  const hash = tab === '' ? '' : `#${tab}`
  const wide = tab === 'conversions' ? { inView: true } : {}
  return [
    { name: `${name}-filled`, path: at(({ signal }) => `${signal}${hash}`), ready: tabShown, ...wide },
    { name: `${name}-empty`, path: at(({ quiet }) => `${quiet}${hash}`), ready: tabShown },
    {
      name: `${name}-error`,
      path: at(({ signal }) => `${signal}${hash}`),
      prepare: failing(calls[tab]),
      expectsFailedCalls: true,
      ready: tabShown,
    },
  ]
})

/**
 * The screens of the list of signals, the steps to a new one, a signal with its tabs, attribution of all, and consent.
 */
export const signalScreens: Screen[] = [
  { name: 'signals-filled', path: at(list), ready: settled },
  { name: 'signals-notice', path: at(list), prepare: ending, ready: settled },
  { name: 'signals-empty', path: ({ empty }) => `/${empty.workspace}/signals`, ready: settled },
  {
    name: 'signals-error',
    path: at(list),
    prepare: failing(/\/api\/workspaces\/[^/]+\/signals$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  { name: 'signals-guest', path: ({ filled }) => `/${filled.workspace}/signals`, asGuest: true, ready: settled },
  ...['trigger', 'conversion', 'value', 'event-id', 'platforms', 'review'].map((name, step) => ({
    name: `new-signal-${name}`,
    path: at(wizard),
    prepare: withoutDraft,
    ready: toStep(step),
  })),
  {
    name: 'new-signal-draft-error',
    path: at(wizard),
    prepare: failing(/\/signalDraft$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'new-signal-required',
    path: at(wizard),
    prepare: withoutDraft,
    ready: async (page) => {
      await settled(page)
      await button(page, 'Add condition').click()
      await button(page, 'Continue').click()
      await page.getByText('Choose at least one source').waitFor()
    },
  },
  {
    name: 'new-signal-warnings',
    path: at(wizard),
    prepare: withoutDraft,
    ready: async (page) => {
      await toStep(2)(page)
      await page.getByRole('combobox', { name: 'Currency' }).fill('properties.curency')
      await page.getByRole('heading', { name: 'What is it worth?' }).click()
      await page.getByText('No property named').waitFor()
      await settled(page)
    },
  },
  {
    name: 'new-signal-refunds',
    path: at(wizard),
    prepare: withoutDraft,
    ready: async (page) => {
      await toStep(3)(page)
      await page.getByRole('switch', { name: 'Send refunds' }).click()
      await settled(page)
    },
  },
  {
    name: 'new-signal-audience',
    path: at(wizard),
    prepare: withoutDraft,
    ready: async (page) => {
      await settled(page)
      await page.getByRole('radio', { name: /^Entry into an audience/ }).check()
      await settled(page)
    },
  },
  {
    name: 'new-signal-platform-fields',
    path: at(wizard),
    prepare: withoutDraft,
    ready: async (page) => {
      await toStep(4)(page)
      await page.getByRole('checkbox', { name: 'Meta pixel of the shop' }).check()
      await button(page, 'Edit fields').click()
      await page.getByRole('list', { name: 'Fields' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'new-signal-no-platform',
    path: ({ empty }) => `/${empty.source.split('/sources/')[0] ?? ''}/signals/new`,
    prepare: withoutDraft,
    ready: async (page) => {
      await settled(page)
      await button(page, 'Add source').click()
      await page.getByRole('option', { name: /^Silent source/ }).click()
      for (let step = 0; step < 4; step++) await button(page, 'Continue').click()
      await page.getByText('Add a platform first').waitFor()
      await settled(page)
    },
  },
  {
    name: 'new-signal-payload',
    path: at(wizard),
    prepare: withoutDraft,
    ready: async (page) => {
      await toStep(5)(page)
      await button(page, 'Payload').first().click()
      await page.getByRole('dialog').waitFor()
      await settled(page)
    },
  },
  {
    name: 'new-signal-preview-error',
    path: at(wizard),
    prepare: async (page) => {
      await withoutDraft(page)
      await failing(/signals:preview$/)(page)
    },
    expectsFailedCalls: true,
    ready: toStep(5),
  },
  ...tabScreens,
  {
    name: 'signal-conversion',
    path: at(({ signal }) => `${signal}#conversions`),
    inView: true,
    ready: async (page) => {
      await page.getByRole('table').getByRole('row').nth(2).click()
      await page.getByRole('dialog', { name: 'Conversion' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'signal-upload',
    path: at(({ quiet }) => `${quiet}#conversions`),
    ready: async (page) => {
      await button(page, 'Upload conversions').click()
      const buffer = Buffer.from(
        'event_id,event_time,value,currency,email\na-1,2026-11-25T10:00:00Z,25.50,USD,ada@example.com\na-2,yesterday,1,USD,\na-3,2026-11-25T10:00:00Z,"12,50",USD,\n',
      )
      await page.getByLabel('CSV file').setInputFiles({ name: 'shop.csv', mimeType: 'text/csv', buffer })
      await page.getByRole('region', { name: 'Report' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'signal-delete',
    path: at(({ quiet }) => `${quiet}#settings`),
    ready: async (page) => {
      await settled(page)
      await button(page, 'Delete signal').click()
      await settled(page)
    },
  },
  {
    name: 'signal-attribution-first-click',
    path: at(({ signal }) => `${signal}#attribution`),
    ready: async (page) => {
      await tabShown(page)
      await page.getByRole('combobox', { name: 'Click that counts' }).selectOption('first')
      await settled(page)
    },
  },
  { name: 'signal-attribution-all', path: at(({ workspace }) => `${workspace}/signals/attribution`), ready: settled },
  { name: 'signal-consent', path: at(({ workspace }) => `${workspace}/signals/settings`), ready: settled },
  {
    name: 'signal-consent-guest',
    path: ({ filled }) => `/${filled.workspace}/signals/settings`,
    asGuest: true,
    ready: settled,
  },
  {
    name: 'signal-consent-error',
    path: at(({ workspace }) => `${workspace}/signals/settings`),
    prepare: failing(/\/signalSettings$/),
    expectsFailedCalls: true,
    ready: settled,
  },
]

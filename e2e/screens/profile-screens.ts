import type { Page } from '@playwright/test'
import type { MethodResponse, methods, ProfileHistoryEntry } from '@tributary/contract'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const filled = (path: (seed: Seed['filled']) => string) => (seed: Seed) => `/${path(seed.filled)}`
const empty = (path: (seed: Seed['empty']) => string) => (seed: Seed) => `/${path(seed.empty)}`

const list = filled(({ workspace }) => `${workspace}/profiles`)
/** A search whose result is a user with traits, several identifiers, and events. */
const found = filled(({ workspace }) => `${workspace}/profiles?search=customer-1`)

/** Opens the found profile, on one of its tabs. */
const openProfile =
  (tab: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('table', { name: 'Profiles' }).getByRole('link').first().click()
    await page.getByRole('tab', { name: tab }).click()
    await settled(page)
  }

/** Fakes that earlier events are still being read, and that some events have no profile. */
const incomplete = async (page: Page): Promise<void> => {
  const answer: MethodResponse<typeof methods.profiles.getCoverage> = {
    start_time: new Date().toISOString(),
    event_count: 52_118,
    without_profile: [
      { reason: 'missing', event_count: 1204 },
      { reason: 'blocked', event_count: 311 },
      { reason: 'too_long', event_count: 2 },
    ],
    reading: { read_count: 2_150_000, event_count: 5_000_000 },
  }
  await page.route(
    (url) => url.pathname.endsWith('/profileCoverage'),
    (route) => route.fulfill({ json: answer }),
  )
}

/** Fakes a profile that was merged twice, split, and not joined with others. */
const eventful = async (page: Page): Promise<void> => {
  await page.route(
    (url) => /\/profiles\/[^/]+$/.test(url.pathname),
    async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as MethodResponse<typeof methods.profiles.get>
      const [first] = answer.history
      if (first === undefined) throw new Error('The profile has no history')
      const user = { type: 'user_id', value: 'customer-1' }
      const device = { type: 'anonymous_id', value: '0f6a1c52-2b1e-4a77-9d0e-8a4f5a0c7d11' }
      const shared = { type: 'anonymous_id', value: 'kiosk-in-the-store-at-the-corner-of-fifth-and-main' }
      const entry = (
        change: ProfileHistoryEntry['change'],
        identifiers: ProfileHistoryEntry['identifiers'],
        more: Partial<ProfileHistoryEntry> = {},
      ): ProfileHistoryEntry => ({ ...first, change, identifiers, by: user, ...more })
      const history = [
        entry('refused', [shared], { reason: 'split' }),
        entry('split', [shared], { by: null, event: '', profile: answer.name }),
        entry('refused', [{ type: 'email', value: 'ada.lovelace@example.com' }], { reason: 'limit' }),
        entry('merged', [{ type: 'user_id', value: 'ada' }], { alias: true, profile: answer.name }),
        entry('merged', [device, shared], { profile: answer.name }),
        first,
      ]
      await route.fulfill({ json: { ...answer, history } })
    },
  )
}

/** The screens of the list of profiles, and of a profile with each of its tabs. */
export const profileScreens: Screen[] = [
  { name: 'profiles-filled', path: list, ready: settled },
  { name: 'profiles-incomplete', path: list, prepare: incomplete, ready: settled },
  {
    name: 'profiles-no-match',
    path: filled(({ workspace }) => `${workspace}/profiles?search=nothing`),
    ready: settled,
  },
  { name: 'profiles-empty', path: empty(({ workspace }) => `${workspace}/profiles`), ready: settled },
  {
    name: 'profiles-error',
    path: list,
    prepare: failing(/\/api\/workspaces\/[^/]+\/profiles$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  { name: 'profile-traits', path: found, ready: openProfile('Traits') },
  {
    name: 'profile-trait-history',
    path: found,
    ready: async (page) => {
      await openProfile('Traits')(page)
      await page.getByRole('button', { name: 'Show history of plan' }).click()
      await page.getByRole('dialog').waitFor()
      await settled(page)
    },
  },
  { name: 'profile-identifiers', path: found, ready: openProfile('Identifiers') },
  { name: 'profile-events', path: found, ready: openProfile('Events') },
  {
    name: 'profile-events-event-time',
    path: found,
    ready: async (page) => {
      await openProfile('Events')(page)
      await page.getByLabel('Times and order').selectOption('event_time')
      await page.getByRole('columnheader', { name: 'Happened' }).waitFor({ state: 'attached' })
    },
  },
  { name: 'profile-history', path: found, ready: openProfile('History') },
  { name: 'profile-history-eventful', path: found, prepare: eventful, ready: openProfile('History') },
  { name: 'profiles-guest', path: list, asGuest: true, ready: settled },
  ...['Traits', 'Identifiers', 'Events', 'History'].map((tab) => ({
    name: `profile-guest-${tab.toLowerCase()}`,
    path: found,
    asGuest: true,
    ready: openProfile(tab),
  })),
  {
    name: 'profile-split',
    path: found,
    ready: async (page) => {
      await openProfile('Identifiers')(page)
      await page.getByRole('checkbox').nth(1).click()
      await page.getByRole('button', { name: 'Split off' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'profile-settings-identity',
    path: filled(({ workspace }) => `${workspace}/profiles/settings`),
    ready: settled,
  },
  {
    name: 'profile-settings-placeholders',
    path: filled(({ workspace }) => `${workspace}/profiles/settings`),
    ready: async (page) => {
      await settled(page)
      await page.getByText('values that are always blocked').click()
      await page.getByText('Swift and Objective-C').waitFor()
    },
  },
  {
    name: 'profile-settings-api',
    path: filled(({ workspace }) => `${workspace}/profiles/settings#api`),
    ready: settled,
  },
  {
    name: 'profile-settings-api-create',
    path: filled(({ workspace }) => `${workspace}/profiles/settings#api`),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByLabel('Kind').selectOption('public')
      await page.getByText('Anyone can read these traits').waitFor()
    },
  },
  {
    name: 'profile-settings-api-made',
    path: filled(({ workspace }) => `${workspace}/profiles/settings#api`),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByLabel('Title').fill('Recommendations')
      await page.getByRole('button', { name: 'Create key' }).last().click()
      await page.getByRole('dialog', { name: 'Save your API key' }).waitFor()
    },
  },
  {
    name: 'profile-settings-error',
    path: filled(({ workspace }) => `${workspace}/profiles/settings`),
    prepare: failing(/\/api\/workspaces\/[^/]+\/identitySettings$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'profile-missing',
    path: filled(({ workspace }) => `${workspace}/profiles/unknown`),
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByRole('alert').waitFor()
      await settled(page)
    },
  },
]

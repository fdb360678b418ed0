import type { Page } from '@playwright/test'
import { billingDialogScreens } from './billing-dialog-screens.ts'
import { billingScreens } from './billing-screens.ts'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'
import { staffStateScreens } from './staff-screens.ts'

const full =
  (path = '') =>
  (seed: Seed) =>
    `/${seed.filled.workspace}${path}`
const bare =
  (path = '') =>
  (seed: Seed) =>
    `/${seed.empty.workspace}${path}`

/** Opens the navigation on pages where it is an overlay. */
const showNavigation = async (page: Page): Promise<void> => {
  await settled(page)
  const open = page.getByRole('button', { name: 'Open navigation' })
  if (await open.isVisible()) await open.click()
}

const press = (name: string | RegExp, shown: (page: Page) => Promise<void>) => async (page: Page) => {
  await showNavigation(page)
  await page.getByRole('button', { name }).first().click()
  await shown(page)
}

const inboxShown = async (page: Page): Promise<void> => {
  await page.getByRole('dialog', { name: 'Notifications' }).waitFor()
  await page.waitForLoadState('networkidle')
}

/** Opens the inbox, which narrow pages have in their bar. */
const openInbox = async (page: Page): Promise<void> => {
  await settled(page)
  await page
    .getByRole('button', { name: /^Notifications/ })
    .filter({ visible: true })
    .click()
  await inboxShown(page)
}

const answer = (pattern: RegExp, json: unknown) => async (page: Page) => {
  await page.route(
    (url) => pattern.test(url.pathname),
    (route) => route.fulfill({ json }),
  )
}

const notification = (title: string, body: string, minutes: number, read: boolean, kind = 'delivery_failing') => ({
  name: `users/u1/notifications/${title.length}-${minutes}`,
  kind,
  title,
  body,
  link: '/',
  create_time: new Date(Date.now() - minutes * 60_000).toISOString(),
  read_time: read ? new Date().toISOString() : null,
})

const inbox = {
  notifications: [
    notification(
      'Deliveries to Archive fail',
      'The endpoint answered 404 to 12 events in Northwind Traders.',
      3,
      false,
    ),
    notification('Ada Lovelace joined Northwind Traders', 'As Collaborator', 90, false, 'invitation_accepted'),
    notification('Deliveries to Nightly import wait', 'The endpoint has answered 503 for 20 minutes.', 2000, true),
  ],
  unread_count: 2,
  next_page_token: '',
}

const inboxScreens: Screen[] = [
  {
    name: 'frame-inbox-filled',
    opensMenu: true,
    path: full(),
    prepare: answer(/\/notifications$/, inbox),
    ready: openInbox,
  },
  {
    name: 'frame-inbox-empty',
    opensMenu: true,
    path: full(),
    prepare: answer(/\/notifications$/, { notifications: [], unread_count: 0, next_page_token: '' }),
    ready: openInbox,
  },
  {
    name: 'frame-inbox-error',
    opensMenu: true,
    path: full(),
    prepare: failing(/\/notifications$/),
    expectsFailedCalls: true,
    ready: openInbox,
  },
]

/** Fakes many more workspaces, one for each of many regions. */
const manyWorkspaces = async (page: Page): Promise<void> => {
  await page.route(
    (url) => url.pathname === '/api/workspaces',
    async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { workspaces: { name: string; title: string }[] }
      const [first] = body.workspaces
      const regions = Array.from({ length: 12 }, (_, index) => ({
        ...first,
        name: `workspaces/region-${index}`,
        title: `Region ${index} of a company with a long name`,
      }))
      await route.fulfill({ response, json: { ...body, workspaces: [...body.workspaces, ...regions] } })
    },
  )
}

/** Opens the command palette and types into it. */
const command = (text: string) => async (page: Page) => {
  await settled(page)
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await palette.getByRole('combobox').fill(text)
  await palette.getByRole('option').or(palette.getByText('Nothing matches')).first().waitFor()
  await page.waitForLoadState('networkidle')
}

const commandScreens: Screen[] = [
  { name: 'command-palette', opensMenu: true, path: full(), ready: command('') },
  { name: 'command-search', opensMenu: true, path: full('/sources'), ready: command('new we') },
  { name: 'command-objects', opensMenu: true, path: full('/settings/account'), ready: command('ar') },
  { name: 'command-nothing', opensMenu: true, path: bare(), ready: command('zzzz') },
  {
    name: 'command-shortcuts',
    opensMenu: true,
    path: full(),
    ready: async (page) => {
      await settled(page)
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    },
  },
]

const menuScreens: Screen[] = [
  {
    name: 'frame-user-menu',
    opensMenu: true,
    path: full(),
    ready: press('User menu', (page) => page.getByRole('menuitem', { name: 'Sign out' }).waitFor()),
  },
  {
    name: 'frame-switcher',
    opensMenu: true,
    path: full(),
    ready: press(/^Workspace /, (page) => page.getByRole('menuitem', { name: 'Change workspace' }).waitFor()),
  },
  {
    name: 'frame-switcher-many',
    opensMenu: true,
    path: full(),
    prepare: manyWorkspaces,
    ready: press(/^Workspace /, (page) => page.getByRole('menuitem', { name: 'Change workspace' }).waitFor()),
  },
  {
    name: 'frame-sidebar-collapsed',
    path: full(),
    ready: async (page) => {
      await settled(page)
      const collapse = page.getByRole('button', { name: 'Collapse sidebar' })
      if (await collapse.isVisible()) await collapse.click()
    },
  },
  { name: 'frame-navigation', path: full('/sources'), ready: showNavigation },
  { name: 'frame-settings-navigation', path: full('/settings/account'), ready: showNavigation },
]

const areaScreens: Screen[] = [
  { name: 'frame-connections-filled', path: full('/connections'), ready: settled },
  { name: 'frame-connections-empty', path: bare('/connections'), ready: settled },
  {
    name: 'frame-connections-error',
    path: full('/connections'),
    ready: settled,
    prepare: failing(/\/api\/.*\/connections$/),
    expectsFailedCalls: true,
  },
  {
    name: 'frame-connect',
    path: full('/connections'),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      await page.getByRole('dialog').getByRole('combobox', { name: 'Source' }).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click()
      await page.getByText('Choose a source').waitFor()
    },
  },
  { name: 'frame-return', path: () => '/destination-oauth-callback?code=c&state=s', ready: settled },
  {
    name: 'frame-return-refused',
    path: () => '/app-oauth-callback?error=access_denied&error_description=The+user+denied+the+request',
    ready: settled,
  },
]

const actingOn = async (page: Page, seed: Seed): Promise<void> => {
  await page.getByRole('textbox', { name: 'Workspace ID' }).fill(seed.filled.workspace)
  await page.getByRole('button', { name: 'Switch' }).click()
  await page.getByRole('region', { name: 'Acting on behalf' }).waitFor()
  await settled(page)
}

const fillOnboarding = async (page: Page, email: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Organization name' }).fill('Contoso Retail Group International')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'First name' }).fill('Grace')
  await page.getByRole('textbox', { name: 'Last name' }).fill('Hopper')
  await page.getByRole('button', { name: 'Generate onboarding link' }).click()
}

/** Fakes onboarding links in each state. */
const madeLinks = (page: Page): Promise<void> => {
  const link = (id: number, organization: string, of: object) => ({
    name: `onboardings/01a1fcf3-e3e9-7406-b647-8d13c2f50df${id}`,
    organization,
    email: `administrator-${id}@contoso.example`,
    setup_amount: '0.00',
    yearly_amount: '0.00',
    create_time: '2026-03-01T05:06:07.000Z',
    expire_time: '2026-03-15T05:06:07.000Z',
    state: 'open',
    invoice_url: '',
    ...of,
  })
  const invoiced = { setup_amount: '1500.00', yearly_amount: '48000.00', invoice_url: '/invoices/a' }
  return answer(/\/api\/onboardings$/, {
    onboardings: [
      link(1, 'Contoso Retail Group International', invoiced),
      link(2, 'Fabrikam', {}),
      link(3, 'Northwind Traders', { ...invoiced, state: 'completed' }),
      link(4, 'Adventure Works', { state: 'expired' }),
      link(5, 'Tailspin Toys', { setup_amount: '99.50', state: 'revoked' }),
    ],
  })(page)
}

const staffScreens: Screen[] = [
  { name: 'frame-act-on-behalf', path: full('/settings/admin/act-on-behalf'), ready: settled },
  {
    name: 'frame-act-on-behalf-refused',
    path: full('/settings/admin/act-on-behalf'),
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByRole('textbox', { name: 'Workspace ID' }).fill('01a1fcf3-e3e9-7406-b647-8d13c2f50dfe')
      await page.getByRole('button', { name: 'Switch' }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'frame-acting-choice', path: bare('/settings/admin/act-on-behalf'), ready: actingOn },
  {
    name: 'frame-acting-workspace',
    path: bare('/settings/admin/act-on-behalf'),
    ready: async (page, seed) => {
      await actingOn(page, seed)
      await page.getByRole('main').getByRole('link').first().click()
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'frame-onboarding-link-required',
    path: full('/settings/admin/onboarding-link'),
    ready: async (page) => {
      await page.getByRole('button', { name: 'Generate onboarding link' }).click()
      await page.getByText('First Name is required').waitFor()
    },
  },
  {
    name: 'frame-onboarding-link-made',
    path: full('/settings/admin/onboarding-link'),
    ready: async (page) => {
      await fillOnboarding(page, `grace-${Date.now()}@contoso.example`)
      await page.getByRole('button', { name: 'Copy details' }).waitFor()
    },
  },
  { name: 'frame-onboarding-links', path: full('/settings/admin/onboarding-link'), prepare: madeLinks, ready: settled },
  {
    name: 'frame-onboarding-link-revoke',
    path: full('/settings/admin/onboarding-link'),
    prepare: madeLinks,
    ready: async (page) => {
      await settled(page)
      await page
        .getByRole('button', { name: /^Revoke the link of/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'frame-acting-billing',
    path: bare('/settings/admin/act-on-behalf'),
    ready: async (page, seed) => {
      await actingOn(page, seed)
      await page.getByRole('main').getByRole('link').first().click()
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      await page.goto(`/${seed.filled.workspace}/settings/organization/billing`)
      await settled(page)
    },
  },
  { name: 'frame-custom-domain', path: bare('/settings/admin/custom-domain'), ready: settled },
  {
    name: 'frame-custom-domain-added',
    path: full('/settings/admin/custom-domain'),
    ready: async (page) => {
      await settled(page)
      const name = page.getByRole('textbox', { name: 'Domain name' })
      if (await name.isEnabled()) {
        await name.fill('events.northwind.example')
        await page.getByRole('button', { name: 'Add Domain' }).click()
      }
      await page.getByRole('listitem', { name: 'TXT' }).waitFor()
    },
  },
  { name: 'frame-organizations', path: full('/settings/admin/organizations'), ready: settled },
  { name: 'frame-installation', path: full('/settings/admin/installation'), ready: settled },
  {
    name: 'frame-installation-missing',
    path: full('/settings/admin/installation'),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Show what is not set' }).click()
      await page.getByRole('button', { name: 'Show all' }).waitFor()
    },
  },
  {
    name: 'frame-installation-error',
    path: full('/settings/admin/installation'),
    prepare: failing(/\/api\/installation$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'frame-workspace-missing',
    path: () => '/workspaces/01a1fcf3-e3e9-7406-b647-8d13c2f50dfe',
    expectsFailedCalls: true,
    ready: (page) => page.getByRole('button', { name: 'Debug' }).waitFor(),
  },
  {
    name: 'frame-debug-refused',
    path: () => '/workspaces/01a1fcf3-e3e9-7406-b647-8d13c2f50dfe',
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Debug' }).click()
      await page.getByRole('button', { name: 'Act on behalf' }).click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
  },
]

const onboardingScreens: Screen[] = [
  {
    name: 'frame-complete-onboarding',
    path: (seed) => seed.onboarding,
    signedOut: true,
    ready: (page) => page.getByRole('button', { name: 'Join' }).waitFor(),
  },
  {
    name: 'frame-complete-onboarding-required',
    path: (seed) => seed.onboarding,
    signedOut: true,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Join' }).click()
      await page.getByText('One special character').first().waitFor()
    },
  },
  { name: 'frame-no-onboarding', path: () => '/users/u1/onboarding', signedOut: true, ready: settled },
  {
    name: 'frame-onboarding-gone',
    path: () => '/users/u1/onboarding/complete?token=gone',
    signedOut: true,
    expectsFailedCalls: true,
    ready: (page) => page.getByRole('link', { name: 'Go to sign-in' }).waitFor(),
  },
  {
    name: 'frame-join-offers',
    path: () => '/',
    prepare: answer(/\/joinableOrganizations$/, {
      organizations: [{ name: 'organizations/o1', display_name: 'Contoso Retail', logo: '' }],
      next_page_token: '',
    }),
    ready: (page) => page.getByRole('button', { name: 'Join Contoso Retail' }).waitFor(),
  },
]

/** The screens of the frame of the application, its areas, the pages for platform admins, and onboarding links. */
export const frameScreens: Screen[] = [
  ...menuScreens,
  ...commandScreens,
  ...inboxScreens,
  ...areaScreens,
  ...billingScreens,
  ...billingDialogScreens,
  { name: 'frame-billing', path: full('/settings/organization/billing'), ready: settled },
  {
    name: 'frame-billing-error',
    path: full('/settings/organization/billing'),
    ready: settled,
    prepare: failing(/\/usage$/),
    expectsFailedCalls: true,
  },
  ...staffScreens,
  ...staffStateScreens,
  ...onboardingScreens,
]

import type { Page } from '@playwright/test'
import type { MethodResponse, methods } from '@tributary/contract'
import { answer } from './billing-screens.ts'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const admin = (page: string) => (seed: Seed) => `/${seed.filled.workspace}/settings/admin/${page}`
const settings = (page: string) => (seed: Seed) => `/${seed.filled.workspace}/settings/organization/${page}`

const pressing = (name: string | RegExp) => async (page: Page) => {
  await settled(page)
  await page.getByRole('main').getByRole('button', { name }).first().click()
  await page.getByRole('dialog').waitFor()
}

const organization = (id: number, display_name: string, plan_title: string, usage: object, health: object = {}) => ({
  name: `organizations/o${id}`,
  display_name,
  plan_name: `plans/${plan_title.toLowerCase()}`,
  plan_title,
  create_time: '2026-03-01T05:06:07.000Z',
  workspace: `workspaces/w${id}`,
  usage: { members: 3, workspaces: 1, sources: 2, destinations: 1, audiences: 0, profiles: 0, ...usage },
  health: { dead_letters: 0, refused_requests: 0, failed_syncs: 0, ...health },
})
const organizations = answer(/\/organizations:find$/, {
  organizations: [
    organization(1, 'Contoso Retail', 'Team', { profiles: 12_840, members: 8, workspaces: 3 }),
    organization(
      2,
      'Fabrikam Manufacturing and Logistics International Holding',
      'Enterprise',
      { profiles: 4_812_044, members: 214, workspaces: 12, sources: 148, destinations: 93, audiences: 61 },
      { dead_letters: 18_204, refused_requests: 1_204_811, failed_syncs: 12 },
    ),
    organization(3, 'Northwind Traders', 'Free', {}, { failed_syncs: 1 }),
    organization(4, 'Tailspin Toys', 'Business', { profiles: 1, members: 1, sources: 1 }, { dead_letters: 1 }),
  ],
  next_page_token: 'more',
})

/** Returns a custom domain in one of its states. */
const domain = (state: string, found: boolean, problem = '') =>
  answer(/\/customDomains$/, {
    custom_domains: [
      {
        name: 'workspaces/w1/customDomains/d1',
        domain_name: 'events.northwind-traders-international.example',
        state,
        records: [
          {
            type: 'CNAME',
            name: 'events.northwind-traders-international.example',
            value: 'cdp.tributary.example',
            found,
          },
          {
            type: 'TXT',
            name: '_tributary.events.northwind-traders-international.example',
            value: 'tributary-verification=8Jx2mP0qLr5vT7wYzA1bC3dE',
            found: true,
          },
        ],
        check_time: new Date(Date.now() - 7 * 60_000).toISOString(),
        problem,
        create_time: '2026-03-01T05:06:07.000Z',
      },
    ],
  })

const found = (workspaces: object[]) => answer(/\/workspaces:find$/, { workspaces, next_page_token: '' })
const findWorkspace = async (page: Page): Promise<void> => {
  await settled(page)
  await page.getByRole('combobox', { name: 'Find a workspace' }).click()
  await page.getByPlaceholder('Search').or(page.getByRole('searchbox')).first().fill('grace')
  await settled(page)
}

type Keys = MethodResponse<typeof methods.apiKeys.list>
const key = (id: number, title: string, of: Partial<Keys['api_keys'][number]>): Keys['api_keys'][number] => ({
  name: `organizations/o1/apiKeys/k${id}`,
  title,
  role: 'ORG_COLLABORATOR',
  areas: ['sources', 'events'],
  writekeys: [],
  workspace: { name: 'workspaces/w1', title: 'Production' },
  hint: `x${id}Qz`,
  create_time: '2026-03-01T05:06:07.000Z',
  creator: 'Ada Lovelace',
  expire_time: null,
  expired: false,
  last_used_time: null,
  previous_expire_time: null,
  ...of,
})

/** Screens of platform admins, of API keys and of the audit log, in states that the other screenshots do not show. */
export const staffStateScreens: Screen[] = [
  { name: 'staff-organizations', path: admin('organizations'), prepare: organizations, ready: settled },
  {
    name: 'staff-organizations-none',
    path: admin('organizations'),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('searchbox', { name: 'Search organizations' }).fill('nobody has this name')
      await page.getByText('No organizations').waitFor()
    },
  },
  {
    name: 'staff-organizations-error',
    path: admin('organizations'),
    prepare: failing(/\/organizations:find$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  { name: 'staff-domain-active', path: admin('custom-domain'), prepare: domain('active', true), ready: settled },
  {
    name: 'staff-domain-failing',
    path: admin('custom-domain'),
    prepare: domain('failing', false, 'The CNAME record leads to another name: old.example'),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Show example' }).click()
      await page.getByText('on_demand_tls').waitFor()
    },
  },
  {
    name: 'staff-domain-remove',
    path: admin('custom-domain'),
    prepare: domain('active', true),
    ready: pressing('Remove'),
  },
  {
    name: 'staff-domain-invalid',
    path: (seed) => `/${seed.empty.workspace}/settings/admin/custom-domain`,
    ready: async (page) => {
      await settled(page)
      await page.getByRole('textbox', { name: 'Domain name' }).fill('http://example.com/path')
      await page.getByRole('button', { name: 'Add Domain' }).click()
      await page.getByText('Invalid domain name').waitFor()
    },
  },
  {
    name: 'staff-domain-error',
    path: admin('custom-domain'),
    prepare: failing(/\/customDomains$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'staff-links-error',
    path: admin('onboarding-link'),
    prepare: failing(/\/api\/onboardings$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  { name: 'staff-find-workspace', opensMenu: true, path: admin('act-on-behalf'), ready: findWorkspace },
  {
    name: 'staff-find-nothing',
    opensMenu: true,
    path: admin('act-on-behalf'),
    prepare: found([]),
    ready: findWorkspace,
  },
  {
    name: 'staff-forbidden',
    path: admin('organizations'),
    asGuest: true,
    ready: settled,
  },
  {
    name: 'settings-keys-states',
    path: settings('api-keys'),
    prepare: answer(/\/apiKeys$/, {
      api_keys: [
        key(1, 'Terraform', { last_used_time: new Date(Date.now() - 3 * 60_000).toISOString() }),
        key(2, 'A key of the nightly export to the data warehouse in Frankfurt', {
          role: 'ORG_ADMIN',
          workspace: null,
          expire_time: new Date(Date.now() + 3 * 86_400_000).toISOString(),
          previous_expire_time: new Date(Date.now() + 3_600_000).toISOString(),
        }),
        key(3, 'Old script', { expired: true, expire_time: '2026-03-02T05:06:07.000Z' }),
      ],
      next_page_token: '',
    } satisfies Keys),
    ready: settled,
  },
  { name: 'settings-keys-revoke', path: settings('api-keys'), ready: pressing('Revoke') },
  {
    name: 'settings-audit-filtered',
    path: settings('audit-log'),
    ready: async (page) => {
      await settled(page)
      await page.getByLabel('From').fill('2026-01-01')
      await page.getByRole('combobox', { name: 'By', exact: true }).selectOption('By API keys')
      await settled(page)
    },
  },
]

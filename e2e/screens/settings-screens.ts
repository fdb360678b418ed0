import type { Page } from '@playwright/test'
import type { InvitationPreview } from '@tributary/contract'
import { adminCredentials } from '@tributary/test-kit'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const filled = (page: string) => (seed: Seed) => `/${seed.filled.workspace}/settings/${page}`
const empty = (page: string) => (seed: Seed) => `/${seed.empty.workspace}/settings/${page}`

/** Opens the window for inviting; with `emails`, fills in the emails and submits the form. */
const inviting =
  (emails?: string) =>
  async (page: Page): Promise<void> => {
    await settled(page)
    await page.getByRole('main').getByRole('button', { name: 'Invite', exact: true }).click()
    if (emails === undefined) return page.getByRole('textbox', { name: 'Emails' }).waitFor()
    await page.getByRole('textbox', { name: 'Emails' }).fill(emails)
    await page.getByRole('button', { name: 'Send invitations' }).click()
    await page.getByText('One of the emails is invalid').waitFor()
  }

const pressing =
  (button: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await settled(page)
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').waitFor()
  }

/** Opens the deletion dialog, and enters another name to confirm. */
const deleting =
  (button: string) =>
  async (page: Page): Promise<void> => {
    await pressing(button)(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Another name')
    await dialog.getByRole('button', { name: button }).click()
    await dialog.getByText(/^Type (?!")/).waitFor()
    await settled(page)
  }

/** Forgets the one-time token of the login, as after a change of the password. */
const withoutToken = (page: Page): Promise<void> =>
  page.addInitScript(() => {
    const stored = JSON.parse(localStorage.getItem('tributary-session') ?? '{}')
    if (stored.state?.passwordOTPToken) stored.state.passwordOTPToken = null
    localStorage.setItem('tributary-session', JSON.stringify(stored))
  }) as unknown as Promise<void>

/** Fakes the invitation for the screenshots, because only the mail has a real token. */
const invitation = (of: Partial<InvitationPreview>) => async (page: Page) => {
  const json: InvitationPreview = {
    organization: { name: 'organizations/elsewhere', display_name: 'Contoso Analytics', logo: '' },
    inviter: 'Grace Hopper',
    role: { value: 'ORG_COLLABORATOR' },
    invitee_email: '',
    has_account: false,
    ...of,
  }
  await page.route('**/api/invitations/**', (route) => route.fulfill({ json }))
}

const refused = (status: number, message: string) => async (page: Page) => {
  const json = { code: status, reason: 'REFUSED', message, metadata: {} }
  await page.route('**/api/invitations/**', (route) => route.fulfill({ status, json }))
}

const opened = { path: () => '/invitations/some?token=thing', ready: settled }

/** The screens of settings, members, and the page of an invitation in its states. */
export const settingsScreens: Screen[] = [
  {
    name: 'personal-data',
    path: filled('personal-data'),
    ready: async (page) => {
      await page.getByText('Shares are of').waitFor()
      await settled(page)
    },
  },
  {
    name: 'personal-data-of-kind',
    path: filled('personal-data#postal_code'),
    ready: async (page) => {
      await page.getByText('Shares are of').waitFor()
      await settled(page)
    },
  },
  {
    name: 'personal-data-unsaved',
    path: filled('personal-data'),
    ready: async (page) => {
      await page.getByText('Shares are of').waitFor()
      await page.getByRole('button', { name: 'Add path' }).click()
      await page.keyboard.type('properties.own')
      await settled(page)
    },
  },
  {
    name: 'personal-data-empty',
    path: empty('personal-data'),
    ready: async (page) => {
      await page.getByText('No events were received').waitFor()
      await settled(page)
    },
  },
  {
    name: 'personal-data-error',
    path: filled('personal-data'),
    prepare: failing(/\/api\/workspaces\/[^/]+\/personDataPlaces$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  { name: 'settings-general-filled', path: filled('organization'), ready: settled },
  {
    name: 'settings-general-error',
    path: filled('organization'),
    ready: settled,
    prepare: failing(/\/api\/organizations\/[^/]+$/),
    expectsFailedCalls: true,
  },
  { name: 'settings-create-workspace', path: filled('organization'), ready: pressing('Create workspace') },
  { name: 'settings-delete-workspace', path: filled('organization'), ready: deleting('Delete workspace') },
  { name: 'settings-delete-organization', path: filled('organization'), ready: deleting('Delete organization') },
  { name: 'settings-members-filled', path: filled('organization/members'), ready: settled },
  { name: 'settings-members-empty', path: empty('organization/members'), ready: settled },
  {
    name: 'settings-members-error',
    path: filled('organization/members'),
    ready: settled,
    prepare: failing(/\/(memberships|invitations|invitationlinks)$/),
    expectsFailedCalls: true,
  },
  { name: 'settings-invite', path: filled('organization/members'), ready: inviting() },
  { name: 'settings-invite-invalid', path: filled('organization/members'), ready: inviting('ana@example.com, ben') },
  { name: 'settings-remove-member', path: filled('organization/members'), ready: pressing(/^Remove /) },
  { name: 'settings-keys-filled', path: filled('organization/api-keys'), ready: settled },
  { name: 'settings-keys-empty', path: empty('organization/api-keys'), ready: settled },
  {
    name: 'settings-keys-error',
    path: filled('organization/api-keys'),
    ready: settled,
    prepare: failing(/\/apiKeys$/),
    expectsFailedCalls: true,
  },
  {
    name: 'settings-keys-create',
    path: filled('organization/api-keys'),
    ready: async (page) => {
      await pressing('Create API key')(page)
      await page.getByRole('checkbox', { name: 'All areas' }).uncheck()
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByText('Select at least one area').waitFor()
    },
  },
  {
    name: 'settings-keys-made',
    path: empty('organization/api-keys'),
    ready: async (page) => {
      await pressing('Create API key')(page)
      await page.getByRole('textbox', { name: 'Title' }).fill('Terraform')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('button', { name: 'Done' }).waitFor()
    },
  },
  { name: 'settings-keys-rotate', path: filled('organization/api-keys'), ready: pressing('Rotate') },
  { name: 'settings-audit-filled', path: filled('organization/audit-log'), ready: settled },
  {
    name: 'settings-audit-empty',
    path: filled('organization/audit-log'),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('combobox', { name: 'What' }).selectOption('Failure groups')
      await page.getByText('No records').waitFor()
    },
  },
  {
    name: 'settings-audit-error',
    path: filled('organization/audit-log'),
    ready: settled,
    prepare: failing(/\/auditRecords$/),
    expectsFailedCalls: true,
  },
  {
    name: 'settings-audit-record',
    path: filled('organization/audit-log'),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('combobox', { name: 'By', exact: true }).selectOption('By API keys')
      await page.getByRole('table', { name: 'Audit log' }).getByText('Organizations: update').click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'settings-account-filled', path: filled('account'), ready: settled },
  {
    name: 'settings-account-error',
    path: filled('account'),
    ready: settled,
    prepare: failing(/\/sessions$/),
    expectsFailedCalls: true,
  },
  {
    name: 'settings-password-rules',
    path: filled('account/change-password'),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('textbox', { name: 'New password', exact: true }).fill('lower1')
      await page.getByRole('button', { name: 'Save Changes' }).click()
      await page.getByText('Re-enter the new password').waitFor()
    },
  },
  {
    name: 'settings-password-code',
    path: filled('account/change-password'),
    prepare: async (page) => {
      await withoutToken(page)
      await page.route('**/api/users:sendOtp', (route) => route.fulfill({ json: {} }))
    },
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Send me a code' }).click()
      await page.getByRole('textbox', { name: 'One-time code' }).waitFor()
    },
  },
  {
    name: 'invitation-signed-out',
    signedOut: true,
    prepare: invitation({ invitee_email: 'ada.lovelace@example.com' }),
    ...opened,
  },
  { name: 'invitation-signed-in', prepare: invitation({ invitee_email: adminCredentials.email }), ...opened },
  {
    name: 'invitation-other-address',
    prepare: invitation({ invitee_email: 'ada.lovelace@example.com', has_account: true }),
    ...opened,
  },
  {
    name: 'invitation-gone',
    signedOut: true,
    expectsFailedCalls: true,
    prepare: refused(410, 'This invitation has expired; ask for a new one'),
    ...opened,
  },
  {
    name: 'invitation-unknown',
    signedOut: true,
    expectsFailedCalls: true,
    prepare: refused(404, 'invitation not found'),
    ...opened,
  },
]

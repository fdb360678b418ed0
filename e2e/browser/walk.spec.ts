import type { Page } from '@playwright/test'
import type { MailReceiver } from '@tributary/test-kit'
import { otherPage } from './people.ts'
import { expect, test } from './product-fixture.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

/** Signs up: from the work email to the end of the registration, with the mailed code. */
const signUp = async (page: Page, mail: MailReceiver, email: string, first: string): Promise<void> => {
  await field(page, 'Work email').fill(email)
  await button(page, 'Verify Email').click()
  await field(page, 'Verification code').fill((await mail.waitFor(email)).code)
  await button(page, 'Continue').click()
  await page.waitForURL('**/auth/complete-registration')
  await field(page, 'First name').fill(first)
  await field(page, 'Last name').fill('Walker')
  await field(page, 'Password').fill('Long-enough-1')
  await button(page, 'Continue').click()
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'))
}

test('one stranger signs up, creates an organization, and invites another, who signs up by mail, becomes a guest, and is removed', async ({
  page,
  chromium,
  product,
  mail,
}) => {
  const stamp = Date.now()
  await page.goto('/auth/register')
  await signUp(page, mail, `wanda-${stamp}@example.com`, 'Wanda')
  await expect(page.getByText('No organization found')).toBeVisible()
  await page.getByRole('link', { name: 'Create', exact: true }).click()
  await field(page, 'Organization name').fill('Walkers United')
  await button(page, 'Create').click()
  await page.waitForURL('**/workspaces/*')
  const workspace = new URL(page.url()).pathname

  await button(page, 'Invite').click()
  const invited = `willy-${stamp}@example.com`
  await field(page, 'Emails').fill(invited)
  await button(page, 'Send invitations').click()
  await expect(page.getByText('Invitation Sent', { exact: true })).toBeVisible()
  const { link } = await mail.waitFor(invited)

  await using other = await otherPage(chromium, product)
  const theirs = other.page
  await theirs.goto(link)
  await theirs.getByRole('link', { name: 'Sign up' }).click()
  await signUp(theirs, mail, invited, 'Willy')
  await theirs.goto(`${workspace}/sources`)
  await expect(theirs.getByRole('link', { name: 'Add source' })).toBeVisible()

  await page.goto(`${workspace}/settings/organization/members`)
  await page.getByRole('combobox', { name: 'Role of Willy Walker' }).selectOption('Guest')
  await expect(page.getByText('Role updated')).toBeVisible()
  await expect(theirs.getByRole('heading', { level: 1, name: 'Sources' })).toBeVisible()
  await expect(theirs.getByText('Add your first source')).toBeVisible()
  await expect(theirs.getByRole('link', { name: 'Add source' })).toHaveCount(0)

  await button(page, 'Remove Willy Walker').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Member removed')).toBeVisible()
  await expect(theirs.getByText('The requested Workspace was not found.')).toBeVisible()
  await theirs.goto('/')
  await expect(theirs.getByText('No organization found')).toBeVisible()
})

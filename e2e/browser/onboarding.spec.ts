import { newId } from '@tributary/kernel'
import type { Product } from '@tributary/test-kit'
import { addPerson, signIn, storedSession } from './people.ts'
import { expect, test } from './product-fixture.ts'

const missing = "No onboarding: Couldn't find the requested onboarding"
const gone = 'Onboarding not found: The requested onboarding was revoked or expired'

/** Creates an onboarding link for a new user with the real server. */
const makeLink = async ({ api }: Pick<Product, 'api'>) => {
  const email = `ona-${newId().slice(-8)}@onboarded.example`
  const made = (await api.ok('POST', '/users:onboard', {
    email,
    first_name: 'Ona',
    last_name: 'Boarded',
    organization_title: 'Onboarded Ltd',
    setup_amount: '0.00',
    yearly_amount: '0.00',
  })) as { user: { id: string }; organization: { name: string }; onboarding_token: string }
  return {
    email,
    userId: made.user.id,
    organization: made.organization.name,
    token: made.onboarding_token,
    path: `/users/${made.user.id}/onboarding/complete?token=${encodeURIComponent(made.onboarding_token)}`,
  }
}

test('ONB-01, ONB-02, ORG-12: both addresses create an organization, with a name of 4 characters or more and one of nine industries', async ({
  page,
  database,
}) => {
  await signIn(page, await addPerson(database, 'Ora'))
  for (const path of ['/onboarding', '/onboarding/']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: 'Create an organization' })).toBeVisible()
  }
  await expect(page.getByRole('combobox', { name: 'Industry' }).getByRole('option')).toHaveText([
    'E-commerce',
    'Digital marketing',
    'Social media',
    'Gaming',
    'Robotics',
    'Telecommunications',
    'Internet of things',
    'Information technology',
    'Other',
  ])
  const name = page.getByRole('textbox', { name: 'Organization name' })
  await name.fill('abc')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByText('Please provide a name that is 4 characters or more')).toBeVisible()
  await expect(name).toBeFocused()
  await name.fill('abcd')
  await page.getByRole('combobox', { name: 'Industry' }).selectOption('robotics')
  const sent = page.waitForRequest('**/api/organizations')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  expect((await sent).postDataJSON()).toEqual({ title: 'abcd', industry: 'robotics', workspace_title: 'Production' })
  await page.waitForURL('**/workspaces/*')
})

test('without a session, an onboarding link shows its user and organization, with the email read-only [ONB-03, ONB-04, ONB-05, ONB-17]', async ({
  page,
  product,
}) => {
  const link = await makeLink(product)
  const asked = page.waitForRequest(/:startOnboarding/)
  await page.goto(link.path)
  const address = new URL((await asked).url())
  expect(address.pathname).toBe(`/api/users/${link.userId}:startOnboarding`)
  expect(address.searchParams.get('onboarding_token')).toBe(link.token)
  await expect(page.getByRole('heading', { level: 1, name: 'Welcome to Onboarded Ltd' })).toBeVisible()
  const email = page.getByRole('textbox', { name: 'Email' })
  await expect(email).toHaveValue(link.email)
  await expect(email).not.toBeEditable()
  await expect(page.getByRole('textbox', { name: 'First name' })).toHaveValue('Ona')
  expect(new URL(page.url()).pathname).not.toMatch(/^\/auth/)
})

test('ONB-06, ONB-07, ONB-08: the names and the new password have their rules, and the checkbox for joining by domain is off and can be toggled', async ({
  page,
  product,
}) => {
  await page.goto((await makeLink(product)).path)
  await page.getByRole('textbox', { name: 'First name' }).fill('')
  await page.getByRole('textbox', { name: 'Last name' }).fill(' ')
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await expect(page.getByText('First Name is required')).toBeVisible()
  await expect(page.getByText('Last Name is required')).toBeVisible()
  for (const rule of [
    'Must be at least 8 characters in length',
    'One uppercase character',
    'One lowercase character',
    'One number',
    'One special character',
  ])
    await expect(page.getByRole('list', { name: 'Password rules' }).getByText(rule)).toBeVisible()
  await page.getByRole('textbox', { name: 'First name' }).fill('a'.repeat(16))
  await expect(page.getByText('First Name is too long')).toBeVisible()
  const open = page.getByRole('checkbox', {
    name: 'Allow people with my email domain to join Onboarded Ltd automatically',
  })
  await expect(open).not.toBeChecked()
  await open.check()
  await expect(open).toBeChecked()
})

test('ONB-09, ONB-10, ONB-11, ONB-15, ROLE-19a: joining sends the form, starts a session, and leads home; then the link also leads home', async ({
  page,
  product,
}) => {
  const link = await makeLink(product)
  await page.goto(link.path)
  await page.getByRole('textbox', { name: 'First name' }).fill('Onna')
  await page.getByRole('textbox', { name: 'New password' }).fill('Fresh-start-1')
  await page.getByRole('checkbox').check()
  const sent = page.waitForRequest(/:completeOnboarding/)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  const request = await sent
  expect(new URL(request.url()).pathname).toBe(`/api/users/${link.userId}:completeOnboarding`)
  expect(request.postDataJSON()).toEqual({
    onboarding_token: link.token,
    first_name: 'Onna',
    last_name: 'Boarded',
    password: 'Fresh-start-1',
    organization_auto_join: true,
  })
  const choice = page.getByRole('region', { name: 'Onboarded Ltd' }).getByRole('link', { name: 'Main' })
  await expect(choice).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  const stored = await storedSession(page)
  expect(stored.accessToken).toMatch(/./)
  expect(stored.currentUserResourceName).toBe(`users/${link.userId}`)
  await page.goto(link.path)
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
  await expect(choice).toBeVisible()
})

test('ONB-12, ONB-13, ONB-16: an onboarding URL without its token, or of no page, shows a message and sends no request', async ({
  page,
}) => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('startOnboarding')) asked.push(request.url())
  })
  for (const path of [
    '/users/u1/onboarding/complete',
    '/users/u1/onboarding/complete?token=',
    '/users/u1/onboarding/x',
    '/users/u1/onboarding',
    '/users//onboarding/complete',
    '/users//onboarding/complete?token=x',
    '/users//onboarding',
    '/users/onboarding/complete',
  ]) {
    await page.goto(path)
    await expect(page.getByText(missing, { exact: true })).toBeVisible()
  }
  expect(asked).toEqual([])
})

test('ONB-14: a used, revoked, or made-up onboarding link is not found', async ({ page, product }) => {
  const link = await makeLink(product)
  await product.api.ok('POST', `/users/${link.userId}:completeOnboarding`, {
    onboarding_token: link.token,
    first_name: 'Ona',
    last_name: 'Boarded',
    password: 'Fresh-start-1',
    organization_auto_join: false,
  })
  for (const path of [link.path, `/users/${link.userId}/onboarding/complete?token=made-up`]) {
    await page.goto(path)
    await expect(page.getByText(gone, { exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Go to sign-in' })).toBeVisible()
  }
})

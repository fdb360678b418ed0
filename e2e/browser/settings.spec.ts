import { deflateSync } from 'node:zlib'
import { createWorkspace } from '@tributary/test-kit'
import { addPerson, fillSignIn, otherPage, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

const chunk = (kind: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  let crc = 0xff_ff_ff_ff
  for (const byte of body) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0)
  }
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(~crc >>> 0, body.length + 4)
  return framed
}

/** Returns a real PNG of 32 × 32 pixels with one color. */
const png = (): Buffer => {
  const side = 32
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(side * 3, 0x7f)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => line)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}
const picture = { name: 'picture.png', mimeType: 'image/png', buffer: png() }

test('SET-12: administrators see and change name, industry, and logo of the organization', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Before GmbH')
  await signIn(page, await addPerson(database, 'Olga', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}/settings/organization`)
  await expect(page.getByRole('heading', { level: 1, name: 'General' })).toBeVisible()
  const form = page.getByRole('form', { name: 'Organization' })
  const title = form.getByRole('textbox', { name: 'Organization name' })
  await expect(title).toHaveValue('Before GmbH')
  await title.fill('abc')
  await form.getByRole('button', { name: 'Save Changes' }).click()
  await expect(form.getByText('Please provide a name that is 4 characters or more')).toBeVisible()

  await title.fill('After GmbH')
  await form.getByRole('combobox', { name: 'Industry' }).selectOption('Gaming')
  const saved = page.waitForRequest((request) => request.method() === 'PATCH')
  await form.getByRole('button', { name: 'Save Changes' }).click()
  const request = await saved
  expect(new URL(request.url()).pathname).toBe(`/api/${organization}`)
  expect(new URL(request.url()).searchParams.get('update_mask')).toBe('title,industry')
  expect(request.postDataJSON()).toEqual({ title: 'After GmbH', industry: 'gaming' })
  await expect(page.getByText('Organization updated')).toBeVisible()

  const logo = page.getByRole('group', { name: 'Logo' })
  await expect(logo.locator('img')).toHaveCount(0)
  await logo.locator('input[type=file]').setInputFiles(picture)
  await expect(logo.locator('img')).toHaveAttribute('src', /\/media\//)
  await expect
    .poll(() => logo.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0)
  await logo.getByRole('button', { name: 'Remove' }).click()
  await expect(logo.locator('img')).toHaveCount(0)
  await page.reload()
  await expect(title).toHaveValue('After GmbH')
})

test('a logo that is not an image is refused with a message, whatever its file name', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'No image')
  await signIn(page, await addPerson(database, 'Nora', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}/settings/organization`)
  const logo = page.getByRole('group', { name: 'Logo' })
  await logo.locator('input[type=file]').setInputFiles({ ...picture, buffer: Buffer.from('not an image') })
  await expect(logo.getByText('jpeg, jpg, png, webp files are accepted.')).toBeVisible()
})

test('General contains the settings workspace name, identifiers, joining by domain, and another workspace', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Identified')
  const person = await addPerson(database, 'Iris', { organization, role: 'ORG_ADMIN' })
  const { db } = database
  await db.updateTable('users').set({ email_verified_at: new Date() }).where('id', '=', person.userId).execute()
  await signIn(page, person)
  await page.goto(`/${workspace}/settings/organization`)
  for (const [label, id] of [
    ['Organization ID', organization.replace('organizations/', '')],
    ['Workspace ID', workspace.replace('workspaces/', '')],
  ] as const) {
    await page.getByRole('button', { name: `Copy ${label}` }).click()
    await expect(page.getByText(`${label} copied`)).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)
  }
  const form = page.getByRole('form', { name: 'Workspace' })
  await form.getByRole('textbox', { name: 'Workspace name' }).fill('Live')
  await form.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Workspace updated')).toBeVisible()

  const join = page.getByRole('switch', { name: /^Allow people with my email domain to join Identified/ })
  await expect(join).not.toBeChecked()
  await join.click()
  await expect(join).toBeChecked()
  await page.reload()
  await expect(join).toBeChecked()

  await page.getByRole('button', { name: 'Create workspace' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a workspace' })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByText('Required')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Workspace name' }).fill('Staging')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL((url) => /^\/workspaces\/[^/]+$/.test(url.pathname) && url.pathname !== `/${workspace}`)
  await expect(page.getByRole('button', { name: 'Workspace Staging' })).toBeVisible()
})

test('SET-13: a user changes first name, last name, and photo, and the shown name changes', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Profiles')
  const person = await addPerson(database, 'Vera', { organization, role: 'ORG_GUEST' })
  await signIn(page, person)
  await page.goto(`/${workspace}/settings/account`)
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  const form = page.getByRole('form', { name: 'Profile' })
  const email = form.getByRole('textbox', { name: 'Email' })
  await expect(email).toHaveValue(person.email)
  await expect(email).not.toBeEditable()
  await form.getByRole('textbox', { name: 'First name' }).fill('Veronika')
  await form.getByRole('textbox', { name: 'Last name' }).fill('A-name-of-more-than-15')
  await form.getByRole('button', { name: 'Save Changes' }).click()
  await expect(form.getByText('Last Name is too long')).toBeVisible()
  await form.getByRole('textbox', { name: 'Last name' }).fill('Weiss')
  const saved = page.waitForRequest((request) => request.method() === 'PATCH')
  await form.getByRole('button', { name: 'Save Changes' }).click()
  const request = await saved
  expect(new URL(request.url()).pathname).toBe(`/api/users/${person.userId}`)
  expect(new URL(request.url()).searchParams.get('update_mask')).toBe('first_name,last_name')
  expect(request.postDataJSON()).toEqual({ first_name: 'Veronika', last_name: 'Weiss' })
  await expect(page.getByText('Profile updated')).toBeVisible()
  const photo = form.getByRole('group', { name: 'Photo' })
  await photo.locator('input[type=file]').setInputFiles(picture)
  await expect(photo.locator('img')).toHaveAttribute('src', /\/media\//)

  await page.goto(`/${workspace}`)
  await expect(page.getByRole('button', { name: 'User menu' })).toContainText('Veronika Weiss')
})

test('other sessions are listed with device and location, and end when the user signs them out', async ({
  page,
  product,
  database,
  chromium,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Sessions list')
  const person = await addPerson(database, 'Susi', { organization, role: 'ORG_GUEST' })
  await using second = await otherPage(chromium, product)
  await using third = await otherPage(chromium, product)
  for (const { page: each } of [second, third]) {
    await signIn(each, person)
    await each.goto(`/${workspace}/sources`)
    await expect(each.getByRole('heading', { level: 1, name: 'Sources' })).toBeVisible()
  }
  await signIn(page, person)
  await page.goto(`/${workspace}/settings/account`)
  const sessions = page.getByRole('list', { name: 'Active sessions' }).getByRole('listitem')
  await expect(sessions).toHaveCount(3)
  await expect(sessions.filter({ hasText: 'This session' })).toHaveCount(1)
  await expect(sessions.first()).toContainText('Chrome on Linux')
  await expect(sessions.first()).toContainText('127.0.0.1')
  await page
    .getByRole('button', { name: /^Sign out .*Chrome/ })
    .first()
    .click()
  await expect(page.getByText('Session ended')).toBeVisible()
  await expect(sessions).toHaveCount(2)
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(sessions).toHaveCount(1)
  for (const { page: each } of [second, third]) await each.waitForURL('**/auth/login')
})

test('SET-14: a new password must meet the rules and be repeated; then the old password no longer works', async ({
  page,
  product,
  database,
  mail,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Passwords')
  const person = await addPerson(database, 'Pia', { organization, role: 'ORG_GUEST' })
  await signIn(page, person)
  await page.goto(`/${workspace}/settings/account/change-password`)
  await expect(page.getByRole('heading', { level: 1, name: 'Change password' })).toBeVisible()
  const password = page.getByRole('textbox', { name: 'New password', exact: true })
  const again = page.getByRole('textbox', { name: 'Confirm new password' })
  await password.fill('weak')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  const rules = page.getByRole('list', { name: 'Password rules' })
  for (const rule of [
    'Must be at least 8 characters in length',
    'One uppercase character',
    'One lowercase character',
    'One number',
    'One special character',
  ])
    await expect(rules.getByText(rule)).toBeVisible()
  // Screen readers also read the first message with the field, and it is visible only once.
  await expect(password).toHaveAccessibleDescription('Must be at least 8 characters in length')
  const message = page.getByText('Must be at least 8 characters in length')
  const widths = await message.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width))
  expect(widths.filter((width) => width > 1)).toHaveLength(1)
  await password.fill('Another-horse-2')
  await again.fill('Another-horse-3')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('The passwords do not match')).toBeVisible()
  await again.fill('Another-horse-2')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Password updated')).toBeVisible()
  // The token of the login is used up, so the next change asks for a code.
  await page.getByRole('button', { name: 'Send me a code' }).click()
  const code = page.getByRole('textbox', { name: 'One-time code' })
  await expect(page.getByRole('button', { name: /^Resend code in \d+ s$/ })).toBeDisabled()
  await code.fill((await mail.waitFor(person.email, { subject: /passcode/ })).code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await password.fill('Another-horse-4')
  await again.fill('Another-horse-4')
  // With an invalid token, the user must enter a code again, and the session continues.
  await database.db.deleteFrom('set_password_tokens').where('user_id', '=', person.userId).execute()
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('The confirmation was used or has expired.')).toBeVisible()

  await page.goto('/auth/logout')
  await page.waitForURL('**/auth/login')
  await fillSignIn(page, person)
  await expect(page.getByRole('alert')).toBeVisible()
  await fillSignIn(page, { ...person, password: 'Another-horse-2' })
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'))
})

test('an API key that is created on the screen is shown once, calls the API, shows its last use, and is revoked', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Keys')
  await signIn(page, await addPerson(database, 'Kim', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}/settings/organization/api-keys`)
  await page.getByRole('button', { name: 'Create API key' }).click()
  const form = page.getByRole('form', { name: 'Create API key' })
  await form.getByRole('textbox', { name: 'Title' }).fill('Terraform')
  await form.getByRole('checkbox', { name: 'All areas' }).uncheck()
  await form.getByRole('button', { name: 'Create key' }).click()
  await expect(form.getByText('Select at least one area')).toBeVisible()
  await form.getByRole('checkbox', { name: 'Sources and schemas' }).check()
  await form.getByRole('button', { name: 'Create key' }).click()
  const saved = page.getByRole('dialog', { name: 'Save your API key' })
  const key = (await saved.locator('code').first().textContent()) ?? ''
  expect(key).toMatch(/^api_[\w-]{32}$/)
  await saved.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'Terraform' })
  await expect(row).toContainText('Never used')
  await expect(page.getByText(key)).toHaveCount(0)

  const read = (path: string) =>
    fetch(`${product.url}/api/${workspace}/${path}`, { headers: { authorization: `Bearer ${key}` } })
  expect((await read('sources')).status).toBe(200)
  expect((await read('destinations')).status).toBe(403)
  await page.reload()
  await expect(row).toContainText('Last used')
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.getByText('No API key yet')).toBeVisible()
  await expect.poll(async () => (await read('sources')).status, { timeout: 30_000 }).toBe(401)
})

test('on a phone, the buttons of an added path are above the bar of unsaved changes', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Phone GmbH')
  await signIn(page, await addPerson(database, 'Paul', { organization, role: 'ORG_ADMIN' }))
  for (const height of [844, 740, 640]) {
    await page.setViewportSize({ width: 390, height })
    await page.goto(`/${workspace}/settings/personal-data`)
    await page.getByRole('button', { name: 'Add path' }).click()
    await page.keyboard.type('properties.own')
    const bar = page.getByRole('region', { name: 'Unsaved changes' })
    const remove = page.getByRole('button', { name: 'Remove path 4 of Email' })
    await expect(async () => {
      const [above, below] = [await remove.boundingBox(), await bar.boundingBox()]
      expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
    }).toPass()
    await bar.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  }
})

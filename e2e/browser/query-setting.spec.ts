import { createPostgresPeer, createSource, createWorkspace, eventually, startSharedPostgres } from '@tributary/test-kit'
import { callsTo, recordCalls } from './api-calls.ts'
import { expect, test } from './product-fixture.ts'

test('a query is edited and discarded without other origins, refused if invalid, and runs once saved; the schema stays fixed [MAP-07, MAP-08, MAP-09, MAP-10a, MAP-17b]', async ({
  signedIn: page,
  product,
}) => {
  const { api, url } = product
  await using postgres = await startSharedPostgres()
  await using peer = await createPostgresPeer(postgres.url)
  await peer.query('create table buyers (id text primary key, event text)')
  await peer.query(`grant select, insert on buyers to ${peer.access.user}`)
  const { workspace } = await createWorkspace(api, 'Queries')
  const { source, key } = await createSource(api, workspace, 'Shop')
  const { name: destination } = (await api.ok('POST', `/${workspace}/destinations`, {
    title: 'Database',
    app: { name: 'catalogDestinations/postgresql' },
    settings: { ...peer.access, tls: 'off', statement: 'select :user_id' },
  })) as { name: string }
  await api.ok('POST', `/${workspace}/connections`, { source, destination })
  const mapping = { id: 'aaaa', destination: 'run_statement', field_mappings: [] }
  await api.ok('PUT', `/${destination}/mappings`, { event_mappings: [mapping] })

  const origins = new Set<string>()
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  await page.goto(`/${destination}#settings`)
  const settings = page.getByRole('region', { name: 'Settings' })
  const name = 'Custom SQL statement'
  const query = settings.getByLabel(name, { exact: true })
  const editor = settings.getByRole('textbox', { name })
  const edit = settings.getByRole('button', { name: `Edit ${name}` })
  const save = settings.getByRole('button', { name: 'Save', exact: true })
  const schema = settings.getByRole('textbox', { name: 'Schema' })
  await expect(schema).toHaveValue('tributary')
  await expect(schema).not.toBeEditable()
  await expect(query).toHaveText('select :user_id')
  await expect(editor).toHaveCount(0)
  await edit.click()
  await expect(page.locator('.cm-editor').first()).toBeVisible()
  await editor.fill('select 2')
  await settings.getByRole('button', { name: 'Cancel' }).click()
  await expect(query).toHaveText('select :user_id')
  await expect(editor).toHaveCount(0)

  const calls = recordCalls(page)
  const saves = () => callsTo(calls, ':updateSetting')
  await edit.click()
  await editor.fill('')
  await save.click()
  await expect(editor).toHaveAttribute('aria-invalid', 'true')
  await expect(editor).toHaveAccessibleDescription(/ Required$/)
  expect(saves()).toEqual([])
  expect([...origins]).toEqual([url])

  await editor.fill('insert into nowhere values (:user_id)')
  await save.click()
  await expect(settings.getByText('Please verify that the SQL Query is valid.', { exact: true })).toBeVisible()
  await expect(settings.getByText('relation "nowhere" does not exist (42P01)', { exact: true })).toBeVisible()
  await expect(editor).toHaveAccessibleDescription(/is valid\. ?relation "nowhere" does not exist \(42P01\)$/)
  expect(saves()).toHaveLength(1)

  const statement = 'insert into buyers values (:user_id, :event) on conflict (id) do nothing'
  await editor.fill(statement)
  await expect(settings.getByText(/^Please verify/)).toHaveCount(0)
  await save.click()
  await expect(page.getByText('Setting Updated')).toBeVisible()
  await expect(editor).toHaveCount(0)
  await expect(query).toHaveText(statement)
  await page.reload()
  await expect(query).toHaveText(statement)

  const answer = await fetch(`${url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'ada', event: 'Order Completed' }),
  })
  expect(answer.status).toBe(200)
  const rows = await eventually('the saved statement has run', async () => {
    const found = await peer.query('select id, event from buyers')
    return found.length > 0 && found
  })
  expect(rows).toEqual([{ id: 'ada', event: 'Order Completed' }])

  const { name: unset } = (await api.ok('POST', `/${workspace}/destinations`, {
    title: 'Set up later',
    app: { name: 'catalogDestinations/postgresql' },
  })) as { name: string }
  await page.goto(`/${unset}#settings`)
  await schema.fill('shop')
  await save.click()
  await expect(page.getByText('Setting Updated')).toBeVisible()
  await expect(schema).toHaveValue('shop')
  await expect(schema).not.toBeEditable()
})
